//! A host's network interface: what all its links together carry, in each direction.

use alloc::vec::Vec;

use crate::spec::{HostSpec, LinkSpec};
use crate::units::{Bytes, Nanos};

/// One direction of an interface: it moves messages one after another, whatever link they take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Port {
    /// Bits a second.
    bandwidth: u64,
    free: Nanos,
    /// For how long it was or will be busy, since the start.
    busy: Nanos,
    /// The link of the last message, and when the last of another link is through.
    last: (usize, Nanos),
}

/// When a message begins to pass a port, and when it is through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    pub(super) begins: Nanos,
    pub(super) ends: Nanos,
}

impl Port {
    pub(super) fn new(bandwidth: u64) -> Self {
        Self {
            bandwidth,
            free: 0,
            busy: 0,
            last: (0, 0),
        }
    }

    /// Takes a message of so many bytes of a link, of which the first may pass at `now`.
    pub(super) fn send(&mut self, now: Nanos, link: usize, bytes: Bytes) -> Passage {
        let takes = self.time(bytes);
        self.take(now, link, takes)
    }

    /// Takes a message of which the last byte comes at `now`: its first has come before.
    pub(super) fn receive(&mut self, now: Nanos, link: usize, bytes: Bytes) -> Passage {
        let takes = self.time(bytes);
        self.take(now.saturating_sub(takes), link, takes)
    }

    fn take(&mut self, now: Nanos, link: usize, takes: Nanos) -> Passage {
        if self.last.0 != link {
            self.last = (link, self.free);
        }
        let begins = self.free.max(now);
        self.free = begins + takes;
        self.busy += takes;
        Passage {
            begins,
            ends: self.free,
        }
    }

    fn time(&self, bytes: Bytes) -> Nanos {
        (bytes * 8_000_000_000).div_ceil(self.bandwidth)
    }

    /// A link is cut at `now`: what it was to send is given up, but for what it had put before
    /// messages of other links.
    pub(super) fn cut(&mut self, now: Nanos, link: usize) {
        if self.last.0 == link {
            let free = self.free.min(now.max(self.last.1));
            self.busy = self.busy.saturating_sub(self.free - free);
            self.free = free;
        }
    }

    /// For how long it was busy until `now`.
    fn busy(&self, now: Nanos) -> Nanos {
        // Exact where it has been busy since what lies ahead was taken.
        self.busy.saturating_sub(self.free.saturating_sub(now))
    }
}

/// The interface of a host: out of it and into it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interface {
    pub(super) out: Port,
    pub(super) into: Port,
}

impl Interface {
    pub(super) fn new(bandwidth: u64) -> Self {
        Self {
            out: Port::new(bandwidth),
            into: Port::new(bandwidth),
        }
    }

    pub(super) fn busy(&self, now: Nanos) -> [Nanos; 2] {
        [self.out.busy(now), self.into.busy(now)]
    }
}

/// The interfaces of hosts whose links together could carry more than their network; those of
/// others bound nothing, as each link is bound by itself.
pub(super) fn interfaces(hosts: &[HostSpec], links: &[LinkSpec]) -> Vec<Option<Interface>> {
    let of_host = |(host, spec): (usize, &HostSpec)| {
        let own = links.iter().filter(|link| link.ends.contains(&host));
        let all: u128 = own.map(LinkSpec::together).sum();
        let bandwidth = spec.network.filter(|&network| all > u128::from(network));
        bandwidth.map(Interface::new)
    };
    let all: Vec<_> = hosts.iter().enumerate().map(of_host).collect();
    match all.iter().any(Option::is_some) {
        true => all,
        false => Vec::new(),
    }
}
