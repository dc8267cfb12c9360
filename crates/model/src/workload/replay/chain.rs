//! The IOs of a chain as they are due.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::spec::{ReadIos, RecordedIo};
use crate::units::Nanos;

/// The IOs of a chain, some of them read ahead.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    number: u32,
    ios: Arc<dyn ReadIos>,
    batch: Vec<RecordedIo>,
    /// Of the batch: those that were taken.
    taken: usize,
    /// Of the chain: those before the batch.
    before: u64,
}

impl Chain {
    pub(super) fn new(number: u32, ios: &Arc<dyn ReadIos>) -> Self {
        Self {
            number,
            ios: Arc::clone(ios),
            batch: Vec::new(),
            taken: 0,
            before: 0,
        }
    }

    /// The next one, if there is one.
    #[inline]
    pub(super) fn next(&mut self) -> Option<RecordedIo> {
        if self.taken == self.batch.len() {
            self.before += self.taken as u64;
            self.taken = 0;
            self.batch.clear();
            self.ios.read(self.number, self.before, &mut self.batch);
        }
        self.batch.get(self.taken).copied()
    }

    /// The next one is issued.
    pub(super) fn take(&mut self) {
        self.taken += 1;
    }

    /// How many are left whose times, which rise, are no later than `now`, of `all` there are.
    pub(super) fn due(&self, now: u64, all: u64) -> u64 {
        let next = self.before + self.taken as u64;
        due(&*self.ios, self.number, next..all, now) - next
    }
}

/// Which of the IOs `among` of a chain, whose times rise, is the first that comes after `now`; the
/// end if none does.
pub(super) fn due(ios: &dyn ReadIos, chain: u32, among: Range<u64>, now: Nanos) -> u64 {
    let (mut due, mut later) = (among.start, among.end);
    let mut batch = Vec::new();
    while due < later {
        let middle = due.midpoint(later);
        batch.clear();
        ios.read(chain, middle, &mut batch);
        match batch.first() {
            Some(io) if io.wait <= now => due = middle + 1,
            _ => later = middle,
        }
    }
    due
}
