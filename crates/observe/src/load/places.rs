//! Which blocks of a device are touched how often.

use blockyard_model::units::Bytes;
use blockyard_record::result::Places;

/// The least size of a block: 1 MiB, as a power of 2.
const LEAST: u32 = 20;
/// Blocks that are counted. Once there are more of them, each two become one.
const MOST: u64 = 1 << 18;
/// Parts of the device that a picture shows at most.
const PARTS: u64 = 128;

/// Reads and writes by the block in which they began.
#[derive(Debug)]
pub(super) struct Blocks {
    /// Size of a block, as a power of 2.
    size: u32,
    /// Up to the last that was touched.
    counts: Vec<[u64; 2]>,
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            size: LEAST,
            counts: Vec::new(),
        }
    }
}

impl Blocks {
    pub(super) fn add(&mut self, op: usize, offset: Bytes) {
        while offset >> self.size >= MOST {
            self.counts = merged(&self.counts, 2);
            self.size += 1;
        }
        let block = (offset >> self.size) as usize;
        if block >= self.counts.len() {
            self.counts.resize(block + 1, [0; 2]);
        }
        self.counts[block][op] += 1;
    }

    /// None without IOs.
    pub(super) fn result(&self) -> Option<Places> {
        let first = self.counts.iter().position(|counts| ios(counts) > 0)? as u64;
        let last = self.counts.len() as u64 - 1;
        let doublings = (0..).find(|n| (last >> n) - (first >> n) < PARTS)?;
        let from = first >> doublings << doublings;
        let parts = merged(&self.counts[from as usize..], 1 << doublings);
        let mut hottest: Vec<_> = self.counts.iter().map(ios).filter(|ios| *ios > 0).collect();
        hottest.sort_unstable_by(|one, other| other.cmp(one));
        let [reads, writes] = [0, 1].map(|op| parts.iter().map(|part| part[op]).collect());
        Some(Places {
            block_bytes: 1 << self.size,
            touched: hottest.len() as u64,
            hottest_1_pct: share_of(&hottest, 100),
            hottest_10_pct: share_of(&hottest, 10),
            from_byte: from << self.size,
            part_bytes: 1 << (self.size + doublings),
            reads,
            writes,
        })
    }
}

fn ios(counts: &[u64; 2]) -> u64 {
    counts.iter().sum()
}

/// Each so many blocks as one.
fn merged(counts: &[[u64; 2]], each: usize) -> Vec<[u64; 2]> {
    let sum = |some: &[[u64; 2]]| {
        some.iter()
            .fold([0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
    };
    counts.chunks(each).map(sum).collect()
}

/// The share of all IOs that the first part of `falling` has; none if it is not even one block.
fn share_of(falling: &[u64], part: usize) -> Option<f64> {
    let few = falling.len() / part;
    let sum = |some: &[u64]| some.iter().sum::<u64>() as f64;
    (few > 0).then(|| sum(&falling[..few]) / sum(falling))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The slow way: each block by itself, of the size that the last one needs.
        #[test]
        fn blocks_are_those_in_which_ios_began(
            ios in prop::collection::vec((0..2_usize, 0_u64..1 << 12, 18_u32..34), 1..200),
        ) {
            let mut blocks = Blocks::default();
            let mut last = 0;
            for (op, number, scale) in &ios {
                blocks.add(*op, number << scale);
                last = last.max(number << scale);
            }
            let size = (LEAST..).find(|size| last >> size < MOST).unwrap();
            let mut slow = BTreeMap::new();
            for (_, number, scale) in &ios {
                *slow.entry(number << scale >> size).or_insert(0) += 1;
            }
            let mut falling: Vec<u64> = slow.into_values().collect();
            falling.sort_by(|one, other| other.cmp(one));
            let found = blocks.result().unwrap();
            prop_assert_eq!(found.block_bytes, 1 << size);
            prop_assert_eq!(found.touched, falling.len() as u64);
            let tenth: u64 = falling[..falling.len() / 10].iter().sum();
            let expected = (falling.len() >= 10).then(|| tenth as f64 / ios.len() as f64);
            prop_assert_eq!(found.hottest_10_pct, expected);
            // The picture has each IO once, at its place.
            prop_assert!(found.reads.len() <= PARTS as usize);
            let sums = [&found.reads, &found.writes].map(|parts| parts.iter().sum::<u64>());
            prop_assert_eq!(sums.iter().sum::<u64>(), ios.len() as u64);
            let (op, number, scale) = ios[0];
            let part = ((number << scale) - found.from_byte) / found.part_bytes;
            prop_assert!([&found.reads, &found.writes][op][part as usize] > 0);
        }
    }

    #[test]
    fn no_offset_is_too_far() {
        let mut blocks = Blocks::default();
        blocks.add(0, 0);
        blocks.add(1, u64::MAX);
        let found = blocks.result().unwrap();
        assert_eq!((found.block_bytes, found.touched), (1 << 46, 2));
        assert_eq!((found.reads[0], found.writes.last()), (1, Some(&1)));
        assert_eq!(
            (found.hottest_10_pct, Blocks::default().result()),
            (None, None)
        );
    }
}
