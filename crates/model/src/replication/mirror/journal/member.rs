//! A member that gets the journal: how far it is.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::random::Stream;
use crate::spec::{Acknowledged, MemberSpec};
use crate::units::{Bytes, Nanos};
use crate::workload::Replica;

/// A member of a journal's mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemberId {
    pub(super) journal: usize,
    pub(super) member: usize,
}

/// Journal data under way to a member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parcel {
    pub(super) epoch: u32,
    /// Where in the journal it ends.
    pub(super) until: Bytes,
    pub(super) sent_at: Nanos,
}

/// A member.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) spec: MemberSpec,
    pub(super) replica: Replica,
    /// Whether its write daemons run.
    pub(super) started: bool,
    /// Jobs that replay nothing just now.
    pub(super) free_jobs: Vec<u32>,
    /// Decides which blocks are in its cache.
    cache: Stream,
    pub(super) connected: bool,
    /// Which time it is connected: what is under way from an earlier one does not count.
    pub(super) epoch: u32,
    /// Whether what it lacks is read from the primary's journal files, rather than taken from
    /// memory.
    pub(super) from_files: bool,
    /// Bytes that are being read there; 0 if none are.
    pub(super) reading: Bytes,
    /// Whether every journal write is sent to it as it is issued.
    pub(super) in_step: bool,
    /// The link has dropped what was under way.
    pub(super) dropped: bool,
    /// Places in the journal: what was sent, what is acknowledged, what has come, what is on its
    /// disk.
    pub(super) sent: Bytes,
    pub(super) acknowledged: Bytes,
    pub(super) arrived: Bytes,
    pub(super) stored: Bytes,
    /// Bytes that are being written to its disk.
    pub(super) storing: Bytes,
    /// Records that were begun to be replayed, and that were.
    pub(super) begun: u64,
    pub(super) replayed: u64,
    /// Under way, oldest first: journal data, and the acknowledgements of it.
    pub(super) data: VecDeque<Parcel>,
    pub(super) answers: VecDeque<Parcel>,
    /// What the primary has sent and was not answered.
    pub(super) unanswered: VecDeque<Parcel>,
}

impl Member {
    pub(super) fn new(spec: MemberSpec, jobs: u32, replica: Replica, cache: Stream) -> Self {
        Self {
            spec,
            replica,
            started: false,
            free_jobs: (0..jobs).rev().collect(),
            cache,
            connected: true,
            epoch: 0,
            from_files: false,
            reading: 0,
            in_step: false,
            dropped: false,
            sent: 0,
            acknowledged: 0,
            arrived: 0,
            stored: 0,
            storing: 0,
            begun: 0,
            replayed: 0,
            data: VecDeque::new(),
            answers: VecDeque::new(),
            unanswered: VecDeque::new(),
        }
    }

    /// It gets nothing more.
    pub(super) fn disconnect(&mut self) {
        self.connected = false;
        self.in_step = false;
        self.unanswered.clear();
    }

    /// It is primary from now on: what is still under way to it from the former one is void.
    pub(super) fn is_primary(&mut self) {
        self.disconnect();
        self.epoch += 1;
    }

    /// It is the backup from now on, and has the journal up to a place on its disk and in its
    /// database.
    pub(super) fn has(&mut self, until: Bytes, record: Bytes) {
        self.disconnect();
        self.begun = until / record;
        self.replayed = self.begun;
        (self.sent, self.acknowledged, self.arrived) = (until, until, until);
        // What it had begun to write while it was the backup before ends some time.
        self.stored = until.saturating_sub(self.storing);
    }

    /// Whether nothing is under way to it, or read for it.
    pub(super) fn has_settled(&self) -> bool {
        self.data.is_empty() && self.answers.is_empty() && self.reading == 0
    }

    /// Nobody waits for it any more. What is under way to it still is, and what follows it gets
    /// from the primary's files, once it has answered.
    pub(super) fn falls_behind(&mut self) {
        self.in_step = false;
        self.from_files = true;
    }

    /// It says how far it is, and gets what has not come, from the primary's files.
    pub(super) fn connect(&mut self, says: Acknowledged) {
        self.connected = true;
        self.from_files = true;
        self.begin_again();
        self.acknowledged = match says {
            Acknowledged::Received => self.arrived,
            Acknowledged::Written => self.stored,
        };
    }

    /// Whether it has acknowledged all that was sent to it.
    pub(super) fn has_answered_all(&self) -> bool {
        self.unanswered.is_empty() && self.acknowledged >= self.sent
    }

    /// What is under way does not count: all that has not come is to be sent.
    pub(super) fn begin_again(&mut self) {
        self.epoch += 1;
        self.dropped = false;
        self.sent = self.arrived;
        self.unanswered.clear();
    }

    /// The link drops what is under way.
    pub(super) fn drop_messages(&mut self) {
        self.data.clear();
        self.answers.clear();
        self.dropped = true;
    }

    /// Whether the block of the next record need not be read.
    pub(super) fn is_cached(&mut self, read_permille: u32) -> bool {
        !self.cache.chance(read_permille)
    }

    /// Bytes of the journal that have come and are not replayed; records are counted whole.
    pub(super) fn backlog(&self, record: Bytes) -> Bytes {
        let left = self.arrived.saturating_sub(self.replayed * record);
        if left < record { 0 } else { left }
    }

    /// Whether it has replayed all that has come.
    pub(super) fn has_replayed(&self, record: Bytes) -> bool {
        self.backlog(record) == 0
    }
}
