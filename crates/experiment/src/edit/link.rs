//! A link that can do more or less.

use std::fmt;
use std::num::NonZeroU64;

use blockyard_model::spec::{GroupSpec, LinkSpec};
use blockyard_model::workload::spec::JobSpec;
use blockyard_scenario::Resolved;
use serde::{Deserialize, Serialize};

use super::{in_range, times};

/// What of a link is to be more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfLink {
    /// Bits a second of each physical link.
    Bandwidth,
    /// Bytes that may be sent and not acknowledged.
    SocketBuffer,
    /// Packets at both water marks.
    FlowControl,
    /// What the processors of both ends do in a second.
    Processor,
    /// What the networks of both hosts carry, and so the links that they bound.
    Network,
}

/// A link, and what is multiplied of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaledLink {
    /// Its name.
    pub link: String,
    /// What of it.
    pub what: OfLink,
    /// More than 0, at most 100.
    pub factor: f64,
}

impl ScaledLink {
    pub(super) fn apply(&self, resolved: &mut Resolved) -> Result<(), String> {
        in_range(self.factor)?;
        if let OfLink::Network = self.what {
            return self.widen_hosts(resolved);
        }
        let mut links = resolved.storage.links.iter_mut();
        let found = links.find(|link| link.name == self.link);
        let link = found.ok_or_else(|| self.unknown())?;
        self.multiply(link).ok_or_else(|| self.has_none())?;
        renew_groups(resolved);
        Ok(())
    }

    /// Raises the networks of the link's hosts, and with them all links that are as wide as a
    /// network at one of their ends.
    fn widen_hosts(&self, resolved: &mut Resolved) -> Result<(), String> {
        let storage = &mut resolved.storage;
        let found = storage.links.iter().find(|link| link.name == self.link);
        let ends = found.ok_or_else(|| self.unknown())?.ends;
        let networks: Vec<_> = storage.hosts.iter().map(|host| host.network).collect();
        for end in ends {
            let network = storage.hosts[end].network.as_mut();
            let network = network.ok_or_else(|| self.has_none())?;
            *network = times(*network, self.factor);
        }
        let narrowest = |link: &LinkSpec, of: &dyn Fn(usize) -> Option<u64>| {
            let networks = link.ends.iter().filter_map(|&end| of(end));
            networks.min()
        };
        for link in &mut storage.links {
            let was = narrowest(link, &|end| networks[end]);
            if was == Some(link.bandwidth)
                && let Some(now) = narrowest(link, &|end| storage.hosts[end].network)
            {
                link.bandwidth = now;
            }
        }
        renew_groups(resolved);
        Ok(())
    }

    fn unknown(&self) -> String {
        format!("no link is called `{}`", self.link)
    }

    fn has_none(&self) -> String {
        format!("{} has no such bound", self.link)
    }

    /// None if the link has no such thing.
    fn multiply(&self, link: &mut LinkSpec) -> Option<()> {
        match self.what {
            OfLink::Bandwidth => link.bandwidth = times(link.bandwidth, self.factor),
            OfLink::SocketBuffer => {
                let buffer = link.socket_buffer.as_mut()?;
                *buffer = times(*buffer, self.factor);
            }
            OfLink::FlowControl => {
                let flow = link.flow_control.as_mut()?;
                flow.high = times(flow.high, self.factor);
                flow.low = (flow.low as f64 * self.factor) as u64;
            }
            OfLink::Network => return None,
            OfLink::Processor => {
                let cost = &mut link.processor;
                for cost in [&mut cost.per_packet, &mut cost.per_kib] {
                    *cost = NonZeroU64::new(*cost)
                        .map_or(0, |cost| times(cost.get(), 1.0 / self.factor));
                }
            }
        }
        Some(())
    }
}

/// Gives groups of engines, which have copies of the links between their nodes, what these are now.
fn renew_groups(resolved: &mut Resolved) {
    let groups = resolved.jobs.iter_mut().filter_map(JobSpec::group_mut);
    for (number, link) in groups.flat_map(GroupSpec::links_mut) {
        link.clone_from(&resolved.storage.links[number]);
    }
}

impl fmt::Display for ScaledLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            OfLink::Bandwidth => "bandwidth",
            OfLink::SocketBuffer => "socket buffer",
            OfLink::FlowControl => "flow control",
            OfLink::Processor => "processor",
            OfLink::Network => "hosts' network",
        };
        write!(f, "{} {what} x {}", self.link, self.factor)
    }
}
