//! A host's handling of packets.

use crate::units::{Bytes, Nanos};

/// Handles packets one after another.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Processor {
    free: Nanos,
    /// For how long it was or will be busy, since the start.
    busy: Nanos,
    /// Bytes on the wire that its host has sent and received since they were last taken.
    moved: Bytes,
}

impl Processor {
    /// Takes work that comes at `now`; gives when it is done.
    #[inline]
    pub(crate) fn take(&mut self, now: Nanos, work: Nanos) -> Nanos {
        self.free = self.free.max(now) + work;
        self.busy += work;
        self.free
    }

    /// A message of so many bytes on the wire leaves the host or has come to it.
    #[inline]
    pub(crate) fn moves(&mut self, bytes: Bytes) {
        self.moved += bytes;
    }

    /// What was moved since the last call.
    pub(crate) fn take_moved(&mut self) -> Bytes {
        core::mem::take(&mut self.moved)
    }

    /// For how long it was busy until `now`.
    pub(crate) fn busy(&self, now: Nanos) -> Nanos {
        // Work waits for nothing but work before it, so what lies ahead is one run.
        self.busy - self.free.saturating_sub(now)
    }
}
