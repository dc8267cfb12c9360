//! The journal: a record an update, written when a buffer is full, when it has
//! waited long enough, or when a write-daemon cycle asks.

use super::slots::JOURNAL_DAEMON;
use crate::request::Request;
use crate::units::{Bytes, Nanos, SECOND};
use crate::workload::sequential::Sequential;
use crate::workload::spec::RanWriteSpec;

/// The longest that a journal write may take before updates are frozen ("Journal Freeze on Error
/// Setting is Yes" of the Data Integrity Guide).
const OVERDUE: Nanos = 30 * SECOND;

/// Journal bytes that were made and those that are being written.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    file: Sequential,
    record: Bytes,
    buffer: Bytes,
    interval: Nanos,
    /// Largest write.
    most: Bytes,
    /// Bytes of all records, and how far they are written.
    end: Bytes,
    written: Bytes,
    /// How far they will be with the write under way.
    writing: Option<Bytes>,
    /// How far a cycle wants them written.
    wanted: Bytes,
    last_write: Nanos,
}

impl Journal {
    pub(super) fn new(spec: &RanWriteSpec, job: u16) -> Self {
        Self {
            file: Sequential::new(spec.journal, job, JOURNAL_DAEMON),
            record: spec.journal_record,
            buffer: spec.journal_buffer,
            interval: spec.journal_interval,
            most: spec.largest_journal_write(),
            end: 0,
            written: 0,
            writing: None,
            wanted: 0,
            last_write: 0,
        }
    }

    /// Adds the records of `updates`.
    pub(super) fn add(&mut self, updates: u64) {
        self.end += updates * self.record;
    }

    /// Bytes that no write has taken.
    fn pending(&self) -> Bytes {
        self.end - self.writing.unwrap_or(self.written)
    }

    /// Updates until the buffer is full.
    pub(super) fn room(&self) -> u64 {
        self.buffer
            .saturating_sub(self.pending())
            .div_ceil(self.record)
    }

    /// When what lies in the buffer has waited long enough.
    pub(super) fn deadline(&self) -> Nanos {
        self.last_write + self.interval
    }

    /// From when on the write under way is no longer waited for; none if none is under way.
    pub(super) fn overdue(&self) -> Option<Nanos> {
        self.writing.map(|_| self.last_write + OVERDUE)
    }

    /// All records that there are now are to be written, without waiting for a full buffer.
    pub(super) fn want(&mut self) {
        self.wanted = self.end;
    }

    /// The write that is due at `now`: none while one is under way, while
    /// there is nothing, or, unless a cycle wants it, before a buffer or the
    /// interval is full.
    pub(super) fn due(&mut self, now: Nanos) -> Option<Request> {
        let pending = self.pending();
        let buffers = pending - pending % self.buffer;
        let all = self.wanted > self.written || now >= self.deadline();
        let len = if all { pending } else { buffers }.min(self.most);
        if self.writing.is_some() || len == 0 {
            return None;
        }
        self.last_write = now;
        self.writing = Some(self.written + len);
        Some(self.file.write(len))
    }

    /// The write that was under way completed.
    pub(super) fn written(&mut self) {
        self.written = self.writing.take().unwrap_or(self.written);
    }

    /// Whether all is written that a cycle wanted. What came later does not count: it may never
    /// end.
    pub(super) fn is_written(&self) -> bool {
        self.written >= self.wanted
    }

    /// Makes what was written durable.
    pub(super) fn flush(&self) -> Request {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::spec::Region;
    use crate::units::{KIB, MILLISECOND};

    fn spec() -> RanWriteSpec {
        let file = |device| Region {
            device,
            offset: 0,
            size: 256 * KIB,
        };
        RanWriteSpec {
            name: "writers".into(),
            data: file(0),
            wij: file(1),
            journal: file(2),
            block: 8 * KIB,
            steps: vec![(0, 1)],
            updates_per_process: 100,
            cycle: 1000 * MILLISECOND,
            dirty_limit: 100,
            list_time_per_block: 0,
            wij_write: 256 * KIB,
            wij_outstanding: 1,
            daemons: 1,
            outstanding: 1,
            outstanding_per_daemon: 1,
            coalesce_blocks: 1,
            journal_record: 64 * KIB,
            journal_buffer: 64 * KIB,
            journal_interval: 2000 * MILLISECOND,
            mirror: None,
        }
    }

    /// Six records at the begin, of which a write takes four, and one more during each write.
    #[test]
    fn what_comes_while_it_is_written_is_not_waited_for() {
        let mut journal = Journal::new(&spec(), 0);
        journal.add(6);
        journal.want();
        for is_written in [false, true] {
            assert!(journal.due(0).is_some());
            journal.add(1);
            journal.written();
            assert_eq!(journal.is_written(), is_written);
        }
    }
}
