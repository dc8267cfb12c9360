//! What the load takes of each volume and host in the layout as it is, with the headroom that is
//! to stay free.

mod due;

use blockyard_experiment::Answer;
use blockyard_explain::Facts;
use blockyard_model::by_interval::ByInterval;
use blockyard_record::result::VolumeTotal;
use blockyard_record::thresholds::FELT;
use blockyard_scenario::Resolved;

use self::due::{due, waits_of};
use super::replicas::{Replica, Replicas};

/// The share of a limit that is to stay free: as much as a plan's requirement leaves by default.
pub(super) const FREE: f64 = 0.1;

/// A rate in IOs and in bytes a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rates {
    pub(super) iops: f64,
    pub(super) bytes: f64,
}

/// The busiest second of each volume and host, over all seeds, or what is due there where open
/// loops fall behind; of demand its busiest interval.
#[derive(Clone, Debug, Default)]
pub(super) struct Need {
    volumes: Vec<(String, Rates)>,
    hosts: Vec<(String, Rates)>,
    replicas: Replicas,
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

    fn plus(self, other: Self) -> Self {
        Self {
            iops: self.iops + other.iops,
            bytes: self.bytes + other.bytes,
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
        let mut need = Self {
            replicas: Replicas::of(resolved),
            ..Self::default()
        };
        for answer in answers {
            let (result, measured_s) = (&answer.result, measured_s(answer));
            keep_peaks(&mut need.volumes, &result.volumes, measured_s);
            keep_peaks(&mut need.hosts, &result.hosts, measured_s);
        }
        let Some(first) = answers.first() else {
            return need;
        };
        let mut all_due = Vec::new();
        for device in resolved.storage.devices.iter().map(|it| &it.name) {
            match due(device, facts, first) {
                Some(volumes) => all_due.extend(volumes),
                None if waits_of(facts, device).any(|it| it.share >= FELT) && is_felt(facts) => {
                    need.unbounded.push(device.clone());
                }
                None => {}
            }
        }
        need.keep_due(&all_due, resolved, first);
        need
    }

    /// As much as is `due` of volumes, and of their hosts beside what other volumes do.
    fn keep_due(&mut self, due: &[(String, Rates)], resolved: &Resolved, first: &Answer) {
        let spec = &resolved.storage;
        let mut hosts = vec![Rates::default(); spec.hosts.len()];
        let mut is_more = vec![false; spec.hosts.len()];
        for (name, due) in due {
            keep(&mut self.volumes, name, *due);
        }
        let behind_hosts = spec.volumes.iter().filter(|volume| volume.behind_host);
        for volume in behind_hosts {
            let due = due.iter().find(|(name, _)| *name == volume.name);
            let totals = &first.result.volumes;
            let own = totals.iter().find(|total| total.name == volume.name);
            let mean = own.map_or(Rates::default(), |total| mean(total, measured_s(first)));
            hosts[volume.host] = hosts[volume.host].plus(due.map_or(mean, |(_, due)| *due));
            is_more[volume.host] |= due.is_some();
        }
        for ((host, all), is_more) in spec.hosts.iter().zip(hosts).zip(is_more) {
            if is_more {
                keep(&mut self.hosts, &host.name, all);
            }
        }
    }

    /// Of demand by interval all is known that comes due, served or not: the most of an interval.
    fn of_demand(resolved: &Resolved) -> Self {
        let spec = &resolved.storage;
        let mut need = Self {
            replicas: Replicas::of(resolved),
            ..Self::default()
        };
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

    /// What the load takes of each volume of a device, or of a leg of it, if there were `count` of
    /// them: headroom excluded. As much as of any whose part it may have to take.
    pub(super) fn of_each(&self, device: &str, count: u64) -> Rates {
        let replicas = self.replicas.parts_of(device);
        let each = replicas.map(|replica| self.of_replica(replica));
        each.fold(Rates::default(), Rates::max)
            .times(1.0 / count.max(1) as f64)
    }

    /// What it takes of all volumes of a replica.
    fn of_replica(&self, replica: &Replica) -> Rates {
        let own = || self.volumes.iter().filter(|(name, _)| replica.has(name));
        let most = own().fold(Rates::default(), |most, (_, peak)| most.max(*peak));
        most.times(own().count() as f64)
    }

    /// What it takes of a host, headroom excluded: of each as much as of the busiest, whose part
    /// it may have to take.
    pub(super) fn of_host(&self) -> Rates {
        let peaks = self.hosts.iter().map(|(_, peak)| *peak);
        peaks.fold(Rates::default(), Rates::max)
    }

    /// The same of a host that volumes are used over; none of another.
    pub(super) fn takes_of(&self, host: &str) -> Option<Rates> {
        let mut own = self.hosts.iter().filter(|(name, _)| name == host);
        own.any(|(_, peak)| peak.iops > 0.0).then(|| self.of_host())
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
        let (iops, mib) = total.peaks();
        let bytes = mib * f64::from(1 << 20);
        let busiest = Rates { iops, bytes };
        keep(known, &total.name, busiest.max(mean(total, measured_s)));
    }
}

/// What a volume or host did a second; none in no time.
fn mean(total: &VolumeTotal, measured_s: f64) -> Rates {
    let all = Rates {
        iops: total.ios as f64,
        bytes: total.bytes as f64,
    };
    match measured_s > 0.0 {
        true => all.times(1.0 / measured_s),
        false => Rates::default(),
    }
}

/// Keeps the most of each.
fn keep(known: &mut Vec<(String, Rates)>, name: &str, rates: Rates) {
    match known.iter_mut().find(|(known, _)| known == name) {
        Some((_, most)) => *most = most.max(rates),
        None => known.push((name.to_owned(), rates)),
    }
}

/// Without the warm-up.
fn measured_s(answer: &Answer) -> f64 {
    answer.result.duration_s - answer.opened.scenario().warmup.nanos() as f64 / 1e9
}

fn is_felt(facts: &Facts) -> bool {
    let modelled = facts.modelled.as_ref();
    modelled.is_some_and(|modelled| modelled.waited >= FELT)
}
