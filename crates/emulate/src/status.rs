//! What a service says of itself while it serves, as `steer status` shows it.

use blockyard_record::result::{Event, LatencyUs};
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::{Account, MirrorStatus, VolumeStatus};
use crate::fault::FaultStatus;

/// The state of a service.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Status {
    /// How long it has served, in seconds.
    pub(crate) uptime_s: f64,
    /// By device.
    pub(crate) devices: Vec<DeviceStatus>,
    /// By volume.
    pub(crate) volumes: Vec<VolumeStatus>,
    /// The links between hosts.
    pub(crate) links: Vec<LinkStatus>,
    /// How much later than the model's time replies went out; none before the
    /// first.
    pub(crate) lateness_us: Option<LatencyUs>,
    /// The faults that go on.
    pub(crate) faults: Vec<FaultStatus>,
    /// The latest of what was changed or injected.
    pub(crate) events: Vec<Event>,
    /// How its devices are served, in a few words.
    pub(crate) serving: &'static str,
    /// What went wrong with the backing or the program itself.
    pub(crate) warnings: Vec<String>,
}

/// A device that is served.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct DeviceStatus {
    /// What it has served so far.
    #[serde(flatten)]
    pub(crate) account: Account,
    /// How it is; none if it is no mirror.
    pub(crate) mirror: Option<MirrorStatus>,
    /// The scenario's device or volume.
    pub(crate) name: String,
    /// Its size.
    pub(crate) size_bytes: u64,
    /// Where clients find it: a URI or a path.
    pub(crate) at: String,
}

/// A link between hosts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LinkStatus {
    /// Its name.
    pub(crate) name: String,
    /// Whether anything goes over it.
    pub(crate) up: bool,
}
