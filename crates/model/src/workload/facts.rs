//! What jobs tell of themselves beside their IO.

use crate::units::{Bytes, Nanos};

/// What a job tells of itself beside its IO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A process has done its share of the job's amount.
    Through(Nanos),
    /// A write-daemon cycle ended.
    Cycle(Cycle),
    /// A transaction was committed.
    Transaction(Transaction),
    /// Transactions were given up at a time: rolled back, or under way as their engine stopped.
    Failed(Nanos, u64),
    /// Transactions were refused at a time: their group had no quorum.
    Refused(Nanos, u64),
    /// An engine stopped.
    Stopped(EngineStop),
    /// A node left its group, or came back; or the group lost its quorum, or has it again.
    Membership(MembershipChange),
    /// A second of an engine with a buffer pool ended.
    Engine(EngineCounts),
    /// A second of the group ended that it is in.
    Group(GroupCounts),
    /// A second of another node of its group ended.
    Node(NodeCounts),
}

/// One write-daemon cycle: when its phases ended, and what it wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// It took the dirty blocks.
    pub start: Nanos,
    /// The list was formed and the updaters let go.
    pub listed: Nanos,
    /// The WIJ was written and durable.
    pub wij_done: Nanos,
    /// The journal was durable.
    pub journal_done: Nanos,
    /// The database was written and durable.
    pub database_done: Nanos,
    /// The WIJ was cleared.
    pub end: Nanos,
    /// Dirty blocks taken.
    pub blocks: u64,
    /// Bytes written to the WIJ.
    pub wij_bytes: Bytes,
    /// Writes to the database, adjacent blocks together.
    pub database_ios: u64,
    /// Bytes written to the database.
    pub database_bytes: Bytes,
}

/// What an engine's IO is for: by it transactions wait, or do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineIo {
    /// Writes of the redo log and the binary log.
    Log,
    /// Writes of changed pages, and of the doublewrite area before.
    PageWrite,
    /// Reads of pages that are not in the pool.
    PageRead,
    /// Reads and writes of a copy of all data, from one node to another.
    Copy,
}

impl EngineIo {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Log, Self::PageWrite, Self::PageRead, Self::Copy];
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

/// The end of an engine, after which it does nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineStop {
    /// When.
    pub at: Nanos,
    /// Which node of its group: 0 is the one that transactions are asked of.
    pub node: u16,
    /// What the IO was for that failed; none if its host was lost.
    pub failed: Option<EngineIo>,
}

/// A change of who is in a group, seen from its writer: the node that transactions are asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MembershipChange {
    /// When.
    pub at: Nanos,
    /// What.
    pub what: MembershipEvent,
}

/// What changed. Nodes are numbered from that of the job, 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembershipEvent {
    /// Nothing more is heard of a member, so that nothing is certified.
    Silent(u16),
    /// It is heard again, before it was given up.
    Heard(u16),
    /// It was given up: the group goes on without it, if that has a quorum.
    Left(u16),
    /// It is back, and gets these bytes of write sets that it has missed.
    Back(u16, Bytes),
    /// It has applied what it had missed.
    Synced(u16),
    /// It has missed more than is kept, or is a primary of before with more than the one of now
    /// has, and needs a copy of all data.
    Outdated(u16),
    /// It has transactions that the new primary has not, and stays away.
    Errant(u16),
    /// The disk of its log is full, as so many bytes are kept for standbys that are behind.
    Full(u16, Bytes),
    /// It gets a copy of all data from another, of so many bytes.
    Copies(u16, u16, Bytes),
    /// It has the copy, with so many write sets that it lacked; what took the longest.
    Copied(u16, u64, CopyStage),
    /// Too few members are left: transactions are refused.
    NoQuorum,
    /// Enough are back.
    Quorum,
    /// It would take over, and is not let, as it lacks so many bytes of the log.
    NotPromoted(u16, Bytes),
    /// A node is sent what clients ask, and refuses until it has applied all that it has.
    TakesOver(u16),
    /// It serves, without so many transactions that clients had been told were committed. Or the
    /// one that was lost does, started again.
    Serves(u16, u64),
    /// Commits wait for this standby, of which nothing is heard, and not for the one before.
    Awaited(u16),
    /// They wait for none that is not heard.
    NobodyAwaited,
    /// Commits do not wait for replicas any more, as these took too long.
    Asynchronous,
    /// They do again, as enough replicas have caught up, or the source has stopped.
    SemiSynchronous,
}

