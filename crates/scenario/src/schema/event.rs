//! Events: what happens to the storage and the jobs while they run.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::Device;
use crate::units::{Duration, Percent, Size, Throughput};

/// Something that happens in a run. One of its keys, a verb, says what; its value is what it
/// happens to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Event {
    /// Has the key `fail`.
    Fail(Fail),
    /// Has the key `return`.
    Return(Return),
    /// Has the key `cut`.
    Cut(Cut),
    /// Has the key `restore`.
    Restore(Restore),
    /// Has the key `pause`.
    Pause(Pause),
    /// Has the key `resume`.
    Resume(Resume),
    /// Has the key `degrade`.
    Degrade(Degrade),
    /// Has the key `modify`.
    Modify(Box<Modify>),
    /// Has the key `grow`.
    Grow(Grow),
    /// Has the key `switch`.
    Switch(Switch),
    /// Has the key `add`.
    Add(Add),
}

/// Volumes fail: what is in flight on them fails at once, and what comes later after a
/// millisecond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fail {
    /// When, from the start of the run.
    pub at: Duration,
    /// A volume, such as `data.0`; a device or a leg of a mirror: all of its volumes; or a host
    /// or a zone: the volumes of its hosts, and every link that ends there goes down. The disks of
    /// a cluster fail with their zone only; with the active node another one takes over.
    pub fail: String,
    /// How long; by default until a `return`, or to the end of the run.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Duration>,
}

/// Volumes that have failed work again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Return {
    /// When, from the start of the run.
    pub at: Duration,
    /// The volume, the device, the host or the zone.
    #[serde(rename = "return")]
    pub on: String,
}

/// A link between hosts goes down: what was sent over it waits, and is given up with the mirrors'
/// legs behind it once the link's `timeout` is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// When, from the start of the run.
    pub at: Duration,
    /// The link.
    pub cut: String,
    /// How long; by default until a `restore`, or to the end of the run.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Duration>,
}

/// A link that was cut works again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restore {
    /// When, from the start of the run.
    pub at: Duration,
    /// The link.
    pub restore: String,
}

/// Volumes answer nothing; what they are asked meanwhile waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// When, from the start of the run.
    pub at: Duration,
    /// The volume, or the device.
    pub pause: String,
    /// How long; by default until a `resume`, or to the end of the run.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Duration>,
}

/// Volumes that are paused answer again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// When, from the start of the run.
    pub at: Duration,
    /// The volume, or the device.
    pub resume: String,
}

/// Volumes deliver a part of their rates only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Degrade {
    /// When, from the start of the run.
    pub at: Duration,
    /// The volume, or the device.
    pub degrade: String,
    /// What is left of each rate, 1% to 89%; by default drawn by the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Percent>,
    /// How long; by default 1 to 10 minutes, drawn by the seed.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Duration>,
}

/// An elastic modification of volumes. While it is in the optimising state a volume has, of each
/// limit, the smaller of the old and the new; then it has the new ones. What is not stated stays,
/// but with another type IOPS and throughput are what that includes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Modify {
    /// When, from the start of the run.
    pub at: Duration,
    /// The volume, or the device: each of its volumes.
    pub modify: String,
    /// Another volume type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub volume_type: Option<String>,
    /// A larger size of each volume. Files stay where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Provisioned IOPS of each volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<u64>,
    /// Provisioned throughput of each volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Throughput>,
    /// How long the optimising state lasts; by default 6 hours for each TiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimising: Option<Duration>,
}

/// A device gets more volumes behind those that it has, as `lvextend` does it: nothing that is
/// written moves. Only files that reach beyond the old size use them, and their jobs must have no
/// load before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grow {
    /// When, from the start of the run.
    pub at: Duration,
    /// The device.
    pub grow: String,
    /// What it grows by: a volume or, to be striped over, a stripe.
    pub by: Device,
}

/// A cluster is switched to another node as planned: what runs on the active one stops first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// When, from the start of the run.
    pub at: Duration,
    /// The cluster.
    pub switch: String,
    /// The node that becomes active.
    pub to: String,
}

/// A job in a closed loop gets more processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// When, from the start of the run; a multiple of the interval.
    pub at: Duration,
    /// The job.
    pub add: String,
    /// How many.
    pub processes: NonZeroU32,
}

impl Event {
    /// When it happens.
    pub(crate) fn at(&self) -> Duration {
        match self {
            Self::Fail(it) => it.at,
            Self::Return(it) => it.at,
            Self::Cut(it) => it.at,
            Self::Restore(it) => it.at,
            Self::Pause(it) => it.at,
            Self::Resume(it) => it.at,
            Self::Degrade(it) => it.at,
            Self::Modify(it) => it.at,
            Self::Grow(it) => it.at,
            Self::Switch(it) => it.at,
            Self::Add(it) => it.at,
        }
    }
}

/// serde's view of [`Event`]: each variant under the key that identifies it.
#[derive(Deserialize)]
#[serde(remote = "Event", rename = "key", rename_all = "snake_case")]
enum EventByKey {
    Fail(Fail),
    Return(Return),
    Cut(Cut),
    Restore(Restore),
    Pause(Pause),
    Resume(Resume),
    Degrade(Degrade),
    Modify(Box<Modify>),
    Grow(Grow),
    Switch(Switch),
    Add(Add),
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        EventByKey::deserialize(deserializer)
    }
}
