//! The state of a service for who looks while it serves.

use blockyard_model::spec::Unit;
use blockyard_model::storage::LimitInfo;
use blockyard_model::units::{MIB, Nanos, SECOND};
use blockyard_record::limit_names::full_name;
use serde_json::{Value, json};

use super::Desk;

/// How many of the latest events the status has: all are in the result.
const LATEST: usize = 20;

impl Desk {
    /// Balances, limits and what was served, as of the last interval, and the
    /// latest events.
    pub(crate) fn status(&self, now: Nanos) -> Value {
        let volumes = self.recorder.plan().volumes.iter().enumerate();
        json!({
            "uptime_s": seconds(now),
            "devices": self.accounts.iter().map(|account| account.to_json()).collect::<Vec<_>>(),
            "volumes": volumes.map(|(index, name)| self.volume(index, name)).collect::<Vec<_>>(),
            "lateness_us": blockyard_record::latency_us(&self.lateness),
            "faults": self.faults.active(now),
            "events": &self.events[self.events.len().saturating_sub(LATEST)..],
        })
    }

    fn volume(&self, index: usize, name: &str) -> Value {
        let volumes = &self.recorder.plan().volumes;
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
        let held = last.map_or(&nothing, |row| &row.held_us);
        let most = held.iter().zip(&limits).max_by(|a, b| a.0.total_cmp(b.0));
        let bound_by = most.filter(|most| *most.0 > 0.0);
        json!({
            "name": name,
            "iops": last.map_or(0.0, |row| row.ios as f64 / length_s),
            "mib_per_s": last.map_or(0.0, |row| mib(row.bytes as f64) / length_s),
            "balance_pct": last.and_then(|row| row.balance_pct),
            "paused": self.faults.applied(index).paused,
            "limits": limits.iter().map(|info| limit(info, volumes)).collect::<Vec<_>>(),
            "bound_by": bound_by.map(|(_, info)| full_name(info, volumes)),
        })
    }
}

fn limit(info: &LimitInfo, volumes: &[String]) -> Value {
    let (unit, rate) = match info.unit {
        Unit::Io => ("IOPS", info.rate as f64),
        Unit::Byte => ("MiB/s", mib(info.rate as f64)),
    };
    json!({"name": full_name(info, volumes), "rate": rate, "unit": unit})
}

fn seconds(time: Nanos) -> f64 {
    time as f64 / SECOND as f64
}

fn mib(bytes: f64) -> f64 {
    bytes / MIB as f64
}
