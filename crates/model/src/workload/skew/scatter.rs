//! Spreads ranks over a file: every rank has a block of its own.

use crate::random::Stream;

/// Four make a Feistel network pass for a random permutation (Luby and Rackoff,
/// 1988) if its halves are long; those of a small file are short.
const ROUNDS: usize = 6;

/// A permutation of 0..blocks: an unbalanced Feistel network over the next
/// power of two, walked until it leads below `blocks` (Black and Rogaway,
/// Ciphers with Arbitrary Finite Domains, 2002). A hash would map two ranks to
/// one block and leave others without.
#[derive(Clone, Debug)]
pub(super) struct Scatter {
    blocks: u64,
    /// Bits of the right half; the left one has the rest.
    right_bits: u32,
    left_mask: u64,
    keys: [u64; ROUNDS],
}

impl Scatter {
    /// The permutation that `key` draws.
    pub(super) fn new(blocks: u64, key: &mut Stream) -> Self {
        let bits = u64::BITS - (blocks - 1).leading_zeros();
        let right_bits = bits / 2;
        Self {
            blocks,
            right_bits,
            left_mask: (1 << (bits - right_bits)) - 1,
            keys: core::array::from_fn(|_| key.bits()),
        }
    }

    /// The block of a rank.
    #[inline]
    pub(super) fn place(&self, rank: u64) -> u64 {
        let mut place = self.permute(rank);
        while place >= self.blocks {
            place = self.permute(place);
        }
        place
    }

    fn permute(&self, value: u64) -> u64 {
        let right_mask = (1 << self.right_bits) - 1;
        let (mut left, mut right) = (value >> self.right_bits, value & right_mask);
        for pair in self.keys.chunks_exact(2) {
            left ^= mix(right ^ pair[0]) & self.left_mask;
            right ^= mix(left ^ pair[1]) & right_mask;
        }
        left << self.right_bits | right
    }
}

/// SplitMix64's finisher.
fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_block_has_one_rank(blocks in 1_u64..5000, seed in 0_u64..1000) {
            let scatter = Scatter::new(blocks, &mut Stream::new(seed, "scatter"));
            let mut seen = vec![false; blocks as usize];
            for rank in 0..blocks {
                let place = scatter.place(rank) as usize;
                prop_assert!(!core::mem::replace(&mut seen[place], true), "{place} twice");
            }
        }
    }

    #[test]
    fn a_huge_file_is_covered_evenly() {
        let blocks = (1 << 40) + 12_345;
        let scatter = Scatter::new(blocks, &mut Stream::new(1, "scatter"));
        let mut places: Vec<_> = (0..100_000).map(|rank| scatter.place(rank)).collect();
        let mut sixteenths = [0_u32; 16];
        for &place in &places {
            sixteenths[(u128::from(place) * 16 / u128::from(blocks)) as usize] += 1;
        }
        // The first ranks of all: 6,250 in each part, five deviations are 383.
        for count in sixteenths {
            assert!(count.abs_diff(6250) < 383, "{sixteenths:?}");
        }
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 100_000);
    }

    #[test]
    fn neighbouring_ranks_lie_anywhere() {
        for blocks in [1000, (1 << 29) - 1, (1 << 40) + 12_345] {
            let scatter = Scatter::new(blocks, &mut Stream::new(2, "scatter"));
            let eighth = |rank| (u128::from(scatter.place(rank)) * 8 / u128::from(blocks)) as usize;
            let pairs = blocks.min(100_001) - 1;
            let mut counts = [0_u32; 64];
            for rank in 0..pairs {
                counts[eighth(rank) * 8 + eighth(rank + 1)] += 1;
            }
            let expected = pairs as f64 / 64.0;
            let deviation = |count| (f64::from(count) - expected).powi(2) / expected;
            let chi_squared: f64 = counts.into_iter().map(deviation).sum();
            // 63 degrees of freedom: above 115 once in 10,000.
            assert!(chi_squared < 115.0, "{blocks}: {chi_squared}");
        }
    }
}