/// What happens to each part of a copy of all data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyStage {
    /// The donor reads it.
    Read,
    /// It goes over the link.
    Send,
    /// It is written.
    Write,
}

impl CopyStage {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Send, Self::Write];
}

/// What the time of a transaction is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionWait {
    /// Waiting for a free thread.
    Thread,
    /// Waiting for a processor core.
    Core,
    /// The same while the processors stand still, as their host is paused.
    Pause,
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
    /// Waiting until no other node is too far behind.
    FlowControl,
}

impl TransactionWait {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Thread,
        Self::Core,
        Self::Pause,
        Self::Work,
        Self::Room,
        Self::Read,
        Self::LogSpace,
        Self::Commit,
        Self::Replication,
        Self::FlowControl,
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

    /// So much of what was spent on one thing was spent on another.
    pub(super) fn pass(&mut self, from: TransactionWait, to: TransactionWait, time: Nanos) {
        self.0[from as usize] -= time;
        self.0[to as usize] += time;
    }

    /// Adds all of another.
    pub fn add_all(&mut self, other: &Self) {
        self.0
            .iter_mut()
            .zip(other.0)
            .for_each(|(sum, it)| *sum += it);
    }

    /// What it has more than `before`, which it began with.
    pub fn since(&self, before: &Self) -> Self {
        let mut all = *self;
        all.0
            .iter_mut()
            .zip(before.0)
            .for_each(|(sum, it)| *sum -= it);
        all
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
    /// Transactions that other nodes hold up.
    pub held: HeldUp,
}

/// Transactions that have waited for other nodes for a second or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldUp {
    /// How many.
    pub count: u64,
    /// Since when the one does that has waited longest, and of which kind it is, by number.
    pub first: (Nanos, u16),
}

impl EngineCounts {
    /// What two engines did one after the other, the second of which is as `then` has it.
    pub(crate) fn and(self, then: Self) -> Self {
        self.each(then, u64::wrapping_add)
    }

    /// Without what `before` has.
    pub(crate) fn less(self, before: Self) -> Self {
        self.each(before, u64::wrapping_sub)
    }

    fn each(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            accesses: of(self.accesses, other.accesses),
            reads: of(self.reads, other.reads),
            flushed: of(self.flushed, other.flushed),
            doublewritten: of(self.doublewritten, other.doublewritten),
            logged: of(self.logged, other.logged),
            binlogged: of(self.binlogged, other.binlogged),
            checkpoints: of(self.checkpoints, other.checkpoints),
            ..other
        }
    }
}

/// What a group of nodes did since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// Until when.
    pub at: Nanos,
    /// Write sets sent, and their bytes, to each of the other nodes; where the log is shipped,
    /// transactions whose commits went, and bytes of log.
    pub write_sets: u64,
    /// Bytes of these.
    pub bytes: Bytes,
    /// Write sets that all nodes have.
    pub certified: u64,
    /// Times that flow control stopped it, and for how long it did.
    pub pauses: u64,
    /// How long.
    pub paused: Nanos,
    /// For how long commits waited for members that were not heard.
    pub silent: Nanos,
    /// For how long it had no quorum.
    pub without_quorum: Nanos,
    /// For how long semi-synchronous replication was asynchronous.
    pub asynchronous: Nanos,
    /// Commits that went on meanwhile, which no replica had to have.
    pub unacknowledged: u64,
}

/// How far a standby is behind what the primary has on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LagCounts {
    /// Bytes of log that it does not have on disk.
    pub unflushed: Bytes,
    /// Most since it was told last.
    pub most_unflushed: Bytes,
    /// Transactions that it has not replayed.
    pub unreplayed: u64,
    /// Most since it was told last.
    pub most_unreplayed: u64,
}

/// What a node that applies the write sets of another did since the start of the run, and how it
/// is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// Which, from 1; 0 is the node of the job, once another has taken over.
    pub node: u16,
    /// What its engine did, and until when.
    pub engine: EngineCounts,
    /// Write sets that came, that appliers have taken, and that are applied and committed.
    pub received: u64,
    /// Taken.
    pub taken: u64,
    /// Applied.
    pub applied: u64,
    /// Most write sets in the receive queue since it was told last.
    pub longest: u64,
    /// For how long it has stopped the group.
    pub stopped: Nanos,
    /// How far it is behind, if it is a standby.
    pub lag: Option<LagCounts>,
    /// What the time of its appliers was spent on, and in [`TransactionWait::Thread`] how long
    /// write sets were in the queue.
    pub waits: Waits,
}
