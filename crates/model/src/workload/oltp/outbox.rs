//! What an engine with standbys hands over: commits of its log, and threads that wait for these.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::spec::Shipped;
use crate::units::Bytes;
use crate::workload::io::Slot;

/// Filled by the engine, emptied by the group.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    log: Shipped,
    /// Whether commits wait for standbys.
    waits: bool,
    /// Where commits end in the log, and the kinds of their transactions: those not yet sent.
    commits: VecDeque<(Bytes, u16)>,
    /// Where those end that were sent before they were on disk, as a binary log may be.
    sent_early: VecDeque<Bytes>,
    waiting: Vec<Slot>,
}

impl Outbox {
    pub(crate) fn new(log: Shipped, waits: bool) -> Self {
        Self {
            log,
            waits,
            commits: VecDeque::new(),
            sent_early: VecDeque::new(),
            waiting: Vec::new(),
        }
    }

    /// The log whose commits it takes.
    pub(super) fn log(&self) -> Shipped {
        self.log
    }

    /// Whether it takes the commits of this log.
    pub(crate) fn takes(&self, log: Shipped) -> bool {
        self.log == log
    }

    /// Whether commits wait for standbys, from now on.
    pub(super) fn waits(&mut self, waits: bool) {
        self.waits = waits;
    }

    /// A transaction of `kind` has its commit in the log, which ends there.
    pub(crate) fn commits(&mut self, end: Bytes, kind: u16) {
        self.commits.push_back((end, kind));
    }

    /// A thread has its commit on its own disk; whether it waits for standbys now.
    pub(crate) fn has_to_wait(&mut self, thread: Slot) -> bool {
        if self.waits {
            self.waiting.push(thread);
        }
        self.waits
    }

    /// The next commit of the log up to `end`, to be sent; so much is on disk.
    pub(crate) fn next_commit(&mut self, end: Bytes, on_disk: Bytes) -> Option<(Bytes, u16)> {
        let next = *self.commits.front().filter(|commit| commit.0 <= end)?;
        self.commits.pop_front();
        while self
            .sent_early
            .front()
            .is_some_and(|early| *early <= on_disk)
        {
            self.sent_early.pop_front();
        }
        if next.0 > on_disk {
            self.sent_early.push_back(next.0);
        }
        Some(next)
    }

    /// How many commits were not sent.
    pub(crate) fn unsent(&self) -> usize {
        self.commits.len()
    }

    /// How many commits are beyond `end`, where the disk's log ends.
    pub(super) fn beyond(&self, end: Bytes) -> usize {
        let unsent = self.commits.iter().filter(|commit| commit.0 > end);
        unsent.count() + self.sent_beyond(end)
    }

    /// How many of these were sent.
    pub(super) fn sent_beyond(&self, end: Bytes) -> usize {
        let early = self.sent_early.iter();
        early.filter(|&&early| early > end).count()
    }

    /// Its engine is started again: only what the log has up to `end` is committed.
    pub(super) fn start_again(&mut self, end: Bytes) {
        self.waiting.clear();
        self.sent_early.clear();
        self.commits.retain(|commit| commit.0 <= end);
    }

    /// Who has begun to wait since the last call, in the order of the log.
    pub(crate) fn take_waiting(&mut self) -> Vec<Slot> {
        core::mem::take(&mut self.waiting)
    }
}
