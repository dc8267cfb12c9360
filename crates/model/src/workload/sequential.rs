//! A file that is written from front to back, over and over.

use crate::request::{Op, Request};
use crate::spec::Region;
use crate::units::Bytes;

/// Direct IO writes whole blocks of this size.
pub(super) const UNIT: Bytes = 4096;

/// The journal or the WIJ.
#[derive(Clone, Debug)]
pub(super) struct Sequential {
    file: Region,
    job: u16,
    submitter: u32,
    next: Bytes,
}

impl Sequential {
    /// `file` of `job`, which `submitter` writes.
    pub(super) fn new(file: Region, job: u16, submitter: u32) -> Self {
        Self {
            file,
            job,
            submitter,
            next: 0,
        }
    }

    /// Writes `len` bytes, rounded up to whole blocks, after the last ones, or
    /// at the front where they would not fit. The file is at least as large.
    pub(super) fn write(&mut self, len: Bytes) -> Request {
        let len = padded(len);
        if self.next + len > self.file.size {
            self.next = 0;
        }
        let offset = self.file.offset + self.next;
        self.next += len;
        Request {
            device: self.file.device,
            op: Op::Write,
            offset,
            len,
            requester: self.job.into(),
            submitter: self.submitter,
        }
    }

    /// Goes back to the front.
    pub(super) fn rewind(&mut self) {
        self.next = 0;
    }

    /// Makes what was written durable.
    pub(super) fn flush(&self) -> Request {
        Request {
            device: self.file.device,
            op: Op::Flush,
            offset: 0,
            len: 0,
            requester: self.job.into(),
            submitter: self.submitter,
        }
    }
}

/// The size of a write of `len` bytes.
pub(super) fn padded(len: Bytes) -> Bytes {
    len.next_multiple_of(UNIT)
}

/// The largest write to `file` of a log that writes up to `most` bytes at once.
pub(super) fn largest(most: Bytes, file: Region) -> Bytes {
    most.min(file.size / UNIT * UNIT)
}
