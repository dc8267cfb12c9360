//! What is due of the volumes that open loops wait for.

use std::collections::BTreeMap;

use blockyard_experiment::Answer;
use blockyard_explain::{Bottleneck, Facts, LimitWaits, Owner};
use blockyard_record::limit_names::device_of;
use blockyard_record::thresholds::FELT;

use super::{Rates, mean, measured_s};

/// What is due a second of each volume of a device, over all jobs, in the proportion in which it
/// was served. None if no open loop falls behind there.
pub(super) fn due(device: &str, facts: &Facts, answer: &Answer) -> Option<Vec<(String, Rates)>> {
    let jobs = Jobs::on(device, answer);
    let late = jobs.late(device, facts);
    if late.is_empty() {
        return None;
    }
    let volumes = answer.result.volumes.iter();
    let volumes: Vec<_> = volumes.filter(|it| device_of(&it.name) == device).collect();
    let served_here = |it: &Late<'_>| jobs.here(|job| job == it.job).iops > 0.0;
    let served = match late.iter().all(served_here) {
        true => jobs.here(|_| true),
        false => sum(volumes.iter().map(|it| mean(it, 1.0))),
    };
    let due = jobs.due(&late, served);
    let each = volumes.into_iter().filter(|_| served.iops > 0.0);
    let each = each.map(|total| {
        let own = mean(total, 1.0);
        let rates = Rates {
            iops: due.iops * own.iops / served.iops,
            bytes: due.bytes * own.bytes / served.bytes.max(1.0),
        };
        (total.name.clone(), rates)
    });
    Some(each.collect())
}

fn sum(each: impl Iterator<Item = Rates>) -> Rates {
    each.fold(Rates::default(), Rates::plus)
}

/// An open loop that falls behind, with the IOs that are due a second on a device.
struct Late<'a> {
    job: &'a str,
    by: &'a Bottleneck,
    due_per_s: f64,
}

/// The jobs of a run.
struct Jobs<'a> {
    /// IOs and bytes of each on a device, and IOs on all devices.
    ios: BTreeMap<&'a str, (Rates, u64)>,
    measured_s: f64,
}

impl<'a> Jobs<'a> {
    fn on(device: &str, answer: &'a Answer) -> Self {
        let mut jobs: BTreeMap<&str, (Rates, u64)> = BTreeMap::new();
        for total in answer.result.totals.iter().filter(|it| it.op != "flush") {
            let (here, all) = jobs.entry(&total.job).or_default();
            *all += total.ios;
            if total.device == device {
                let (iops, bytes) = (total.ios as f64, total.bytes as f64);
                *here = here.plus(Rates { iops, bytes });
            }
        }
        Self {
            ios: jobs,
            measured_s: measured_s(answer).max(f64::MIN_POSITIVE),
        }
    }

    /// Those that fall behind as they wait for limits of the device, or of a host on their way to
    /// it; what an event or a link holds up takes no more of any limit.
    fn late<'f>(&self, device: &str, facts: &'f Facts) -> Vec<Late<'f>> {
        let of_ios = facts.behind.iter().filter_map(|it| {
            Some(Late {
                job: &it.job,
                by: it.cause.as_ref()?,
                due_per_s: self.part(&it.job) * it.due_per_s,
            })
        });
        let engines = facts.modelled.iter().flat_map(|it| &it.transactions);
        // As many IOs for each transaction as of those that are done.
        let of_transactions = engines.filter_map(|it| {
            let short = it.short.filter(|short| short.done_per_s > 0.0)?;
            let served_per_s = self.here(|job| job == it.job).iops / self.measured_s;
            Some(Late {
                job: &it.job,
                by: it.by.as_ref()?,
                due_per_s: served_per_s * short.due_per_s / short.done_per_s,
            })
        });
        let held = |it: &Late<'_>| match it.by {
            Bottleneck::Limit { limit } => match limit.owner {
                Owner::Host(_) => self.here(|job| job == it.job).iops > 0.0,
                Owner::Device(_) | Owner::Leg { .. } => waits_for(device, it.job, facts),
            },
            _ => false,
        };
        of_ios.chain(of_transactions).filter(held).collect()
    }

    /// What is due here a second of those that are late, and what the others do. IOs of a job are
    /// as large as those of it that were served here, or as all that were.
    fn due(&self, late: &[Late<'_>], served: Rates) -> Rates {
        let of_late = late.iter().map(|it| {
            let own = self.here(|job| job == it.job);
            let like = if own.iops > 0.0 { own } else { served };
            Rates {
                iops: it.due_per_s,
                bytes: it.due_per_s * like.bytes / like.iops.max(1.0),
            }
        });
        let keeps_up = |job: &str| late.iter().all(|it| it.job != job);
        let others = self.here(keeps_up).times(1.0 / self.measured_s);
        others.plus(sum(of_late))
    }

    /// IOs and bytes here of some jobs.
    fn here(&self, is_one: impl Fn(&str) -> bool) -> Rates {
        let own = self.ios.iter().filter(|(job, _)| is_one(job));
        sum(own.map(|(_, (here, _))| *here))
    }

    /// The share of a job's IOs that is here. Who waited here and completed nothing here would have
    /// all here: totals are of the devices that IO was for, not of the backup's that served it.
    fn part(&self, job: &str) -> f64 {
        match self.ios.get(job) {
            Some((here, all)) if here.iops > 0.0 => here.iops / *all as f64,
            _ => 1.0,
        }
    }
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
