//! What a volume of EBS counts of IOs, by interval: split and merged.

use std::collections::BTreeMap;

use blockyard_trace::block::Io;

/// Operations that move data: reads and writes, the first ones.
pub(crate) const MOVES: usize = 2;

/// What a volume counts.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// By interval, of those that are not over: as the volume counts, and as reads and writes.
    open: BTreeMap<u64, (u64, u64)>,
}

impl Counted {
    /// Adds an IO that ended in an interval.
    pub(crate) fn add(&mut self, io: &Io, interval: u64) {
        let (counted, moves) = self.open.entry(interval).or_default();
        *counted += io.counted;
        *moves += u64::from(io.op < MOVES);
    }

    /// Takes out what intervals before `end` have; all without one.
    pub(crate) fn ended(&mut self, end: Option<u64>) -> (u64, u64) {
        let later = end.map(|end| self.open.split_off(&end));
        let ended = std::mem::replace(&mut self.open, later.unwrap_or_default());
        let add = |all: (u64, u64), one: (u64, u64)| (all.0 + one.0, all.1 + one.1);
        ended.into_values().fold((0, 0), add)
    }
}
