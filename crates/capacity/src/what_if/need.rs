//! What the load takes of each volume and host in the layout as it is, with the headroom that is
//! to stay free.

use std::collections::BTreeMap;

use blockyard_experiment::Answer;
use blockyard_explain::{Behind, Bottleneck, Facts, LimitWaits, Owner};
use blockyard_model::by_interval::ByInterval;
use blockyard_record::limit_names::{device_of, leg_of};
use blockyard_record::result::VolumeTotal;
use blockyard_record::thresholds::FELT;
use blockyard_scenario::Resolved;

/// The share of a limit that is to stay free: as much as a plan's requirement leaves by default.
pub(super) const FREE: f64 = 0.1;

/// A rate in IOs and in bytes a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rates {
    pub(super) iops: f64,
    pub(super) bytes: f64,
}

/// The busiest second of each volume and host, over all seeds; of demand its busiest interval.
#[derive(Clone, Debug, Default)]
pub(super) struct Need {
    volumes: Vec<(String, Rates)>,
    hosts: Vec<(String, Rates)>,
    /// By how much more than was served is due on a device, where open loops fall behind.
    due: Vec<(String, f64)>,
    /// The devices whose limits throttle closed loops: nobody knows what these would take.
    unbounded: Vec<String>,
}

impl Rates {
    /// The larger of both, figure by figure.
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            iops: self.iops.max(other.iops),
            bytes: self.bytes.max(other.bytes),
        }
    }

    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            iops: self.iops * factor,
            bytes: self.bytes * factor,
        }
    }

    /// What a limit must let through so that [`FREE`] of it stays free.
    pub(super) fn with_headroom(self) -> Self {
        self.times(1.0 / (1.0 - FREE))
    }

    /// Whether limits of `iops` and of `throughput` bytes a second let it through.
    pub(super) fn is_held_by(self, iops: u64, throughput: u64) -> bool {
        iops as f64 >= self.iops && throughput as f64 >= self.bytes
    }
}

impl Need {
    /// That of the layout as it is: `answers` are of its seeds, `facts` of the first.
    pub(super) fn of(answers: &[Answer], facts: &Facts, resolved: &Resolved) -> Self {
        if resolved.by_interval {
            return Self::of_demand(resolved);
        }
        let mut need = Self::default();
        for answer in answers {
            let (result, measured_s) = (&answer.result, measured_s(answer));
            keep_peaks(&mut need.volumes, &result.volumes, measured_s);
            keep_peaks(&mut need.hosts, &result.hosts, measured_s);
        }
        for device in &resolved.storage.devices {
            let waits = waits_of(facts, &device.name);
            // What an event or a link holds up takes no more of any limit.
            let by_limits = facts
                .behind
                .iter()
                .filter(|it| matches!(it.cause, Some(Bottleneck::Limit { .. })));
            let behind = by_limits.filter(|behind| {
                let jobs = waits.clone().flat_map(|waits| &waits.jobs);
                jobs.filter(|own| own.waited_s > 0.0)
                    .any(|own| own.job == behind.job)
            });
            match more_due(&device.name, &behind.collect::<Vec<_>>(), answers) {
                Some(more) => need.due.push((device.name.clone(), more)),
                None if waits.clone().any(|waits| waits.share >= FELT) && is_felt(facts) => {
                    need.unbounded.push(device.name.clone());
                }
                None => {}
            }
        }
        need
    }

    /// Of demand by interval all is known that comes due, served or not: the most of an interval.
    fn of_demand(resolved: &Resolved) -> Self {
        let spec = &resolved.storage;
        let mut need = Self::default();
        // What was carried by interval can be again.
        let Ok(days) = ByInterval::new(spec, &resolved.jobs, 0) else {
            return need;
        };
        let mut volumes = vec![Rates::default(); spec.volumes.len()];
        let mut hosts = vec![Rates::default(); spec.hosts.len()];
        for due in days.due() {
            let mut over = vec![Rates::default(); hosts.len()];
            for ((due, volume), most) in due.iter().zip(&spec.volumes).zip(&mut volumes) {
                let (iops, bytes) = (due.ios, due.bytes);
                *most = most.max(Rates { iops, bytes });
                if volume.behind_host {
                    over[volume.host].iops += iops;
                    over[volume.host].bytes += bytes;
                }
            }
            for (most, over) in hosts.iter_mut().zip(over) {
                *most = most.max(over);
            }
        }
        let names = spec.volumes.iter().map(|it| it.name.clone());
        need.volumes = names.zip(volumes).collect();
        let names = spec.hosts.iter().map(|it| it.name.clone());
        need.hosts = names.zip(hosts).collect();
        need
    }

