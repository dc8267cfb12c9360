//! How far a copy of all data is: read, sent, written, chunk by chunk.

use alloc::vec::Vec;

use crate::spec::GroupSpec;
use crate::units::{Bytes, Nanos};
use crate::workload::CopyStage;

pub(super) const CHUNK: Bytes = GroupSpec::COPY_CHUNK;
const WINDOW: u32 = GroupSpec::COPY_WINDOW;

/// Slots of a node: one to read as a donor, then those to write.
pub(super) const SLOTS: u32 = 1 + WINDOW;

/// A copy under way.
#[derive(Clone, Debug)]
pub(in crate::replication::group) struct Copying {
    pub(super) donor: usize,
    /// The path between the two.
    pub(super) path: usize,
    /// Write sets that had been sent when the other joined: it begins when the donor has applied
    /// all of these, as the request for it stands in their order.
    pub(super) from: u64,
    has_begun: bool,
    size: Bytes,
    /// Chunks that were read, have come, are being written or were, and of which the donor knows
    /// that they were.
    read: u64,
    come: u64,
    begun: u64,
    written: u64,
    free: Vec<u32>,
    stages: [Stage; CopyStage::ALL.len()],
}

/// For how long something was at work on a copy.
#[derive(Clone, Copy, Debug, Default)]
struct Stage {
    at_work: u32,
    since: Nanos,
    busy: Nanos,
}

impl Stage {
    fn begins(&mut self, now: Nanos) {
        if self.at_work == 0 {
            self.since = now;
        }
        self.at_work += 1;
    }

    fn ends(&mut self, now: Nanos) {
        self.at_work -= 1;
        if self.at_work == 0 {
            self.busy += now - self.since;
        }
    }
}

/// What a copy does next: an IO, at a place of the data, with its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The donor reads.
    Read(Bytes, Bytes),
    /// The other writes, in one of its slots.
    Write(u32, Bytes, Bytes),
}

impl Copying {
    /// Of all data, from a donor over a path, for a node that has joined after so many write sets.
    pub(super) fn new(donor: usize, path: usize, from: u64, size: Bytes) -> Self {
        Self {
            donor,
            path,
            from,
            has_begun: false,
            size,
            read: 0,
            come: 0,
            begun: 0,
            written: 0,
            free: (1..SLOTS).rev().collect(),
            stages: [Stage::default(); CopyStage::ALL.len()],
        }
    }

    /// Begins if the donor has applied enough write sets, and it has not; whether it did.
    pub(super) fn begins(&mut self, applied: u64) -> bool {
        let begins = !self.has_begun && applied >= self.from;
        self.has_begun |= begins;
        begins
    }

    fn chunks(&self) -> u64 {
        self.size.div_ceil(CHUNK)
    }

    /// Where a chunk lies, and its bytes.
    fn chunk(&self, number: u64) -> (Bytes, Bytes) {
        let offset = number * CHUNK;
        (offset, CHUNK.min(self.size - offset))
    }

    fn stage(&mut self, stage: CopyStage) -> &mut Stage {
        &mut self.stages[stage as usize]
    }

    /// Begins with what can be done, if anything can.
    pub(super) fn next(&mut self, now: Nanos) -> Option<Next> {
        let under_way = self.read - self.written;
        let reading = self.stage(CopyStage::Read).at_work > 0;
        let reads = self.has_begun && !reading;
        if reads && self.read < self.chunks() && under_way < WINDOW.into() {
            self.stage(CopyStage::Read).begins(now);
            let (offset, bytes) = self.chunk(self.read);
            return Some(Next::Read(offset, bytes));
        }
        if self.begun == self.come {
            return None;
        }
        let slot = self.free.pop()?;
        self.stage(CopyStage::Write).begins(now);
        let (offset, bytes) = self.chunk(self.begun);
        self.begun += 1;
        Some(Next::Write(slot, offset, bytes))
    }

    /// The donor has read a chunk, which is sent. Gives its bytes.
    pub(super) fn has_read(&mut self, now: Nanos) -> Bytes {
        self.stage(CopyStage::Read).ends(now);
        self.stage(CopyStage::Send).begins(now);
        self.read += 1;
        self.chunk(self.read - 1).1
    }

    /// One has come.
    pub(super) fn has_come(&mut self, now: Nanos) {
        self.stage(CopyStage::Send).ends(now);
        self.come += 1;
    }

    /// One was written, in a slot.
    pub(super) fn has_written(&mut self, now: Nanos, slot: u32) {
        self.stage(CopyStage::Write).ends(now);
        self.free.push(slot);
    }

    /// The donor hears that one was written; whether that was the last.
    pub(super) fn is_written(&mut self) -> bool {
        self.written += 1;
        self.written == self.chunks()
    }

    /// What was at work for the longest time.
    pub(super) fn slowest(&self) -> CopyStage {
        let busy = |it: &CopyStage| self.stages[*it as usize].busy;
        let all = CopyStage::ALL.into_iter();
        all.max_by_key(busy).unwrap_or(CopyStage::Read)
    }
}
