//! What the mirror of a job's journal is built from.

use alloc::vec::Vec;

use super::region::Region;
use crate::units::Nanos;

/// A mirror that ships a job's journal to other hosts, each of which replays it on a database of
/// its own (IRIS: a mirror with its failover members and asynchronous ones).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalMirrorSpec {
    /// The backup: the primary waits for it while it is active.
    pub backup: MemberSpec,
    /// Members that nobody waits for.
    pub asynchronous: Vec<MemberSpec>,
    /// What the backup acknowledges.
    pub acknowledge: Acknowledged,
    /// How long the primary waits for an answer, at least 2.
    pub qos_timeout: Nanos,
    /// The links from the primary and from the backup to the arbiter, by index; none without
    /// arbiter.
    pub arbiter: Option<[usize; 2]>,
    /// How members replay the journal.
    pub dejournal: DejournalSpec,
}

impl JournalMirrorSpec {
    /// All members but the primary, the backup first.
    pub fn members(&self) -> impl Iterator<Item = &MemberSpec> {
        core::iter::once(&self.backup).chain(&self.asynchronous)
    }
}

/// A host that gets the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberSpec {
    /// Its host, by index.
    pub host: usize,
    /// The link to it, by index, and at which end of that the primary is.
    pub link: (usize, usize),
    /// Its copy of the database.
    pub data: Region,
    /// Its write image journal.
    pub wij: Region,
    /// Its copy of the journal.
    pub journal: Region,
}

/// What an acknowledgement of the backup says of journal data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acknowledged {
    /// It has come: it is in the backup's memory.
    #[default]
    Received,
    /// It is on the disk of the backup's journal.
    Written,
}

/// How a member replays the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DejournalSpec {
    /// Jobs that replay in parallel, at least 1.
    pub jobs: u32,
    /// Of how many records the block is not in the member's cache and is read, in 1/1000.
    pub read_permille: u32,
}