    /// What the load takes of each volume of a device, or of a mirror's leg, if there were `count`
    /// of them: headroom excluded.
    pub(super) fn of_each(&self, device: &str, leg: Option<&str>, count: u64) -> Rates {
        let is_own = |name: &str| {
            device_of(name) == device && leg.is_none_or(|leg| leg_of(name) == Some(leg))
        };
        let own = || self.volumes.iter().filter(|(name, _)| is_own(name));
        let most = own().fold(Rates::default(), |most, (_, peak)| most.max(*peak));
        let due = self.due.iter().find(|(name, _)| name == device);
        let share = own().count() as f64 / count.max(1) as f64;
        most.times(share * due.map_or(1.0, |(_, more)| *more))
    }

    /// What it takes of a host, headroom excluded: of each as much as of the busiest, whose part
    /// it may have to take.
    pub(super) fn of_host(&self) -> Rates {
        let peaks = self.hosts.iter().map(|(_, peak)| *peak);
        let more = self.due.iter().map(|(_, more)| *more).fold(1.0, f64::max);
        peaks.fold(Rates::default(), Rates::max).times(more)
    }

    /// Whether closed loops would take more of a device than they get.
    pub(super) fn is_unbounded(&self, device: &str) -> bool {
        self.unbounded.iter().any(|name| name == device)
    }

    /// Whether some closed loop would take more than it gets.
    pub(super) fn is_any_unbounded(&self) -> bool {
        !self.unbounded.is_empty()
    }
}

/// Keeps the busiest second of each; the mean of a run that is too short to have a whole one.
fn keep_peaks(known: &mut Vec<(String, Rates)>, totals: &[VolumeTotal], measured_s: f64) {
    for total in totals {
        let all = Rates {
            iops: total.ios as f64,
            bytes: total.bytes as f64,
        };
        let (iops, mib) = total.peaks();
        let bytes = mib * f64::from(1 << 20);
        let busiest = Rates { iops, bytes };
        let peak = match measured_s > 0.0 {
            true => busiest.max(all.times(1.0 / measured_s)),
            false => busiest,
        };
        match known.iter_mut().find(|(name, _)| *name == total.name) {
            Some((_, most)) => *most = most.max(peak),
            None => known.push((total.name.clone(), peak)),
        }
    }
}

/// By how much more is due on a device than is served, over all its jobs: one that is hardly
/// served beside others takes little more of it. None if none of them falls behind.
fn more_due(device: &str, behind: &[&Behind], answers: &[Answer]) -> Option<f64> {
    let answer = answers.first().filter(|_| !behind.is_empty())?;
    // IOs of a job here, and on all devices.
    let mut jobs: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for total in answer.result.totals.iter().filter(|it| it.op != "flush") {
        let (here, all) = jobs.entry(&total.job).or_default();
        *all += total.ios;
        *here += if total.device == device { total.ios } else { 0 };
    }
    // Who waited here and completed nothing here would have all that is due here.
    let part = |it: &Behind| match jobs.get(it.job.as_str()) {
        Some(&(here @ 1.., all)) => here as f64 / all as f64,
        _ => 1.0,
    };
    let keeps_up = |job: &str| behind.iter().all(|it| it.job != job);
    let others = jobs.iter().filter(|(job, _)| keeps_up(job));
    let others: u64 = others.map(|(_, (here, _))| here).sum();
    let others = others as f64 / measured_s(answer).max(f64::MIN_POSITIVE);
    let all = |per_s: fn(&Behind) -> f64| {
        let each = behind.iter().map(|it| part(it) * per_s(it));
        each.fold(others, |sum, rate| sum + rate)
    };
    Some((all(|it| it.due_per_s) / all(|it| it.served_per_s).max(1.0)).max(1.0))
}

/// Without the warm-up.
fn measured_s(answer: &Answer) -> f64 {
    answer.result.duration_s - answer.opened.scenario().warmup.nanos() as f64 / 1e9
}

fn waits_of<'a>(facts: &'a Facts, device: &'a str) -> impl Iterator<Item = &'a LimitWaits> + Clone {
    let waits = facts.modelled.iter().flat_map(|modelled| &modelled.waits);
    waits.filter(move |waits| match &waits.limit.owner {
        Owner::Host(_) => false,
        Owner::Device(name) | Owner::Leg { device: name, .. } => name == device,
    })
}

fn is_felt(facts: &Facts) -> bool {
    let modelled = facts.modelled.as_ref();
    modelled.is_some_and(|modelled| modelled.waited >= FELT)
}
