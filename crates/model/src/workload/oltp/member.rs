//! What a group sees of an engine that is in it, and tells its threads.

use alloc::vec::Vec;
use core::ops::Range;

use super::log::Log;
use super::spec::OltpSpec;
use super::threads::Phase;
use super::{Oltp, outbox::Outbox};
use crate::units::{Bytes, Nanos};
use crate::workload::io::Slot;

impl Oltp {
    pub(crate) fn spec(&self) -> &OltpSpec {
        &self.spec
    }

    /// The number of its job.
    pub(crate) fn job(&self) -> u16 {
        self.job
    }

    /// Of which kind the transaction of a thread is.
    pub(crate) fn kind_of(&self, thread: Slot) -> u16 {
        self.threads[thread as usize].kind
    }

    /// Threads whose write sets the group is to agree on, since the last call.
    pub(crate) fn take_unsent(&mut self) -> Vec<Slot> {
        self.unsent
            .as_mut()
            .map(core::mem::take)
            .unwrap_or_default()
    }

    /// A thread's write set is sent.
    pub(crate) fn is_sent(&mut self, now: Nanos, thread: Slot) {
        self.thread(thread).enter(now, Phase::Certifying);
    }

    /// A thread's write set is not sent before flow control lets it.
    pub(crate) fn is_held(&mut self, now: Nanos, thread: Slot) {
        self.thread(thread).enter(now, Phase::Stopped);
    }

    /// What it was committing as it stopped: where in the log, and of what kinds.
    pub(crate) fn given_up(&self) -> &[(Bytes, u16)] {
        &self.given_up
    }

    /// The slots of its threads, whose IOs are reads.
    pub(crate) fn thread_slots(&self) -> Range<Slot> {
        let first = self.first_thread();
        first..first + self.threads.len() as Slot
    }

    /// Commits in its log that were acknowledged to no client: where they end, and of what kinds.
    pub(crate) fn untold(&self) -> Vec<(Bytes, u16)> {
        match self.is_stopped() {
            true => self.given_up.clone(),
            false => self.uncommitted(),
        }
    }

    /// How many commits of its log were not sent.
    pub(crate) fn unsent_commits(&self) -> usize {
        self.outbox.as_ref().map_or(0, Outbox::unsent)
    }

    /// Whether its log is shipped.
    pub(crate) fn ships_log(&self) -> bool {
        self.outbox.is_some()
    }

    /// Whether commits wait for standbys, from now on.
    pub(crate) fn commits_wait(&mut self, waits: bool) {
        if let Some(outbox) = &mut self.outbox {
            outbox.waits(waits);
        }
    }

    /// Threads that have begun to wait for standbys since the last call, in the order of the log,
    /// and where there their commits end.
    pub(crate) fn take_waiting(&mut self) -> Vec<(Slot, Bytes)> {
        let waiting = self.outbox.as_mut().map(Outbox::take_waiting);
        let waiting = waiting.into_iter().flatten();
        waiting
            .map(|thread| (thread, self.threads[thread as usize].commit))
            .collect()
    }

    /// The next commit of the log that is shipped, up to `end`.
    pub(crate) fn next_commit(&mut self, end: Bytes) -> Option<(Bytes, u16)> {
        let on_disk = self.on_disk(self.outbox.as_ref()?.log());
        self.outbox.as_mut()?.next_commit(end, on_disk)
    }

    #[cfg(test)]
    pub(crate) fn is_idle(&self) -> bool {
        self.threads.iter().all(|it| it.phase == Phase::Idle)
    }

    #[cfg(test)]
    pub(crate) fn end_of_log(&self) -> Bytes {
        self.log.end()
    }

    #[cfg(test)]
    pub(crate) fn end_of(&self, log: crate::spec::Shipped) -> Bytes {
        match log {
            crate::spec::Shipped::Wal => self.end_of_log(),
            crate::spec::Shipped::Binlog => self.end_of_binlog(),
        }
    }

    /// Where its binary log ends.
    pub(crate) fn end_of_binlog(&self) -> Bytes {
        self.binlog.as_ref().map_or(0, Log::end)
    }
}
