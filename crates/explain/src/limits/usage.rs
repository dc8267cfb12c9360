//! How much of a limit was used.

use std::collections::BTreeMap;

use blockyard_model::spec::Applies;
use blockyard_record::result::{RunResult, Total, VolumeTotal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::id::LimitId;
use crate::limits::{Limit, RateUnit};
use crate::storage::devices::{Device, leg_of};
use crate::storage::table::VolumeTable;

/// What IO took of a limit, in the limit's unit, without the warm-up. Divided by the limit's
/// value it is the share that was used; short bursts may exceed 1, as buckets save up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// On average.
    pub mean: f64,
    /// In the best interval; none where no intervals are recorded.
    pub peak: Option<f64>,
}

impl Usage {
    /// What says how near a run came to the limit: the mean, or by interval, where a night of none
    /// hides a day of much, the best interval.
    #[must_use]
    pub fn telling(self, result: &RunResult) -> f64 {
        let peak = self.peak.filter(|_| result.by_interval_s.is_some());
        peak.unwrap_or(self.mean)
    }
}

/// What volumes served. None for a limit of reads or writes alone, which volumes' totals do
/// not tell apart.
pub(crate) fn served(
    limit: &Limit,
    devices: &[Device],
    result: &RunResult,
    table: &VolumeTable,
    warmup_s: f64,
) -> Option<Usage> {
    if limit.limit.kind.applies != Applies::Both || result.duration_s <= warmup_s {
        return None;
    }
    let own = |total: &&VolumeTotal| {
        leg_of(devices, &total.name).is_some_and(|leg| leg.passes(&limit.limit))
    };
    let totals: Vec<_> = match limit.limit.host() {
        Some(host) => result.hosts.iter().filter(|it| it.name == host).collect(),
        None => result.volumes.iter().filter(own).collect(),
    };
    let whole = totals
        .iter()
        .map(|total| match leg_of(devices, &total.name) {
            Some(leg) => leg.takes(&limit.limit, total.ios, total.bytes),
            None => limit.limit.counted(total.ios, total.bytes),
        });
    let whole = whole.sum::<u64>() as f64 / limit.unit.per_s();
    Some(Usage {
        mean: whole / (result.duration_s - warmup_s),
        peak: peak(limit, devices, table, warmup_s),
    })
}

/// What passed in the best interval.
fn peak(limit: &Limit, devices: &[Device], table: &VolumeTable, from_s: f64) -> Option<f64> {
    let names = table.volume.names.iter();
    let passing: Vec<_> = names
        .map(|name| leg_of(devices, name).filter(|leg| leg.passes(&limit.limit)))
        .collect();
    let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
    for (row, &t_s) in table.t_s.iter().enumerate() {
        if let (true, Some(leg)) = (t_s >= from_s, passing[table.volume.index[row]]) {
            // Times are not negative: their bits are in their order.
            let sum = sums.entry(t_s.to_bits()).or_default();
            *sum += leg.takes(&limit.limit, table.ios[row], table.bytes[row]);
        }
    }
    let most = sums.values().max().copied()?;
    Some(most as f64 / limit.unit.per_s() / table.interval_s())
}

/// What jobs did on a device of real storage: reads and writes, as limits count no others.
pub(crate) fn done(limit: &Limit, totals: &[Total]) -> Option<Usage> {
    let there = totals
        .iter()
        .filter(|total| limit.limit.is_of(&total.device) && counts(&limit.limit, &total.op));
    let rates = there.map(|total| match limit.unit {
        RateUnit::Iops => total.iops,
        unit => total.mib_per_s * RateUnit::MibPerS.per_s() / unit.per_s(),
    });
    (!limit.limit.is_host()).then(|| Usage {
        mean: rates.sum(),
        peak: None,
    })
}

fn counts(limit: &LimitId, op: &str) -> bool {
    match op {
        "read" => limit.kind.applies.to(false),
        "write" => limit.kind.applies.to(true),
        _ => false,
    }
}
