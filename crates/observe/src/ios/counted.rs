//! What a volume of EBS counts of IOs, by interval: split and merged.

use std::collections::BTreeMap;

use blockyard_trace::block::Io;

/// What a volume counts.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// By interval, of those that are not over.
    open: BTreeMap<u64, u64>,
}

impl Counted {
    /// Adds an IO that ended in an interval.
    pub(crate) fn add(&mut self, io: &Io, interval: u64) {
        *self.open.entry(interval).or_default() += io.counted;
    }

    /// Takes out what intervals before `end` have; all without one.
    pub(crate) fn ended(&mut self, end: Option<u64>) -> u64 {
        let later = end.map(|end| self.open.split_off(&end));
        let ended = std::mem::replace(&mut self.open, later.unwrap_or_default());
        ended.into_values().sum()
    }
}
