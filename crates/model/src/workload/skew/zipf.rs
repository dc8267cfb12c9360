//! Zipf's law over any number of blocks, in constant memory and time.

use libm::{exp, expm1, log, log1p, pow};

use crate::random::Stream;

/// Ranks 0..blocks, where rank `k` has probability proportional to
/// (k + 1)^-exponent. Rejection-inversion (Hörmann and Derflinger,
/// Rejection-inversion to generate variates from monotone discrete
/// distributions, 1996), with fewer than 1.02 trials a draw.
///
/// Exact to the 53 bits of a double: ranks wanted less than once in 2^53 draws
/// may stand in for their neighbours, and no draw shows that.
///
/// A library's sampler would use the platform's logarithm, which differs
/// between platforms in the last bit.
#[derive(Clone, Debug)]
pub(super) struct Zipf {
    blocks: f64,
    exponent: f64,
    /// The integral of the hat from its left end, and to its right end.
    left: f64,
    right: f64,
    /// Up to this far left of a rank every point of the hat is accepted.
    surely: f64,
}

/// From here on the hat exceeds the weights by less than exponent² / (12 FAR²),
/// 10^-11 at most, so that every point is as good as accepted; and the test
/// would compare differences below the precision of its operands.
const FAR: f64 = 1e6;

impl Zipf {
    /// Exponent in 1/1000.
    pub(super) fn new(blocks: u64, permille: u32) -> Self {
        let mut zipf = Self {
            blocks: blocks as f64,
            exponent: f64::from(permille) / 1000.0,
            left: 0.0,
            right: 0.0,
            surely: 0.0,
        };
        zipf.left = zipf.integral(1.5) - 1.0;
        zipf.right = zipf.integral(zipf.blocks + 0.5);
        zipf.surely = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    #[inline]
    pub(super) fn draw(&self, random: &mut Stream) -> u64 {
        loop {
            let area = self.right + random.unit() * (self.left - self.right);
            let point = self.inverse(area);
            let rank = libm::floor(point + 0.5).clamp(1.0, self.blocks);
            if rank - point <= self.surely
                || rank >= FAR
                || area >= self.integral(rank + 0.5) - self.weight(rank)
            {
                return rank as u64 - 1;
            }
        }
    }

    /// The probability of a rank.
    pub(super) fn probabilities(&self) -> impl Fn(u64) -> f64 + '_ {
        let whole = harmonic(self.blocks, self.exponent);
        move |rank| self.weight((rank + 1) as f64) / whole
    }

    /// x^-exponent.
    fn weight(&self, x: f64) -> f64 {
        exp(-self.exponent * log(x))
    }

    /// The integral of the weight from 1 to x: (x^(1 - exponent) - 1) / (1 -
    /// exponent), which is the logarithm for exponent 1.
    fn integral(&self, x: f64) -> f64 {
        let log_x = log(x);
        log_x * expm1_over((1.0 - self.exponent) * log_x)
    }

    /// The inverse of the integral.
    fn inverse(&self, area: f64) -> f64 {
        // Rounding may lead beyond the end of the logarithm's domain.
        let t = (area * (1.0 - self.exponent)).max(-1.0);
        exp(area * log1p_over(t))
    }
}

/// The sum of k^-exponent for k from 1 to n: term by term at first, then by
/// the formula of Euler and Maclaurin.
pub(super) fn harmonic(n: f64, exponent: f64) -> f64 {
    let direct = n.min(1000.0);
    let term = |k: f64| pow(k, -exponent);
    let sum: f64 = (1..=direct as u64).map(|k| term(k as f64)).sum();
    if n <= direct {
        return sum;
    }
    let area = if (exponent - 1.0).abs() < 1e-12 {
        log(n / direct)
    } else {
        (pow(n, 1.0 - exponent) - pow(direct, 1.0 - exponent)) / (1.0 - exponent)
    };
    sum + area
        + (term(n) - term(direct)) / 2.0
        + exponent / 12.0 * (term(direct) / direct - term(n) / n)
}

/// (e^x - 1) / x, 1 at 0.
fn expm1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        expm1(x) / x
    } else {
        1.0 + x / 2.0
    }
}

