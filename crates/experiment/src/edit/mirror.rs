//! A mirror that works in another way.

use std::fmt;

use blockyard_model::spec::Layout;
use blockyard_model::spec::{Acknowledge, MirrorSpec, ReadPolicy};
use blockyard_scenario::Resolved;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mirror that works in another way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OtherMirror {
    /// The device.
    pub device: String,
    /// Which leg serves a read; as it is without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Reads>,
    /// When a write is acknowledged; as it is without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledge: Option<Protocol>,
}

/// Which leg serves a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reads {
    /// The first.
    Local,
    /// Each in turn.
    RoundRobin,
}

/// When a write is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Protocol {
    /// When it is on the local disk and was sent.
    A,
    /// When it is on the local disk and in the peer's memory.
    B,
    /// When it is on both disks.
    C,
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
        if let Some(protocol) = self.acknowledge {
            *acknowledge = match protocol {
                Protocol::A => Acknowledge::A,
                Protocol::B => Acknowledge::B,
                Protocol::C => Acknowledge::C,
            };
        }
        Ok(())
    }
}

impl fmt::Display for OtherMirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.device)?;
        match self.acknowledge {
            Some(Protocol::A) => write!(f, " acknowledge: A")?,
            Some(Protocol::B) => write!(f, " acknowledge: B")?,
            Some(Protocol::C) => write!(f, " acknowledge: C")?,
            None => {}
        }
        match self.read {
            Some(Reads::Local) => write!(f, " read: local"),
            Some(Reads::RoundRobin) => write!(f, " read: round_robin"),
            None => Ok(()),
        }
    }
}
