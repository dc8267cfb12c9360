//! What is due of the volumes that open loops wait for.

use std::collections::BTreeMap;

use blockyard_experiment::Answer;
use blockyard_explain::{Behind, Bottleneck, Facts, LimitWaits, Owner};
use blockyard_record::limit_names::device_of;
use blockyard_record::thresholds::FELT;

use super::{Rates, mean, measured_s};

/// What is due a second of each volume of a device, over all jobs, in the proportion in which it
/// was served. None if no open loop falls behind there.
pub(super) fn due(device: &str, facts: &Facts, answer: &Answer) -> Option<Vec<(String, Rates)>> {
    let jobs = Jobs::on(device, answer);
    let behind = behind(device, facts, &jobs);
    if behind.is_empty() {
        return None;
    }
    let keeps_up = |job: &str| behind.iter().all(|it| it.job != job);
    let others = jobs.here(keeps_up) as f64 / measured_s(answer).max(f64::MIN_POSITIVE);
    let due = behind.iter().map(|it| jobs.part(&it.job) * it.due_per_s);
    let due = others + due.sum::<f64>();
    let volumes = answer.result.volumes.iter();
    let volumes: Vec<_> = volumes.filter(|it| device_of(&it.name) == device).collect();
    let ios = match behind.iter().all(|it| jobs.here(|job| job == it.job) > 0) {
        true => jobs.here(|_| true),
        false => volumes.iter().map(|it| it.ios).sum(),
    };
    let each = volumes.into_iter().filter(|_| ios > 0).map(|total| {
        let of_an_io = mean(total, ios as f64);
        (total.name.clone(), of_an_io.times(due))
    });
    Some(each.collect())
}

/// IOs of each job on a device, and on all devices.
struct Jobs<'a>(BTreeMap<&'a str, (u64, u64)>);

impl<'a> Jobs<'a> {
    fn on(device: &str, answer: &'a Answer) -> Self {
        let mut jobs: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for total in answer.result.totals.iter().filter(|it| it.op != "flush") {
            let (here, all) = jobs.entry(&total.job).or_default();
            *all += total.ios;
            *here += if total.device == device { total.ios } else { 0 };
        }
        Self(jobs)
    }

    /// IOs here of some jobs.
    fn here(&self, is_one: impl Fn(&str) -> bool) -> u64 {
        let own = self.0.iter().filter(|(job, _)| is_one(job));
        own.map(|(_, (here, _))| here).sum()
    }

    /// The share of a job's IOs that is here. Who waited here and completed nothing here would have
    /// all here: totals are of the devices that IO was for, not of the backup's that served it.
    fn part(&self, job: &str) -> f64 {
        match self.0.get(job) {
            Some(&(here @ 1.., all)) => here as f64 / all as f64,
            _ => 1.0,
        }
    }
}

/// The open loops that fall behind as they wait for limits of a device, or of a host on their way
/// to it; what an event or a link holds up takes no more of any limit.
fn behind<'a>(device: &str, facts: &'a Facts, jobs: &Jobs<'_>) -> Vec<&'a Behind> {
    let own = facts.behind.iter().filter(|behind| match &behind.cause {
        Some(Bottleneck::Limit { limit }) => match limit.owner {
            Owner::Host(_) => jobs.here(|job| job == behind.job) > 0,
            Owner::Device(_) | Owner::Leg { .. } => waits_for(device, &behind.job, facts),
        },
        _ => false,
    });
    own.collect()
}

/// Whether a job's waits for limits of a device are felt among those for all devices.
fn waits_for(device: &str, job: &str, facts: &Facts) -> bool {
    let waited_s = |waits: &LimitWaits| -> f64 {
        let own = waits.jobs.iter().filter(|own| own.job == job);
        own.map(|own| own.waited_s).sum()
    };
    let here: f64 = waits_of(facts, device).map(waited_s).sum();
    let everywhere: f64 = waits_of_devices(facts).map(waited_s).sum();
    here > 0.0 && here >= FELT * everywhere
}

/// Waits for the limits of a device.
pub(super) fn waits_of<'a>(
    facts: &'a Facts,
    device: &'a str,
) -> impl Iterator<Item = &'a LimitWaits> {
    waits_of_devices(facts).filter(move |waits| match &waits.limit.owner {
        Owner::Host(_) => false,
        Owner::Device(name) | Owner::Leg { device: name, .. } => name == device,
    })
}

fn waits_of_devices(facts: &Facts) -> impl Iterator<Item = &LimitWaits> {
    let waits = facts.modelled.iter().flat_map(|modelled| &modelled.waits);
    waits.filter(|waits| !matches!(waits.limit.owner, Owner::Host(_)))
}
