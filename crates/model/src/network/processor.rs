//! The hosts' handling of packets.

use alloc::vec::Vec;

use crate::units::{Bytes, Nanos};

/// What handles the packets of each host: one for all its links, whoever sends over them.
#[derive(Clone, Debug, Default)]
pub struct Processors(Vec<Processor>);

impl Processors {
    /// That of a host.
    #[inline]
    pub(super) fn of(&mut self, host: usize) -> &mut Processor {
        if host >= self.0.len() {
            self.0.resize(host + 1, Processor::default());
        }
        &mut self.0[host]
    }

    /// For how long that of a host was busy until `now`.
    pub(crate) fn busy(&self, host: usize, now: Nanos) -> Nanos {
        self.0.get(host).map_or(0, |it| it.busy(now))
    }

    /// How many bytes each host has moved since the last call, of those that have moved any.
    pub(crate) fn take_moved(&mut self) -> impl Iterator<Item = (usize, Bytes)> + '_ {
        let hosts = self.0.iter_mut().enumerate();
        let moved = hosts.map(|(host, it)| (host, core::mem::take(&mut it.moved)));
        moved.filter(|(_, moved)| *moved > 0)
    }
}

/// Handles packets one after another.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Processor {
    free: Nanos,
    /// For how long it was or will be busy, since the start.
    busy: Nanos,
    /// Bytes on the wire that its host has sent and received since they were last taken.
    moved: Bytes,
}

impl Processor {
    /// Takes work that comes at `now`; gives when it is done.
    #[inline]
    pub(super) fn take(&mut self, now: Nanos, work: Nanos) -> Nanos {
        self.free = self.free.max(now) + work;
        self.busy += work;
        self.free
    }

    /// A message of this number of bytes on the wire leaves the host or has reached it.
    #[inline]
    pub(super) fn moves(&mut self, bytes: Bytes) {
        self.moved += bytes;
    }

    /// For how long it was busy until `now`.
    fn busy(&self, now: Nanos) -> Nanos {
        // Work waits for nothing but work before it, so what lies ahead is one run.
        self.busy - self.free.saturating_sub(now)
    }
}
