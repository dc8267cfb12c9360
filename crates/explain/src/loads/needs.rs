//! What it takes of limits to serve all that is due of open loops.

use blockyard_model::workload::spec::{JobSpec, Load};
use blockyard_record::result::{Behind, RunResult, Total};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::id::LimitId;
use crate::limits::{Limit, RateUnit};
use crate::storage::devices::Device;
use crate::waits::LimitWaits;

/// A limit that stands in the way of what is due once another does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Also {
    /// Which limit.
    pub limit: LimitId,
    /// From which value on it lets through all that is due, with its unit.
    pub needed: (f64, RateUnit),
}

/// A run, and how long it was measured.
#[derive(Clone, Copy)]
pub(crate) struct Measured<'a> {
    pub(crate) result: &'a RunResult,
    pub(crate) jobs: &'a [JobSpec],
    pub(crate) devices: &'a [Device],
    /// Without the warm-up.
    pub(crate) seconds: f64,
}

impl Measured<'_> {
    /// What `waits`' limit needs to serve the open loops `behind` it, and what those beside it
    /// that would then let through less.
    pub(crate) fn needed(
        &self,
        waits: &LimitWaits,
        behind: &[(&str, &Behind)],
    ) -> (Option<f64>, Vec<Also>) {
        let took: f64 = behind.iter().map(|(job, _)| waits.took(job)).sum();
        // While IOs wait for it all its tokens are taken.
        let own = waits.value.map(|(value, unit)| {
            let due = self.due(&waits.limit, unit, waits, behind);
            value * (1.0 - took).max(0.0) + due
        });
        let beside = waits.beside.iter().filter_map(|limit| {
            let others = self.others(limit, waits, behind) / limit.unit.per_s() / self.seconds;
            let needed = others + self.due(&limit.limit, limit.unit, waits, behind);
            (needed > limit.value).then(|| Also {
                limit: limit.limit.clone(),
                needed: (needed, limit.unit),
            })
        });
        (own, beside.collect())
    }

    /// What all that is due of loops takes of a limit, in its unit a second.
    fn due(
        &self,
        limit: &LimitId,
        unit: RateUnit,
        waits: &LimitWaits,
        behind: &[(&str, &Behind)],
    ) -> f64 {
        let each = behind.iter().map(|(job, behind)| {
            let totals = self.result.totals.iter();
            let ios: u64 = totals
                .filter(|total| is_of(total, job))
                .map(|total| total.ios)
                .sum();
            // Who waited took a share that is known; of other limits totals tell it about.
            let took = match *limit == waits.limit {
                true => waits.took(job) * self.took(limit, waits, |_| true),
                false => self.took(limit, waits, |name| name == *job),
            };
            self.most_due(job, behind) * took / ios.max(1) as f64
        });
        each.sum::<f64>() / unit.per_s()
    }

    /// What the IO of all other jobs took of a limit, in IOs or bytes.
    fn others(&self, limit: &Limit, waits: &LimitWaits, behind: &[(&str, &Behind)]) -> f64 {
        let is_behind = |name: &str| behind.iter().any(|(job, _)| *job == name);
        self.took(&limit.limit, waits, |name| !is_behind(name))
    }

    /// What the IO of jobs took of a limit of all devices, or of the volumes that waited: of what
    /// a leg took, in proportion to what each job did there.
    fn took(&self, limit: &LimitId, waits: &LimitWaits, counts: impl Fn(&str) -> bool) -> f64 {
        let some = limit.owner == waits.limit.owner && !waits.volumes.is_empty();
        let legs = self.devices.iter().flat_map(|device| {
            let legs = device.legs.iter().filter(|leg| leg.passes(limit));
            legs.map(|leg| (&device.name, leg))
        });
        let of_leg = legs.map(|(device, leg)| {
            let volumes = self.result.volumes.iter().filter(|total| {
                leg.volumes.contains(&total.name) && (!some || waits.volumes.contains(&total.name))
            });
            let took = volumes.map(|total| leg.takes(limit, total.ios, total.bytes));
            let totals = self.result.totals.iter();
            let here = totals.filter(|total| total.device == *device && total.op != "flush");
            let (own, all) = here.fold((0.0, 0.0), |(own, all), total| {
                let did = leg.part_of(limit, total);
                (own + if counts(&total.job) { did } else { 0.0 }, all + did)
            });
            took.sum::<u64>() as f64 * if all > 0.0 { own / all } else { 0.0 }
        });
        of_leg.sum()
    }

    /// IOs a second that were due of a loop while it fell behind, in the step with most.
    fn most_due(&self, job: &str, behind: &Behind) -> f64 {
        let mean = behind.due / (behind.to_s - behind.from_s);
        let mut specs = self.jobs.iter().filter_map(JobSpec::as_access);
        let Some(Load::Open { steps, .. }) =
            specs.find(|spec| spec.name == job).map(|spec| &spec.load)
        else {
            return mean;
        };
        let starts = steps.iter().map(|step| step.0 as f64 / 1e9);
        let ends = starts.clone().skip(1).chain([f64::INFINITY]);
        let within = steps
            .iter()
            .zip(starts.zip(ends))
            .filter(|(_, (start, end))| *start < behind.to_s && *end > behind.from_s);
        within.map(|(step, _)| step.1 as f64).fold(mean, f64::max)
    }
}

fn is_of(total: &Total, job: &str) -> bool {
    total.job == job && total.op != "flush"
}
