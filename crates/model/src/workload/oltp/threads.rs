//! A thread of the engine and the transaction that it does.

use super::spec::TransactionSpec;
use crate::units::{Bytes, Nanos};
use crate::workload::facts::{TransactionWait, Waits};

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It has nothing to do.
    Idle,
    /// It pauses before the next transaction.
    Thinking,
    /// It waits until old changes are on disk, so that the log may go on.
    LogSpace,
    /// It waits for a core.
    Queued,
    /// It has a core.
    Working,
    /// It waits until a page can be replaced.
    Room,
    /// It reads a page.
    Reading,
    /// It waits for the redo log.
    Log,
    /// It waits for the binary log.
    Binlog,
    /// It waits for other nodes or standbys, or for its turn to commit among what they sent.
    Certifying,
    /// It may not send its write set, as another node is behind.
    Stopped,
}

/// A thread of the engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    pub(super) phase: Phase,
    pub(super) kind: u16,
    /// When its transaction came due.
    pub(super) due: Nanos,
    /// Accesses that are done, and of the running part how many it has.
    pub(super) done: u32,
    pub(super) part: u32,
    /// When the phase began, and how long the transaction spent in phases before.
    since: Nanos,
    pub(super) waits: Waits,
    /// Where in the log that is shipped its commit ends, once it has come so far.
    pub(super) commit: Bytes,
}

impl Thread {
    pub(super) const IDLE: Self = Self {
        phase: Phase::Idle,
        kind: 0,
        due: 0,
        done: 0,
        part: 0,
        since: 0,
        waits: Waits::NONE,
        commit: 0,
    };

    /// Takes a transaction of `kind` that was due at `due`.
    pub(super) fn begin(&mut self, now: Nanos, due: Nanos, kind: u16) {
        *self = Self {
            kind,
            due,
            since: now,
            ..Self::IDLE
        };
        self.waits.add(TransactionWait::Thread, now - due);
    }

    /// Goes on to `phase`; the time of the last one counts for what that waited for.
    pub(super) fn enter(&mut self, now: Nanos, phase: Phase) {
        let spent = now - core::mem::replace(&mut self.since, now);
        let waited_for = match core::mem::replace(&mut self.phase, phase) {
            Phase::Idle | Phase::Thinking => return,
            Phase::LogSpace => TransactionWait::LogSpace,
            Phase::Queued => TransactionWait::Core,
            Phase::Working => TransactionWait::Work,
            Phase::Room => TransactionWait::Room,
            Phase::Reading => TransactionWait::Read,
            Phase::Log | Phase::Binlog => TransactionWait::Commit,
            Phase::Certifying => TransactionWait::Replication,
            Phase::Stopped => TransactionWait::FlowControl,
        };
        self.waits.add(waited_for, spent);
    }

    /// It gets the core that it has waited for, so long of it because the processors stood still.
    pub(super) fn has_core(&mut self, now: Nanos, stood: Nanos) {
        self.enter(now, Phase::Working);
        let (core, pause) = (TransactionWait::Core, TransactionWait::Pause);
        self.waits.pass(core, pause, stood);
    }

    /// Since when its transaction waits for other nodes, if it does, and of which kind that is.
    pub(super) fn apart_since(&self) -> Option<(Nanos, u16)> {
        let waits = matches!(self.phase, Phase::Certifying | Phase::Stopped);
        waits.then_some((self.since, self.kind))
    }

    /// Processor time of the part that comes next, which has `part` accesses of `kind`.
    pub(super) fn work(&self, kind: &TransactionSpec) -> Nanos {
        let until = |accesses: u32| {
            let whole = u128::from(kind.processor) * u128::from(accesses);
            (whole / u128::from(kind.accesses.max(1))) as Nanos
        };
        until(self.done + self.part) - until(self.done)
    }
}
