//! What a file system writes to its journal for fsyncs.

use alloc::vec::Vec;

use crate::request::{Op, Request};
use crate::units::{Bytes, Nanos};
use crate::workload::io::Slot;
use crate::workload::spec::FileSystem;

/// The commits of a file system: one at a time, each a few writes in turn. Whoever asks while
/// one is being written waits for the next, which serves all of them.
#[derive(Clone, Debug)]
pub(super) struct Commits {
    file_system: FileSystem,
    /// Its first write, for the job that the file system is of.
    request: Request,
    /// Where in the journal the next write goes.
    next: Bytes,
    /// How many writes of the running commit are done; none if none is running.
    done: Option<usize>,
    /// Slots whose fsyncs the running commit serves, with when each began. The first one's
    /// writes.
    served: Vec<(Slot, Nanos)>,
    /// The same of those who wait for the next commit.
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
            done: None,
            served: Vec::new(),
            waiting: Vec::new(),
        }
    }

    pub(super) fn largest_write(&self) -> Bytes {
        self.file_system.largest_write()
    }

    /// The slot on which a write of the journal is in flight.
    pub(super) fn writer(&self) -> Option<Slot> {
        self.done.and(self.served.first()).map(|served| served.0)
    }

    /// An fsync that began at `since` waits on `slot` for a commit.
    pub(super) fn ask(&mut self, slot: Slot, since: Nanos) {
        self.waiting.push((slot, since));
    }

    /// The write in flight completed. If it was the commit's last, gives those whom it served.
    pub(super) fn written(&mut self) -> Vec<(Slot, Nanos)> {
        self.done = self.done.map(|done| done + 1);
        if self.done < Some(self.file_system.commit.len()) {
            return Vec::new();
        }
        self.done = None;
        core::mem::take(&mut self.served)
    }

    /// The write in flight failed, and the commit with it: gives those whom it was to serve.
    pub(super) fn failed(&mut self) -> Vec<(Slot, Nanos)> {
        self.done = None;
        core::mem::take(&mut self.served)
    }

    /// The write that is to be issued now, and on which slot, if none is in flight: of the
    /// running commit, or the first of one for all that wait.
    pub(super) fn next_write(&mut self) -> Option<(Slot, Request)> {
        let done = match self.done {
            Some(done) => done,
            None => {
                core::mem::swap(&mut self.served, &mut self.waiting);
                self.done = self.served.first().map(|_| 0);
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
