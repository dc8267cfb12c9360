//! Devices that keep two copies.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Device, count};
use crate::units::{Duration, Size, Throughput};

/// Two copies of a device, on one host or two (DRBD, InfoScale FSS, LVM raid1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    /// The legs of a mirror and how it uses them.
    pub mirror: MirrorLayout,
}

/// The legs of a mirror and how it uses them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorLayout {
    /// Two copies by name, of equal size: volumes, stripes or linear devices. Jobs run on the host
    /// of the first.
    pub legs: IndexMap<String, Device>,
    /// The link between the legs' hosts, if these differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// When a write is acknowledged.
    #[serde(default = "both_disks")]
    pub acknowledge: Acknowledge,
    /// Memory for requests on the other leg's host; default 8MiB, as DRBD's `max-buffers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_buffers: Option<Size>,
    /// The leg that serves a read.
    #[serde(default = "local")]
    pub read: ReadPolicy,
    /// Granularity of tracked differences, a power of two from 4KiB.
    #[serde(default = "region")]
    pub region: Size,
    /// A log of regions being written to; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<DirtyRegionLog>,
    /// How regions that a leg has missed are copied to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resync: Option<Resync>,
}

/// When a mirror acknowledges a write: DRBD's protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Acknowledge {
    /// Asynchronous: on the local disk and in the link's `socket_buffer`.
    A,
    /// Semi-synchronous: on the local disk and in the other host's memory.
    B,
    /// Synchronous: on both disks.
    C,
}

/// The leg that serves a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadPolicy {
    /// The first.
    Local,
    /// Each in turn.
    RoundRobin,
}

/// A log of regions being written to; default: none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirtyRegionLog {
    /// The legs that hold it; default: both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
    /// Bytes per write to it.
    #[serde(default = "block")]
    pub block: Size,
    /// Maximum regions in it (DRBD's `al-extents`).
    #[serde(default = "active")]
    pub active: NonZeroU32,
    /// Time without writes after which a region leaves it; default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clean_after: Option<Duration>,
}

/// How regions that a leg has missed are copied to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resync {
    /// Maximum copied per second; default: as much as volumes and link allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Throughput>,
    /// Bytes per copy, a power of two and at most `region`.
    #[serde(default = "request")]
    pub request: Size,
    /// Copies in flight.
    #[serde(default = "depth")]
    pub depth: NonZeroU32,
}

impl Default for Resync {
    fn default() -> Self {
        Self {
            rate: None,
            request: request(),
            depth: depth(),
        }
    }
}

fn both_disks() -> Acknowledge {
    Acknowledge::C
}

fn local() -> ReadPolicy {
    ReadPolicy::Local
}

fn region() -> Size {
    Size::new(4 << 20)
}

fn block() -> Size {
    Size::new(4 << 10)
}

fn request() -> Size {
    Size::new(128 << 10)
}

fn active() -> NonZeroU32 {
    count(1237)
}

fn depth() -> NonZeroU32 {
    count(16)
}
