//! The factor by which a host's latencies differ from those of other hosts, or a volume's from
//! those of other volumes of its host.

use core::f64::consts::{PI, SQRT_2};

use crate::product::product;
use crate::random::Stream;
use crate::units::Nanos;

/// Binary places of a factor.
pub(super) const SHIFT: u32 = 20;

/// How many standard deviations of its logarithm a factor differs from the
/// middle at most.
const MOST: f64 = 3.0;

/// A factor, drawn from a log-normal distribution with mean 1 and a
/// standard deviation of `permille` / 1000, which is cut off on both sides at
/// three standard deviations of the logarithm. The cut takes at most 2 % from
/// a deviation of 20 %, and nothing from the mean. Without a spread nothing is drawn.
pub(super) fn draw(permille: u32, random: &mut Stream) -> u64 {
    let one = (1_u64 << SHIFT) as f64;
    if permille == 0 {
        return one as u64;
    }
    let spread = f64::from(permille) / 1000.0;
    let sigma = libm::sqrt(libm::log(1.0 + spread * spread));
    // The mean of exp(sigma z) over a standard normal z within the cut.
    let within = |shift: f64| normal_below(MOST - shift) - normal_below(-MOST - shift);
    let mean = libm::exp(sigma * sigma / 2.0) * within(sigma) / within(0.0);
    (libm::exp(sigma * normal_within(MOST, random)) / mean * one) as u64
}

/// `latency` as it is on a volume with `factor`.
#[inline]
pub(super) fn apply(factor: u64, latency: Nanos) -> Nanos {
    (product(latency, factor) >> SHIFT) as Nanos
}

/// A factor as a number.
pub(super) fn ratio(factor: u64) -> f64 {
    factor as f64 / (1_u64 << SHIFT) as f64
}

/// The probability that a standard normal variate is below `bound`.
fn normal_below(bound: f64) -> f64 {
    0.5 * libm::erfc(-bound / SQRT_2)
}

/// A standard normal variate, drawn until it is within `most` of 0 (Box and
/// Muller's method; the second variate of each pair is left).
fn normal_within(most: f64, random: &mut Stream) -> f64 {
    loop {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - random.unit()));
        let variate = radius * libm::cos(2.0 * PI * random.unit());
        if libm::fabs(variate) <= most {
            return variate;
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    fn factors(permille: u32, count: u32) -> impl Iterator<Item = f64> {
        (0..count).map(move |index| {
            let mut random = Stream::new(5, &format!("volume/{index}/spread"));
            draw(permille, &mut random) as f64 / f64::from(1_u32 << SHIFT)
        })
    }

    #[test]
    fn factors_have_mean_one_and_the_stated_deviation() {
        for permille in [20, 150, 300, 1000] {
            let count = 200_000;
            let (mut sum, mut squares) = (0.0, 0.0);
            for factor in factors(permille, count) {
                sum += factor;
                squares += factor * factor;
            }
            let mean = sum / f64::from(count);
            let deviation = libm::sqrt(squares / f64::from(count) - mean * mean);
            let stated = f64::from(permille) / 1000.0;
            // Five standard errors of the mean; the cut takes from the deviation.
            let error = 5.0 * stated / libm::sqrt(f64::from(count));
            assert!((mean - 1.0).abs() < error, "{permille}: mean {mean}");
            let least = if permille <= 200 { 0.97 } else { 0.8 };
            assert!(
                (least..1.01).contains(&(deviation / stated)),
                "{permille}: deviation {deviation}"
            );
        }
    }

    #[test]
    fn no_factor_is_absurd() {
        // Three standard deviations of 15 %: from 0.63 to 1.55.
        assert!(factors(150, 100_000).all(|factor| (0.62..1.57).contains(&factor)));
    }

    #[test]
    fn without_a_spread_volumes_are_alike() {
        assert!(factors(0, 10).all(|factor| factor == 1.0));
        assert_eq!(apply(1 << SHIFT, Nanos::MAX), Nanos::MAX);
    }
}
