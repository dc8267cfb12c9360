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
    /// The mirror.
    pub mirror: MirrorLayout,
}

/// The legs of a mirror, and how it uses them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorLayout {
    /// The two copies by name, of equal size: volumes, stripes or linear devices. Jobs run on
    /// the host of the first.
    pub legs: IndexMap<String, Device>,
    /// The link, one of `links`, between the hosts of the legs, where these are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// When a write is acknowledged.
    #[serde(default = "both_disks")]
    pub acknowledge: Acknowledge,
    /// Memory in which the host of the other leg receives requests, each until its disk is done
    /// with it. While it is in use that host reads nothing more, and once the link's
    /// `socket_buffer` is full too, writers wait. By default 8MiB, as DRBD's `max-buffers` of
    /// 2,048 pages of 4 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_buffers: Option<Size>,
    /// Which leg serves a read.
    #[serde(default = "local")]
    pub read: ReadPolicy,
    /// In what steps the mirror keeps account of where the legs differ, a power of two from
    /// 4KiB.
    #[serde(default = "region")]
    pub region: Size,
    /// The dirty-region log; by default there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<DirtyRegionLog>,
    /// How a leg that has returned is brought up to date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resync: Option<Resync>,
}

/// When a write to a mirror is acknowledged, by DRBD's letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Acknowledge {
    /// When it is on the local disk and in the link's `socket_buffer`.
    A,
    /// When it is on the local disk and in the other host's memory.
    B,
    /// When it is on both disks.
    C,
}

/// Which leg serves a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadPolicy {
    /// The first.
    Local,
    /// Each in turn.
    RoundRobin,
}

/// A log of the regions that are being written to. It is written before the data of a region
/// that it does not name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirtyRegionLog {
    /// The legs that it lies on; by default both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
    /// Bytes of a write to it.
    #[serde(default = "block")]
    pub block: Size,
    /// Most regions in it; the one not written to for longest gives way. DRBD's `al-extents` is
    /// 1237.
    #[serde(default = "active")]
    pub active: NonZeroU32,
    /// A region that was not written to for so long leaves it; by default none does for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clean_after: Option<Duration>,
}

/// How the regions that a leg has missed are copied to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resync {
    /// Most that is copied in a second; by default as much as volumes and link let through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Throughput>,
    /// Bytes of one copy, a power of two and at most `region`.
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
