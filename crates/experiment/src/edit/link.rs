//! A link that can do more or less.

use std::fmt;
use std::num::NonZeroU64;

use blockyard_model::spec::LinkSpec;
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
        let mut links = resolved.storage.links.iter_mut();
        let found = links.find(|link| link.name == self.link);
        let link = found.ok_or_else(|| format!("no link is called `{}`", self.link))?;
        self.multiply(link)
            .ok_or_else(|| format!("{} has no such bound", self.link))
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

impl fmt::Display for ScaledLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            OfLink::Bandwidth => "bandwidth",
            OfLink::SocketBuffer => "socket buffer",
            OfLink::FlowControl => "flow control",
            OfLink::Processor => "processor",
        };
        write!(f, "{} {what} x {}", self.link, self.factor)
    }
}
