//! The state of a desk for who looks while it serves.

use blockyard_model::spec::Unit;
use blockyard_model::storage::LimitInfo;
use blockyard_model::units::{MIB, Nanos};
use blockyard_record::latency_us;
use blockyard_record::limit_names::full_name;
use blockyard_record::result::{Event, LatencyUs};
use serde::Serialize;

use super::{Account, Desk};
use crate::fault::FaultStatus;

/// How many of the latest events the status has: all are in the result.
const LATEST: usize = 20;

/// A volume, as of the last interval.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct VolumeStatus {
    name: String,
    /// IOs a second in that interval.
    iops: f64,
    mib_per_s: f64,
    /// The credits that are left, in percent; none where it has none.
    balance_pct: Option<f64>,
    paused: bool,
    /// Its own limits and those of its host.
    limits: Vec<LimitStatus>,
    /// The name of the limit that made IOs wait longest, if any did.
    bound_by: Option<String>,
}

/// A limit, with the rate that it has now.
#[derive(Clone, Debug, Serialize)]
struct LimitStatus {
    name: String,
    rate: f64,
    /// `IOPS` or `MiB/s`.
    unit: &'static str,
}

impl Desk {
    /// What each device has served so far.
    pub(crate) fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// How much later than the model's time answers went out; none before the
    /// first.
    pub(crate) fn lateness_us(&self) -> Option<LatencyUs> {
        latency_us(&self.lateness)
    }

    /// The faults that go on.
    pub(crate) fn active_faults(&self, now: Nanos) -> Vec<FaultStatus> {
        self.faults.active(now)
    }

    /// The latest of what was changed or injected.
    pub(crate) fn latest_events(&self) -> &[Event] {
        &self.events[self.events.len().saturating_sub(LATEST)..]
    }

    /// Balances, limits and what was served, as of the last interval, by volume.
    pub(crate) fn volumes(&self) -> Vec<VolumeStatus> {
        let volumes = self.recorder.shape().volumes.iter().enumerate();
        volumes
            .map(|(index, name)| self.volume(index, name))
            .collect()
    }

    fn volume(&self, index: usize, name: &str) -> VolumeStatus {
        let volumes = &self.recorder.shape().volumes;
        let known = self.storage.limits();
        let limits: Vec<_> = known.over(index).map(|limit| &known[limit]).collect();
        let nothing = vec![0.0; limits.len()];
        let (last, length_s) = match &self.last {
            Some(interval) => {
                let row = &interval.volumes[index];
                (Some(row), interval.done_s - row.t_s)
            }
            None => (None, 1.0),
        };
        let held = last.map_or(&nothing, |row| &row.throttled_us);
        let most = held.iter().zip(&limits).max_by(|a, b| a.0.total_cmp(b.0));
        let bound_by = most.filter(|most| *most.0 > 0.0);
        VolumeStatus {
            name: name.into(),
            iops: last.map_or(0.0, |row| row.ios as f64 / length_s),
            mib_per_s: last.map_or(0.0, |row| mib(row.bytes as f64) / length_s),
            balance_pct: last.and_then(|row| row.balance_pct),
            paused: self.faults.applied(index).paused,
            limits: limits.iter().map(|info| limit(info, volumes)).collect(),
            bound_by: bound_by.map(|(_, info)| full_name(info, volumes)),
        }
    }
}

fn limit(info: &LimitInfo, volumes: &[String]) -> LimitStatus {
    let (unit, rate) = match info.unit {
        Unit::Io => ("IOPS", info.rate as f64),
        Unit::Byte => ("MiB/s", mib(info.rate as f64)),
    };
    LimitStatus {
        name: full_name(info, volumes),
        rate,
        unit,
    }
}

fn mib(bytes: f64) -> f64 {
    bytes / MIB as f64
}
