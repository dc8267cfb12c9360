//! What jobs tell of themselves beside their IO.

pub use super::ranwrite::Cycle;
use crate::units::{Bytes, Nanos};

/// What a job tells of itself beside its IO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A write-daemon cycle ended.
    Cycle(Cycle),
    /// A transaction ended.
    Transaction(Transaction),
    /// A second of an engine with a buffer pool ended.
    Engine(EngineCounts),
}

/// A transaction, from when it was asked for to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Its kind, by number.
    pub kind: u16,
    /// It was asked for.
    pub due: Nanos,
    /// It was committed.
    pub end: Nanos,
    /// Where the time between went.
    pub waits: Waits,
}

/// What the time of a transaction is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionWait {
    /// Waiting for a free thread.
    Thread,
    /// Waiting for a processor core.
    Core,
    /// Processor time.
    Work,
    /// Waiting until a changed page is written, to be replaced in the pool.
    Room,
    /// Reading pages.
    Read,
    /// Waiting until old changes are on disk: the log is full.
    LogSpace,
    /// Writing the logs.
    Commit,
    /// Waiting for other nodes.
    Replication,
}

impl TransactionWait {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Thread,
        Self::Core,
        Self::Work,
        Self::Room,
        Self::Read,
        Self::LogSpace,
        Self::Commit,
        Self::Replication,
    ];
}

/// Times of a transaction, by what they were spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits([Nanos; TransactionWait::ALL.len()]);

impl Waits {
    /// No time.
    pub const NONE: Self = Self([0; TransactionWait::ALL.len()]);

    /// Adds time.
    #[inline]
    pub fn add(&mut self, wait: TransactionWait, time: Nanos) {
        self.0[wait as usize] += time;
    }

    /// The time of one of them.
    #[inline]
    pub fn of(&self, wait: TransactionWait) -> Nanos {
        self.0[wait as usize]
    }
}

/// What an engine with a buffer pool did since the start of the run, and how it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineCounts {
    /// Until when.
    pub at: Nanos,
    /// Pages that transactions accessed.
    pub accesses: u64,
    /// Pages that were read, as they were not in the pool.
    pub reads: u64,
    /// Pages that were written to their places.
    pub flushed: u64,
    /// Bytes written to the doublewrite area.
    pub doublewritten: Bytes,
    /// Bytes appended to the redo log.
    pub logged: Bytes,
    /// Bytes appended to the binary log.
    pub binlogged: Bytes,
    /// Checkpoints begun; 0 where there are none.
    pub checkpoints: u64,
    /// Pages in the pool that are changed and not on disk.
    pub dirty: u64,
    /// Bytes of log since the oldest change that is not on disk: the checkpoint age.
    pub age: Bytes,
    /// Open loop: transactions that have come due and have not begun.
    pub waiting: u64,
}
