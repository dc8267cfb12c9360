//! What a device did between two samples of its counters.

use blockyard_machine::{BlockStat, OpStat};
use blockyard_model::units::Bytes;
pub(crate) use blockyard_trace::OPS;

/// The kernel's sector, whatever the device has.
pub(crate) const SECTOR: Bytes = 512;

/// What a device did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) ops: [OpCounts; OPS.len()],
    /// Milliseconds with IO in flight.
    pub(crate) busy_ms: u64,
}

/// What it did of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpCounts {
    /// IOs that ended.
    pub(crate) ios: u64,
    /// IOs that were merged into one of these.
    pub(crate) merged: u64,
    pub(crate) bytes: Bytes,
    /// Their latencies, summed, in milliseconds.
    pub(crate) ms: u64,
}

impl Counts {
    /// Between two samples; none if the counters began anew, as those of a device that went and
    /// came again. The kernel's milliseconds wrap at 32 bits.
    pub(crate) fn between(old: &BlockStat, new: &BlockStat) -> Option<Self> {
        let op = |of: fn(&BlockStat) -> OpStat| {
            let (old, new) = (of(old), of(new));
            Some(OpCounts {
                ios: new.ios.checked_sub(old.ios)?,
                merged: new.merged.checked_sub(old.merged)?,
                bytes: new.sectors.checked_sub(old.sectors)?.checked_mul(SECTOR)?,
                ms: u64::from(new.ms.wrapping_sub(old.ms)),
            })
        };
        Some(Self {
            ops: [
                op(|stat| stat.read)?,
                op(|stat| stat.write)?,
                op(|stat| stat.flush)?,
                op(|stat| stat.trim)?,
            ],
            busy_ms: u64::from(new.busy_ms.wrapping_sub(old.busy_ms)),
        })
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (own, more) in self.ops.iter_mut().zip(&other.ops) {
            own.ios += more.ios;
            own.merged += more.merged;
            own.bytes += more.bytes;
            own.ms += more.ms;
        }
        self.busy_ms += other.busy_ms;
    }

    /// Part `index` of `of` equal parts, which add up to the whole.
    pub(crate) fn part(&self, index: u64, of: u64) -> Self {
        let up_to = |value: u64, parts: u64| {
            (u128::from(value) * u128::from(parts) / u128::from(of)) as u64
        };
        let part = |value: u64| up_to(value, index + 1) - up_to(value, index);
        Self {
            ops: self.ops.map(|op| OpCounts {
                ios: part(op.ios),
                merged: part(op.merged),
                bytes: part(op.bytes),
                ms: part(op.ms),
            }),
            busy_ms: part(self.busy_ms),
        }
    }
}

impl OpCounts {
    /// The mean latency in microseconds; none without IOs.
    pub(crate) fn mean_us(&self) -> Option<f64> {
        (self.ios > 0).then(|| self.ms as f64 * 1000.0 / self.ios as f64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stat(numbers: [u64; 4]) -> BlockStat {
        let [ios, merged, sectors, ms] = numbers;
        let op = OpStat {
            ios,
            merged,
            sectors,
            ms: ms as u32,
        };
        BlockStat {
            read: op,
            flush: op,
            busy_ms: ms as u32,
            ..BlockStat::default()
        }
    }

    proptest! {
        /// The slow way: each IO is counted by itself, in counters that wrap as the kernel's do.
        #[test]
        fn counts_are_those_of_the_ios_between(
            begin in prop::array::uniform4(0_u64..1 << 40),
            ios in prop::collection::vec((1_u64..2000, 0_u64..3, 0_u64..100_000), 0..60),
        ) {
            let mut now = begin;
            let mut expected = OpCounts::default();
            for (sectors, merged, ms) in ios {
                for (counter, more) in now.iter_mut().zip([1, merged, sectors, ms]) {
                    *counter += more;
                }
                expected.ios += 1;
                expected.merged += merged;
                expected.bytes += sectors * SECTOR;
                expected.ms += ms;
            }
            let found = Counts::between(&stat(begin), &stat(now)).unwrap();
            prop_assert_eq!(found.ops, [expected, OpCounts::default(), expected, OpCounts::default()]);
            prop_assert_eq!(found.busy_ms, expected.ms);
        }

        #[test]
        fn parts_add_up(ios in 0_u64..1 << 40, bytes in 0_u64..1 << 60, of in 1_u64..50) {
            let op = OpCounts { ios, merged: 1, bytes, ms: 7 };
            let whole = Counts { ops: [op; 4], busy_ms: ios };
            let mut sum = Counts::default();
            (0..of).for_each(|index| sum.add(&whole.part(index, of)));
            prop_assert_eq!(sum, whole);
        }
    }

    #[test]
    fn a_counter_that_fell_began_anew() {
        for place in 0..3 {
            let mut less = [5, 5, 5, 5];
            less[place] = 4;
            assert_eq!(Counts::between(&stat([5; 4]), &stat(less)), None);
        }
    }
}
