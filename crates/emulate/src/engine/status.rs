//! The state of volumes and mirrors, for `steer status`.

use blockyard_model::spec::Unit;
use blockyard_model::storage::LimitInfo;
use blockyard_model::units::MIB;
use blockyard_record::limit_names::{LimitKind, Owner, OwnerNames, device_of};
use blockyard_record::{MIRROR_STATES, VolumeRow, mirror_words};
use schemars::JsonSchema;
use serde::Serialize;

use super::Model;

/// A volume, as of the last interval.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct VolumeStatus {
    /// Its name.
    name: String,
    /// The scenario's device that it belongs to.
    device: String,
    /// IOs a second in that interval.
    iops: f64,
    /// MiB a second in it.
    mib_per_s: f64,
    /// The credits that are left, in percent; none where it has none.
    balance_pct: Option<f64>,
    /// It holds everything.
    paused: bool,
    /// It fails everything.
    failed: bool,
    /// Its own limits and those of its host.
    limits: Vec<LimitStatus>,
    /// The name of the limit that throttled IOs longest, if any did.
    throttled_by: Option<String>,
}

/// A mirror.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MirrorStatus {
    /// `in sync`, `degraded` or `resyncing`.
    #[schemars(extend("enum" = MIRROR_STATES))]
    state: &'static str,
    /// What has been acknowledged and is not on the second leg.
    at_risk_bytes: u64,
}

impl MirrorStatus {
    pub(super) fn new(of: &blockyard_model::replication::mirror::MirrorStatus) -> Self {
        Self {
            state: mirror_words(of.state),
            at_risk_bytes: of.at_risk,
        }
    }
}

/// A limit, with the rate that it has now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct LimitStatus {
    /// By which it can be changed: `OWNER.LIMIT`.
    name: String,
    /// The volume or the host whose it is.
    owner: String,
    /// The device that its owner belongs to; none for a host's.
    device: Option<String>,
    /// The host whose it is; none for a volume's.
    host: Option<String>,
    /// What it counts, of which requests, and whether it is of credits.
    #[serde(flatten)]
    kind: LimitKind,
    /// IOs or MiB a second.
    rate: f64,
    /// `IOPS` or `MiB/s`.
    #[schemars(extend("enum" = ["IOPS", "MiB/s"]))]
    unit: &'static str,
}

impl Model {
    /// The status of a volume, as of its row in the last interval, which took so many seconds;
    /// `owners` are the group's names.
    pub(crate) fn volume(
        &self,
        volume: usize,
        owners: OwnerNames<'_>,
        last: Option<(&VolumeRow, f64)>,
    ) -> VolumeStatus {
        let limits = self.limits_over(volume);
        let nothing = vec![0.0; limits.len()];
        let per_s = |count: u64, length_s: f64| count as f64 / length_s;
        let throttled = last.map_or(&nothing, |(row, _)| &row.throttled_us);
        let by_limit = throttled.iter().zip(&limits);
        let most = by_limit.max_by(|a, b| a.0.total_cmp(b.0));
        let throttled_by = most.filter(|most| *most.0 > 0.0);
        VolumeStatus {
            name: owners.volumes[volume].clone(),
            device: device_of(&owners.volumes[volume]).to_owned(),
            iops: last.map_or(0.0, |(row, length_s)| per_s(row.ios, length_s)),
            mib_per_s: last.map_or(0.0, |(row, length_s)| mib(per_s(row.bytes, length_s))),
            balance_pct: last.and_then(|(row, _)| row.balance_pct),
            paused: self.state_of(volume).paused || self.state_of(volume).held,
            failed: self.state_of(volume).failed,
            limits: limits.iter().map(|info| limit(info, owners)).collect(),
            throttled_by: throttled_by.map(|(_, info)| owners.full_name(info)),
        }
    }
}

fn limit(info: &LimitInfo, owners: OwnerNames<'_>) -> LimitStatus {
    let (unit, rate) = match info.unit {
        Unit::Io => ("IOPS", info.rate as f64),
        Unit::Byte => ("MiB/s", mib(info.rate as f64)),
    };
    let (device, host) = match owners.of(info) {
        Owner::Host(name) => (None, Some(name.to_owned())),
        Owner::Volume(name) => (Some(device_of(name).to_owned()), None),
    };
    LimitStatus {
        name: owners.full_name(info),
        owner: owners.owner(info).to_owned(),
        device,
        host,
        kind: LimitKind::of(info),
        rate,
        unit,
    }
}

fn mib(bytes: f64) -> f64 {
    bytes / MIB as f64
}
