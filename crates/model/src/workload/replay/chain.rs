//! The IOs of a chain as they are due, and who waits for its flushes.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::spec::{ReadIos, RecordedIo};
use crate::request::Op;
use crate::workload::io::Slot;

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
        let (mut due, mut later) = (next, all);
        let mut batch = Vec::new();
        while due < later {
            let middle = due.midpoint(later);
            batch.clear();
            self.ios.read(self.number, middle, &mut batch);
            match batch.first() {
                Some(io) if io.wait <= now => due = middle + 1,
                _ => later = middle,
            }
        }
        due - next
    }
}

/// The flushes of a chain, which end one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Flushes {
    ended: u32,
    /// What the chain has in flight is one.
    flushes: bool,
    /// Which one the chains wait for that do so, as they came.
    waiting: Vec<(u32, Slot)>,
}

impl Flushes {
    /// The chain issued an IO.
    pub(super) fn issued(&mut self, op: Op) {
        self.flushes = op == Op::Flush;
    }

    /// Whether the chain of a slot has to wait for number `nth`.
    pub(super) fn hold(&mut self, nth: u32, slot: Slot) -> bool {
        let waits = nth > self.ended;
        if waits {
            self.waiting.push((nth, slot));
        }
        waits
    }

    /// What the chain had in flight ended: the slots that waited for that.
    pub(super) fn io_ended(&mut self) -> Vec<Slot> {
        self.ended += u32::from(self.flushes);
        if !self.flushes || self.waiting.is_empty() {
            return Vec::new();
        }
        let met = |own: &mut (u32, Slot)| own.0 <= self.ended;
        let met = self.waiting.extract_if(.., met);
        met.map(|(_, slot)| slot).collect()
    }
}