/// ln(1 + x) / x, 1 at 0.
fn log1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        log1p(x) / x
    } else {
        1.0 - x / 2.0
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn few_blocks_have_the_exact_probabilities() {
        let blocks = 20;
        for permille in [10, 500, 990, 1000, 1100, 2000, 3000, 10_000] {
            let zipf = Zipf::new(blocks, permille);
            let mut random = Stream::new(u64::from(permille), "zipf");
            // Enough that 5 % too few at one rank of the tail show.
            let draws = 2_000_000;
            let mut counts = vec![0_u32; blocks as usize];
            for _ in 0..draws {
                counts[zipf.draw(&mut random) as usize] += 1;
            }
            let exponent = f64::from(permille) / 1000.0;
            let whole = harmonic(blocks as f64, exponent);
            let mut chi_squared = 0.0;
            for (rank, &count) in counts.iter().enumerate() {
                let expected = f64::from(draws) * pow((rank + 1) as f64, -exponent) / whole;
                if expected >= 5.0 {
                    chi_squared += (f64::from(count) - expected).powi(2) / expected;
                }
            }
            // 19 degrees of freedom: above 50 once in 7,000.
            assert!(chi_squared < 50.0, "{exponent}: {chi_squared}");
        }
    }

    #[test]
    fn huge_files_follow_the_law_at_every_rank() {
        for (blocks, permille) in [
            (1_u64 << 29, 1000),
            (1 << 29, 1200),
            (1 << 40, 500),
            (1 << 40, 990),
            (1 << 48, 800),
        ] {
            let zipf = Zipf::new(blocks, permille);
            let mut random = Stream::new(3, "zipf");
            let draws = 400_000;
            let mut drawn: Vec<_> = (0..draws).map(|_| zipf.draw(&mut random)).collect();
            drawn.sort_unstable();
            let exponent = f64::from(permille) / 1000.0;
            let whole = harmonic(blocks as f64, exponent);
            for rank in [
                1,
                10,
                1000,
                1_000_000,
                blocks / 1000,
                blocks / 10,
                blocks / 2,
            ] {
                let share = harmonic(rank as f64, exponent) / whole;
                let found = drawn.partition_point(|&other| other < rank) as f64 / draws as f64;
                let deviation = (share * (1.0 - share) / draws as f64).sqrt();
                assert!(
                    (found - share).abs() < 5.0 * deviation + 1e-9,
                    "{blocks} blocks, exponent {exponent}, rank {rank}: {found}, not {share}"
                );
            }
        }
    }

    #[test]
    fn as_many_blocks_are_touched_as_the_law_has_it() {
        let (blocks, draws) = (1_u64 << 29, 1_000_000_u64);
        let zipf = Zipf::new(blocks, 1000);
        let mut random = Stream::new(5, "zipf");
        let mut drawn: Vec<_> = (0..draws).map(|_| zipf.draw(&mut random)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        // The sum over ranks of 1 - (1 - p)^draws, in steps of a thousandth.
        let whole = harmonic(blocks as f64, 1.0);
        let missed = |rank: f64| exp(draws as f64 * log1p(-1.0 / rank / whole));
        let (mut expected, mut from) = (0.0, 1.0_f64);
        while from < blocks as f64 {
            let to = (from * 1.001)
                .floor()
                .max(from + 1.0)
                .min(blocks as f64 + 1.0);
            expected += (to - from) * (1.0 - missed((from + to - 1.0) / 2.0));
            from = to;
        }
        let error = drawn.len() as f64 / expected - 1.0;
        assert!(error.abs() < 0.005, "{} instead of {expected}", drawn.len());
    }

    #[test]
    fn draws_are_the_same_on_every_platform() {
        let zipf = Zipf::new(1 << 48, 800);
        let mut random = Stream::new(1, "zipf");
        let drawn: [u64; 6] = core::array::from_fn(|_| zipf.draw(&mut random));
        // The last digits of the largest come from the last bits of logarithms.
        let expected = [
            137_245_575_622_734,
            153_322_348_061,
            134_765_282_060_127,
            77_024_508,
            9_862_884_571_455,
            8_640_725_955_468,
        ];
        assert_eq!(drawn, expected);
    }

    #[test]
    fn one_block_is_all_there_is() {
        let mut random = Stream::new(1, "zipf");
        assert_eq!(Zipf::new(1, 1000).draw(&mut random), 0);
    }
}
