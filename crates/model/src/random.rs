//! Random streams: one a component, found by label.
//!
//! The generator is xoshiro256++ (Blackman and Vigna), seeded through
//! SplitMix64. A component's stream depends on the run's seed and the
//! component's label only, so adding one component moves no other.

use alloc::vec::Vec;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::product::product;

/// Name of the generator, as results state it.
pub const ALGORITHM: &str = "xoshiro256++";

/// Binary places of [`Stream::exponential`].
pub const EXPONENTIAL_SHIFT: u32 = 32;

/// One component's random numbers.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of the component called `label` in a run with `seed`.
    pub fn new(seed: u64, label: &str) -> Self {
        // The seed's bytes go through the hash too, so that no pair of seed
        // and label cancels out as it could with a plain xor.
        let bytes: Vec<u8> = seed
            .to_le_bytes()
            .into_iter()
            .chain(label.bytes())
            .collect();
        Self(Xoshiro256PlusPlus::seed_from_u64(fnv1a(&bytes)))
    }

    /// 64 uniform bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number below `bound`.
    ///
    /// Multiply and shift: the bias is at most `bound` / 2^64, below one in
    /// 10^10 for the largest volume's block count.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        (product(self.bits(), bound) >> 64) as u64
    }

    /// A uniform number from 0 up to, but not including, 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether an event of probability `permille` / 1000 happens.
    #[inline]
    pub fn chance(&mut self, permille: u32) -> bool {
        // The two certain answers draw nothing: a read-only job's stream
        // consists of its places alone.
        match permille {
            0 => false,
            1000.. => true,
            _ => self.below(1000) < u64::from(permille),
        }
    }

    /// An exponentially distributed number of mean 1, as fixed point with
    /// [`EXPONENTIAL_SHIFT`] binary places; at most about 36.7.
    #[inline]
    pub fn exponential(&mut self) -> u64 {
        const STEPS: u64 = 1 << 53;
        let uniform = ((self.bits() >> 11) + 1) as f64 / STEPS as f64;
        (-libm::log(uniform) * (1_u64 << EXPONENTIAL_SHIFT) as f64) as u64
    }

    /// `mean` times a draw of [`Stream::exponential`].
    #[inline]
    pub fn exponential_of(&mut self, mean: u64) -> u64 {
        (product(self.exponential(), mean) >> EXPONENTIAL_SHIFT) as u64
    }
}

/// The 64-bit FNV-1a hash.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_and_label_only() {
        let first = |seed, label| Stream::new(seed, label).bits();
        assert_eq!(first(1, "volume/data.0"), first(1, "volume/data.0"));
        assert_ne!(first(1, "volume/data.0"), first(1, "volume/data.1"));
        assert_ne!(first(1, "volume/data.0"), first(2, "volume/data.0"));
    }

    #[test]
    fn the_algorithm_does_not_change_under_us() {
        // Published runs must stay reproducible: a new version of the
        // generator's crate must not move these.
        let mut stream = Stream::new(1, "job/readers/0");
        let drawn = [stream.bits(), stream.bits(), stream.below(1000)];
        assert_eq!(
            drawn,
            [17_336_068_090_015_391_184, 11_568_725_674_719_324_706, 939]
        );
    }

    #[test]
    fn exponential_has_mean_and_variance_one() {
        let mut stream = Stream::new(7, "test");
        let count = 1_000_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..count {
            let x = stream.exponential() as f64 / (1_u64 << EXPONENTIAL_SHIFT) as f64;
            sum += x;
            squares += x * x;
        }
        let mean = sum / f64::from(count);
        let variance = squares / f64::from(count) - mean * mean;
        // Five standard errors: 1/sqrt(n) of the mean, sqrt(8/n) of the variance.
        assert!((mean - 1.0).abs() < 0.005, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.0145, "variance {variance}");
    }
}
