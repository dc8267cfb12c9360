//! The hosts' handling of packets.

use alloc::vec::Vec;

use super::interface::{Interface, interfaces};
use crate::spec::{HostSpec, LinkSpec};
use crate::units::{Bytes, Nanos};

/// What handles the packets of each host, and its network interface: one for all its links,
/// whoever sends over them.
#[derive(Clone, Debug, Default)]
pub struct Processors {
    all: Vec<Processor>,
    /// By host, where links together could carry more than its network; empty if nowhere.
    interfaces: Vec<Option<Interface>>,
}

impl Processors {
    /// Those of hosts that reach each other by these links.
    pub fn new(hosts: &[HostSpec], links: &[LinkSpec]) -> Self {
        Self {
            all: Vec::new(),
            interfaces: interfaces(hosts, links),
        }
    }

    /// That of a host.
    #[inline]
    pub(super) fn of(&mut self, host: usize) -> &mut Processor {
        if host >= self.all.len() {
            self.all.resize(host + 1, Processor::default());
        }
        &mut self.all[host]
    }

    /// The interface of a host, if it bounds more than each link does by itself.
    #[inline]
    pub(super) fn interface(&mut self, host: usize) -> Option<&mut Interface> {
        self.interfaces.get_mut(host)?.as_mut()
    }

    /// For how long that of a host was busy until `now`.
    pub(crate) fn busy(&self, host: usize, now: Nanos) -> Nanos {
        self.all.get(host).map_or(0, |it| it.busy(now))
    }

    /// For how long a host's interface was busy until `now` with what leaves it, and with what it
    /// receives; none if it bounds no more than each link does by itself.
    pub(crate) fn interface_busy(&self, host: usize, now: Nanos) -> Option<[Nanos; 2]> {
        let interface = self.interfaces.get(host)?.as_ref();
        interface.map(|it| it.busy(now))
    }

    /// How many bytes each host has moved since the last call, of those that have moved any.
    pub(crate) fn take_moved(&mut self) -> impl Iterator<Item = (usize, Bytes)> + '_ {
        let hosts = self.all.iter_mut().enumerate();
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
