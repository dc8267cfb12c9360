//! The database of a member of a mirror: its blocks are dirtied by the journal that is replayed
//! there, and written by write daemons of its own.

use super::RanWrite;
use super::slots::{CYCLE, JOURNAL_ALARM};
use super::spec::RanWriteSpec;
use crate::units::{Bytes, Nanos};
use crate::workload::io::{IoSink, Outcome, Slot, StateMachine};

/// Write daemons over blocks that somebody else dirties. What its journal has is written by
/// whoever receives it; a cycle only flushes that.
#[derive(Clone, Debug)]
pub(crate) struct Replica(RanWrite);

impl Replica {
    /// The slots that it has alarms on; it has IO on all others.
    pub(crate) const ALARMS: [Slot; 2] = [CYCLE, JOURNAL_ALARM];

    /// That of job number `job`, whose `spec` has the regions of this member. It makes no
    /// updates of its own.
    pub(crate) fn new(spec: &RanWriteSpec, job: u16, seed: u64) -> Self {
        Self(RanWrite::new(
            &RanWriteSpec {
                steps: alloc::vec![(0, 0)],
                ..spec.clone()
            },
            job,
            seed,
        ))
    }

    pub(crate) fn slots(&self) -> u32 {
        self.0.slots()
    }

    pub(crate) fn start(&mut self, sink: &mut impl IoSink) {
        self.0.start(sink);
    }

    /// Its IO on `slot` is done: one that fails is tried again by whoever does it.
    pub(crate) fn completed(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        self.0.completed(now, slot, Outcome::Done, sink);
    }

    pub(crate) fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        self.0.woken(now, slot, sink);
    }

    /// Where the block of the next record of the journal lies on its device: as the primary's
    /// updates, drawn from the same random numbers.
    pub(crate) fn next_place(&mut self) -> Bytes {
        let spec = &self.0.spec;
        let blocks = spec.data.size / spec.block;
        spec.data.offset + self.0.places.below(blocks) * spec.block
    }

    /// The block there has been changed in the cache.
    pub(crate) fn apply(&mut self, now: Nanos, place: Bytes, sink: &mut impl IoSink) {
        let spec = &self.0.spec;
        let block = (place - spec.data.offset) / spec.block;
        self.0.dirty.insert(block);
        self.0.begin_early(now, sink);
    }
}
