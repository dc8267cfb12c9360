//! Devices: volumes and what LVM or RAID makes of them.

use std::num::NonZeroU32;

use blockyard_catalog::LatencyProfile;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Mirror, NameOr, full};
use crate::units::{Percent, Size, Throughput};

/// A volume, or a layout of further devices. Its keys say which.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Device {
    /// Has the key `stripe`.
    Stripe(Stripe),
    /// Has the key `linear`.
    Linear(Linear),
    /// Has the key `mirror`.
    Mirror(Mirror),
    /// Has the key `type`.
    Volume(Volume),
}

/// Equal devices, striped (LVM stripe, RAID 0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stripe {
    /// How addresses alternate between a stripe's parts.
    pub stripe: StripeLayout,
    /// The device, taken `width` times.
    pub of: Box<Device>,
    /// Its host: of a device, by default the first; of a job, that of its devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// How addresses alternate between a stripe's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StripeLayout {
    /// Bytes on one part before the next, a power of two from 4KiB (`lvcreate --stripesize`).
    pub chunk: Size,
    /// Number of parts (`lvcreate --stripes`).
    pub width: NonZeroU32,
}

/// Devices one after another (LVM linear).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    /// The devices in order, at least one.
    pub linear: Vec<Device>,
    /// Its host: of a device, by default the first; of a job, that of its devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// One volume, as the provider sells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Volume {
    /// The volume type, such as `gp3`; `blockyard catalog volumes` lists them.
    #[serde(rename = "type")]
    pub volume_type: String,
    /// Its size. An instance store may omit it; the instance sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Provisioned IOPS; default: what the type includes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<u64>,
    /// Provisioned throughput; default: what the type includes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Throughput>,
    /// Initial fill of the burst credits of gp2, st1 and sc1.
    #[serde(default = "full")]
    pub burst_balance: Percent,
    /// Initial fill of the one-second bucket of each limit: 100% on a rested volume.
    #[serde(default = "full")]
    pub tokens: Percent,
    /// A latency profile in place of the type's: a name in the catalog, a file such as
    /// `./mine.yaml`, or the profile itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<NameOr<Box<LatencyProfile>>>,
    /// Queueing at the volume's limits; default: the type's, `per_direction` for EBS (inferred),
    /// `fifo` for instance store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<Discipline>,
    /// Its host: of a device, by default the first; of a job, that of its devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// Queueing of throttled IOs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Discipline {
    /// First in, first out.
    Fifo,
    /// Per-direction fair queueing: reads and writes in turn, counted in IOs.
    PerDirection,
    /// Per-submitter fair queueing: processes in turn, counted in IOs. The write daemons count as
    /// one process; so do the journal daemon and, when clients are served, each device.
    PerSubmitter,
}

/// serde's view of [`Device`]: each variant under the key that identifies it.
#[derive(Deserialize)]
#[serde(remote = "Device", rename = "key")]
enum DeviceByKey {
    #[serde(rename = "stripe")]
    Stripe(Stripe),
    #[serde(rename = "linear")]
    Linear(Linear),
    #[serde(rename = "mirror")]
    Mirror(Mirror),
    #[serde(rename = "type")]
    Volume(Volume),
}

impl<'de> Deserialize<'de> for Device {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DeviceByKey::deserialize(deserializer)
    }
}
