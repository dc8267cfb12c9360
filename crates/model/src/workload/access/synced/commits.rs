//! What a file system writes to its journal for fsyncs.

use alloc::vec::Vec;

use crate::request::{Op, Request};
use crate::units::{Bytes, Nanos};
use crate::workload::io::Slot;
use crate::workload::spec::FileSystem;

/// A set of changes of metadata that a commit makes durable; numbered in their order from 1.
pub(super) type Transaction = u64;

/// What an fsync that asks for a transaction finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// It is durable.
    Durable,
    /// A commit is being written, that of the transaction or the one before.
    Waits,
    /// No commit is being written: that of the transaction begins.
    Begins,
}

/// The commits of a file system: one at a time, each a few writes in turn. A write to a file
/// changes metadata in the running transaction. That becomes a commit, and the next transaction
/// runs, once an fsync asks for it and no commit is being written.
#[derive(Clone, Debug)]
pub(super) struct Commits {
    file_system: FileSystem,
    /// Its first write, for the job that the file system is of.
    request: Request,
    /// Where in the journal the next write goes.
    next: Bytes,
    /// The transaction that changes join.
    running: Transaction,
    /// The last one that is durable, and all before it.
    durable: Transaction,
    /// How many writes of the commit of the transaction before `running` are done; none if none is
    /// being written.
    done: Option<usize>,
    /// Slots whose fsyncs wait for the commit that is being written, with when each began. The
    /// first one's writes.
    served: Vec<(Slot, Nanos)>,
    /// The same of those who wait for the commit of the running transaction.
    waiting: Vec<(Slot, Nanos)>,
}

impl Commits {
    pub(super) fn new(file_system: &FileSystem, job: u16) -> Self {
        Self {
            request: Request {
                device: file_system.journal.device,
                op: Op::Journal,
                offset: 0,
                len: 0,
                requester: job.into(),
                // No process's number: the kernel's thread writes.
                submitter: u32::MAX,
            },
            file_system: file_system.clone(),
            next: 0,
            running: 1,
            durable: 0,
            done: None,
            served: Vec::new(),
            waiting: Vec::new(),
        }
    }

    pub(super) fn largest_write(&self) -> Bytes {
        self.file_system.largest_write()
    }

    /// The transaction that a write which is issued now changes metadata in.
    pub(super) fn running(&self) -> Transaction {
        self.running
    }

    /// The slot on which a write of the journal is in flight.
    pub(super) fn writer(&self) -> Option<Slot> {
        self.done.and(self.served.first()).map(|served| served.0)
    }

    /// An fsync that began at `since` asks on `slot` for a transaction to be durable.
    pub(super) fn ask(&mut self, slot: Slot, since: Nanos, of: Transaction) -> Asked {
        if of <= self.durable {
            return Asked::Durable;
        }
        let is_writing = self.done.is_some();
        // What a commit that failed held is in the running transaction.
        if is_writing && of + 1 == self.running {
            self.served.push((slot, since));
        } else {
            self.waiting.push((slot, since));
        }
        match is_writing {
            true => Asked::Waits,
            false => Asked::Begins,
        }
    }

    /// The write in flight completed. If it was the commit's last, gives those whom it served.
    pub(super) fn written(&mut self) -> Vec<(Slot, Nanos)> {
        self.done = self.done.map(|done| done + 1);
        if self.done < Some(self.file_system.commit.len()) {
            return Vec::new();
        }
        self.done = None;
        self.durable = self.running - 1;
        core::mem::take(&mut self.served)
    }

    /// The write in flight failed, and the commit with it: gives those whom it was to serve.
    pub(super) fn failed(&mut self) -> Vec<(Slot, Nanos)> {
        self.done = None;
        core::mem::take(&mut self.served)
    }

    /// The write that is to be issued now, and on which slot, if none is in flight: of the commit
    /// that is being written, or the first of one for all that wait.
    pub(super) fn next_write(&mut self) -> Option<(Slot, Request)> {
        let done = match self.done {
            Some(done) => done,
            None => {
                core::mem::swap(&mut self.served, &mut self.waiting);
                self.done = self.served.first().map(|_| 0);
                self.running += u64::from(self.done.is_some());
                self.done?
            }
        };
        let (journal, len) = (self.file_system.journal, self.file_system.commit[done]);
        if self.next + len > journal.size {
            self.next = 0;
        }
        let offset = journal.offset + self.next;
        self.next += len;
        let request = Request {
            offset,
            len,
            ..self.request
        };
        Some((self.served.first()?.0, request))
    }
}
