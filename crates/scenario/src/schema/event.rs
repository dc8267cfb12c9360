//! Events: what happens to the storage and the jobs while they run.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::Device;
use crate::units::{Duration, Loss, Percent, Size, Throughput};

/// Something that happens during a run. One key, a verb, says what; its value says to what.
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
    /// Has the key `reconnect`.
    Reconnect(Reconnect),
    /// Has the key `add`.
    Add(Add),
}

/// Volumes fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fail {
    /// Time from the start of the run.
    pub at: Duration,
    /// A volume, such as `data.0`; a device or mirror leg, with all its volumes; a host or zone,
    /// with its hosts' volumes and all links that end there. A cluster's disks fail only with their
    /// zone.
    pub fail: String,
    /// How long; default: until `return`, or the end of the run.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Duration>,
}

/// Failed volumes work again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Return {
    /// Time from the start of the run.
    pub at: Duration,
    /// The volume, device, leg, host or zone.
    #[serde(rename = "return")]
    pub on: String,
}

/// A link goes down, or one way of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// Time from the start of the run.
    pub at: Duration,
    /// The link.
    pub cut: String,
    /// The host of the link's two whose packets do not arrive; default: both. Connections need both
    /// ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How long; default: until `restore`, or the end of the run.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Duration>,
}

/// A link that was cut works again, or one way of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restore {
    /// Time from the start of the run.
    pub at: Duration,
    /// The link.
    pub restore: String,
    /// The host whose packets arrive again; default: of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// Volumes answer nothing, or a host stands still.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// Time from the start of the run.
    pub at: Duration,
    /// The volume, device or host. A host's processors, volumes and links do nothing meanwhile, as
    /// when its hypervisor stops it; none of a shared disk.
    pub pause: String,
    /// How long; default: until `resume`, or the end of the run.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Duration>,
}

/// Paused volumes answer again, or a host goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// Time from the start of the run.
    pub at: Duration,
    /// The volume, device or host.
    pub resume: String,
}

/// Volumes deliver only part of their rates, a link is slow or loses packets, or the processors of
/// a host are slow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Degrade {
    /// Time from the start of the run.
    pub at: Duration,
    /// The volume, device, link, or host. A host's processors are those of its `oltp` engines, and
    /// what handles the packets of mirrors and clusters (`cpu` of links).
    pub degrade: String,
    /// Remaining share of each rate, of a link's bandwidth or of processors' speed, 1% to 89%;
    /// default: drawn by the seed, of a link all. A host's must be stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Percent>,
    /// What a link's round-trip time becomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<Duration>,
    /// Share of a link's packets lost and sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// The host of a link's two whose packets alone are concerned; default: both. The round trip
    /// becomes longer by that way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How long; default: 1 to 10 minutes, drawn by the seed; of a link or host until the end of
    /// the run.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Duration>,
}

/// An elastic modification. Omitted values stay, but another type brings its included IOPS and
/// throughput.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Modify {
    /// Time from the start of the run.
    pub at: Duration,
    /// The volume, or the device: each of its volumes.
    pub modify: String,
    /// Another volume type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub volume_type: Option<String>,
    /// A larger size per volume. Files stay where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Provisioned IOPS per volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<u64>,
    /// Provisioned throughput per volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Throughput>,
    /// Duration of the optimising state; default: 6 hours per TiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimising: Option<Duration>,
}

/// A device gets more volumes behind its own, as with `lvextend`. Only files that reach beyond the
/// old size use them, and their jobs must have no load before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grow {
    /// Time from the start of the run.
    pub at: Duration,
    /// The device.
    pub grow: String,
    /// A volume or, for striping, a stripe.
    pub by: Device,
}

/// A planned switch of a cluster to another node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Time from the start of the run.
    pub at: Duration,
    /// The cluster.
    pub switch: String,
    /// The node that becomes active.
    pub to: String,
}

/// A mirror's legs connect after a split brain; the one that does not serve loses what only it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reconnect {
    /// Time from the start of the run.
    pub at: Duration,
    /// The mirror.
    pub reconnect: String,
}

/// A closed-loop job gets more processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// Time from the start of the run; a multiple of the interval.
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
            Self::Reconnect(it) => it.at,
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
    Reconnect(Reconnect),
    Add(Add),
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        EventByKey::deserialize(deserializer)
    }
}
