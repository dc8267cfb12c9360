//! What would be if a link or a mirror were another.

use std::num::NonZeroU64;

use blockyard_model::link::LinkSpec;
use blockyard_model::mirror::{Acknowledge, MirrorSpec, ReadPolicy};
use blockyard_model::spec::Layout;
use blockyard_scenario::Resolved;
use serde::Deserialize;

use super::{in_range, times};

/// What of a link is to be more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RaisedLink {
    /// Its name.
    pub link: String,
    /// What of it.
    pub what: OfLink,
    /// More than 0, at most 100.
    pub factor: f64,
}

/// A mirror that works in another way.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherMirror {
    /// The device.
    pub device: String,
    /// Which leg serves a read; as it is without.
    pub read: Option<Reads>,
    /// When a write is acknowledged; as it is without.
    pub acknowledge: Option<Letter>,
}

/// Which leg serves a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reads {
    /// The first.
    Local,
    /// Each in turn.
    RoundRobin,
}

/// When a write is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Letter {
    /// When it is on the local disk and was sent.
    A,
    /// When it is on the local disk and in the peer's memory.
    B,
    /// When it is on both disks.
    C,
}

impl RaisedLink {
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

impl OtherMirror {
    pub(super) fn apply(&self, resolved: &mut Resolved) -> Result<(), String> {
        let devices = &mut resolved.storage.devices;
        let device = devices.iter_mut().find(|it| it.name == self.device);
        let Some(Layout::Mirror(mirror)) = device.map(|device| &mut device.layout) else {
            return Err(format!("no mirror is called `{}`", self.device));
        };
        let MirrorSpec {
            acknowledge, read, ..
        } = &mut **mirror;
        if let Some(other) = self.read {
            *read = match other {
                Reads::Local => ReadPolicy::Local,
                Reads::RoundRobin => ReadPolicy::RoundRobin,
            };
        }
        if let Some(letter) = self.acknowledge {
            *acknowledge = match letter {
                Letter::A => Acknowledge::A,
                Letter::B => Acknowledge::B,
                Letter::C => Acknowledge::C,
            };
        }
        Ok(())
    }
}
