//! A log with group commit: one write at a time, which has all that came during the last.

use alloc::vec::Vec;

use super::spec::LARGEST_LOG_WRITE;
use crate::request::Request;
use crate::spec::Region;
use crate::units::Bytes;
use crate::workload::io::Slot;
use crate::workload::sequential::{self, Sequential};

/// A redo log or a binary log.
#[derive(Clone, Debug)]
pub(super) struct Log {
    file: Sequential,
    /// Largest write.
    most: Bytes,
    /// Where it ends: the bytes that were appended to the first log of its group, since the start
    /// of the run.
    end: Bytes,
    /// What that is more than was appended here; modulo the largest there is.
    ahead: Bytes,
    /// How far it is written, and how far it will be with the write under way.
    written: Bytes,
    writing: Option<Bytes>,
    /// How far somebody wants it written.
    wanted: Bytes,
    /// Who waits until it is written so far, in that order.
    waiting: Vec<(Bytes, Slot)>,
}

impl Log {
    pub(super) fn new(region: Region, job: u16, submitter: u32) -> Self {
        Self {
            file: Sequential::new(region, job, submitter),
            most: sequential::largest(LARGEST_LOG_WRITE, region),
            end: 0,
            ahead: 0,
            written: 0,
            writing: None,
            wanted: 0,
            waiting: Vec::new(),
        }
    }

    /// What is not written is gone, and nobody waits for it.
    pub(super) fn start_again(&mut self) {
        (self.end, self.wanted, self.writing) = (self.written, self.written, None);
        self.waiting.clear();
    }

    /// It ends there, as the log of another does that it is to be a copy of, and all of it is
    /// written.
    pub(super) fn stands_at(&mut self, at: Bytes) {
        self.ahead = self.ahead.wrapping_add(at).wrapping_sub(self.written);
        self.written = at;
        self.start_again();
    }

    /// Nobody waits for it any more.
    pub(super) fn let_go(&mut self) {
        self.waiting.clear();
    }

    /// Bytes that were appended here.
    pub(super) fn appended(&self) -> Bytes {
        self.end.wrapping_sub(self.ahead)
    }

    /// Bytes that were appended and written here.
    pub(super) fn stored(&self) -> Bytes {
        self.written.wrapping_sub(self.ahead)
    }

    /// Where it ends.
    pub(super) fn end(&self) -> Bytes {
        self.end
    }

    /// How far it is written.
    pub(super) fn flushed(&self) -> Bytes {
        self.written
    }

    pub(super) fn append(&mut self, bytes: Bytes) {
        self.end += bytes;
    }

    /// All that was appended is to be written.
    pub(super) fn want(&mut self) {
        self.wanted = self.end;
    }

    /// `slot` waits until all that was appended is written.
    pub(super) fn wait(&mut self, slot: Slot) {
        self.want();
        self.waiting.push((self.end, slot));
    }

    /// The write that is to be issued now, if one is wanted and none is under way: of all that
    /// was appended meanwhile, too.
    pub(super) fn next_write(&mut self) -> Option<Request> {
        if self.writing.is_some() || self.wanted <= self.written {
            return None;
        }
        let len = (self.end - self.written).min(self.most);
        self.writing = Some(self.written + len);
        Some(self.file.write(len))
    }

    /// Whether a write is under way.
    pub(super) fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    /// The write under way is done: who waited for it goes on.
    pub(super) fn written(&mut self, go_on: &mut Vec<Slot>) {
        self.written = self.writing.take().unwrap_or(self.written);
        let done = self.waiting.partition_point(|&(at, _)| at <= self.written);
        go_on.extend(self.waiting.drain(..done).map(|(_, slot)| slot));
    }
}
