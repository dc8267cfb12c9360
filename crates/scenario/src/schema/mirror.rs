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
    /// A log of regions being written to; default: none. Without it everything is copied once a
    /// host that served is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<DirtyRegionLog>,
    /// How regions that a leg has missed are copied to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resync: Option<Resync>,
    /// Time from the loss of the host that serves, or of contact with it, until the other leg's
    /// serves; default: it never does. What was acknowledged and is not there is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failover: Option<Duration>,
    /// What the host that serves does before it goes on without the other leg (DRBD's `fencing`).
    /// Without it both hosts serve after a cut if there is a `failover`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fencing: Fencing,
    /// How long `resource_and_stonith` takes; default 5s, assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fencing_time: Option<Duration>,
    /// What is done when legs meet of which each has writes that the other lacks (DRBD's `after-sb`
    /// policies).
    #[serde(default, skip_serializing_if = "is_default")]
    pub after_split_brain: AfterSplitBrain,
}

/// What the host that serves does before it goes on without the other leg.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fencing {
    /// Nothing.
    #[default]
    DontCare,
    /// It outdates the other leg, which then does not serve, over a path of its own.
    ResourceOnly,
    /// The same, with all IO frozen until it is done; as InfoScale's I/O fencing by coordination
    /// points.
    ResourceAndStonith,
}

/// What is done when legs meet of which each has writes that the other lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AfterSplitBrain {
    /// They stay apart until an event, `reconnect`.
    #[default]
    Disconnect,
    /// The leg whose host does not serve loses what only it has.
    DiscardSecondary,
}

fn is_default<T: Default + PartialEq>(it: &T) -> bool {
    *it == T::default()
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
    /// What it names, a power of two and at least `region`; default: a region. DRBD's are 4MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extent: Option<Size>,
    /// Maximum extents in it (DRBD's `al-extents`).
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
    /// Whether everything is copied, as by VxVM without a DCO, not the regions that were missed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub full: bool,
}

impl Default for Resync {
    fn default() -> Self {
        Self {
            rate: None,
            request: request(),
            depth: depth(),
            full: false,
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
