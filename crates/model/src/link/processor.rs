//! A host's handling of packets.

use crate::units::Nanos;

/// Handles packets one after another.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Processor {
    free: Nanos,
    /// For how long it was or will be busy, since the start.
    busy: Nanos,
}

impl Processor {
    /// Takes work that comes at `now`; gives when it is done.
    #[inline]
    pub(crate) fn take(&mut self, now: Nanos, work: Nanos) -> Nanos {
        self.free = self.free.max(now) + work;
        self.busy += work;
        self.free
    }

    /// For how long it was busy until `now`.
    pub(crate) fn busy(&self, now: Nanos) -> Nanos {
        // Work waits for nothing but work before it, so what lies ahead is one run.
        self.busy - self.free.saturating_sub(now)
    }
}
