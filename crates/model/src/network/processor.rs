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

    /// Packets of a host are handled so fast from now on, in 1/1000 and above 0.
    pub(crate) fn run_at(&mut self, host: usize, speed: u32) {
        self.of(host).speed = speed;
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

/// The speed of a host that nothing slows down.
const FULL: u32 = 1000;

/// Handles packets one after another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Processor {
    free: Nanos,
    /// For how long it was or will be busy, since the start.
    busy: Nanos,
    /// Bytes on the wire that its host has sent and received since they were last taken.
    moved: Bytes,
    /// How fast it is, in 1/1000.
    speed: u32,
}

impl Default for Processor {
    fn default() -> Self {
        Self {
            free: 0,
            busy: 0,
            moved: 0,
            speed: FULL,
        }
    }
}

/// What a processor makes of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handled {
    /// When it is done.
    pub(super) at: Nanos,
    /// For how long it waited before.
    pub(super) waited: Nanos,
}

/// What takes this long at full speed, at another.
#[cold]
fn at_speed(work: Nanos, speed: u32) -> Nanos {
    work.saturating_mul(Nanos::from(FULL)) / Nanos::from(speed.max(1))
}

impl Processor {
    /// Takes work that comes at `now` and takes this long at full speed.
    #[inline]
    pub(super) fn take(&mut self, now: Nanos, work: Nanos) -> Handled {
        let work = match self.speed {
            FULL => work,
            speed => at_speed(work, speed),
        };
        let begins = self.free.max(now);
        self.free = begins + work;
        self.busy += work;
        Handled {
            at: self.free,
            waited: begins - now,
        }
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
