//! The journal: a record an update, written when a buffer is full, when it has
//! waited long enough, or when a write-daemon cycle asks.

use super::JOURNAL_DAEMON;
use crate::request::Request;
use crate::units::{Bytes, MIB, Nanos};
use crate::workload::sequential::Sequential;
use crate::workload::spec::RanWriteSpec;

/// The journal daemon writes at most this much at once (4 KiB to 4 MiB,
/// InterSystems monitoring guide, `JrnWrts`).
pub(super) const LARGEST_WRITE: Bytes = 4 * MIB;

/// Journal bytes that were made and those that are being written.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    file: Sequential,
    record: Bytes,
    buffer: Bytes,
    interval: Nanos,
    pending: Bytes,
    last_write: Nanos,
    writing: bool,
}

impl Journal {
    pub(super) fn new(spec: &RanWriteSpec, job: u16) -> Self {
        Self {
            file: Sequential::new(spec.journal, job, JOURNAL_DAEMON),
            record: spec.journal_record,
            buffer: spec.journal_buffer,
            interval: spec.journal_interval,
            pending: 0,
            last_write: 0,
            writing: false,
        }
    }

    /// Adds the records of `updates`.
    pub(super) fn add(&mut self, updates: u64) {
        self.pending += updates * self.record;
    }

    /// Updates until the buffer is full.
    pub(super) fn room(&self) -> u64 {
        self.buffer
            .saturating_sub(self.pending)
            .div_ceil(self.record)
    }

    /// When what lies in the buffer has waited long enough.
    pub(super) fn deadline(&self) -> Nanos {
        self.last_write + self.interval
    }

    /// The write that is due at `now`: none while one is under way, while
    /// there is nothing, or, unless it is `wanted` now, before a buffer or the
    /// interval is full.
    pub(super) fn due(&mut self, now: Nanos, wanted: bool) -> Option<Request> {
        let buffers = self.pending - self.pending % self.buffer;
        let all = wanted || now >= self.deadline();
        let len = if all { self.pending } else { buffers }.min(LARGEST_WRITE);
        if self.writing || len == 0 {
            return None;
        }
        self.pending -= len;
        self.last_write = now;
        self.writing = true;
        Some(self.file.write(len))
    }

    /// The write that was under way completed.
    pub(super) fn written(&mut self) {
        self.writing = false;
    }

    /// Whether nothing lies in the buffer or is under way.
    pub(super) fn is_written(&self) -> bool {
        self.pending == 0 && !self.writing
    }

    /// Makes what was written durable.
    pub(super) fn flush(&self) -> Request {
        self.file.flush()
    }
}
