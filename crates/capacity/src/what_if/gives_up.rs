//! What a change gives up beside what it saves or brings, and what it leaves free.

use blockyard_catalog::Catalog;
use blockyard_experiment::{Answer, Opened};
use blockyard_explain::{Facts, LimitId, Owner, RateUnit};
use blockyard_model::spec::Applies;
use blockyard_record::limit_names::{LimitKind, device_of, leg_of};
use blockyard_record::result::VolumeTotal;
use blockyard_record::thresholds::LATENCY_MOVES;
use schemars::JsonSchema;
use serde::Serialize;

use super::Change;
use super::change::Changes;
use super::durability::yearly_loss;
use super::judged::Judged;
use super::now::{Measure, Now};
use crate::figures::Service;

/// Something that is less, or worse, with a change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GivesUp {
    /// More of such layouts lose data in a year, by the durability that volume types are sold
    /// with: shares, at most.
    Durability {
        /// As it is.
        before: f64,
        /// With the change.
        after: f64,
    },
    /// The 99th percentile of a job's latency is higher.
    Latency {
        /// The job.
        job: String,
        /// In microseconds, as it is.
        before: f64,
        /// With the change.
        after: f64,
    },
    /// A replicated job's users go without more of something: time, transactions that fail or are
    /// refused, or acknowledged ones that are lost.
    Service {
        /// The job.
        job: String,
        /// As it is.
        before: Service,
        /// With the change.
        after: Service,
    },
    /// Fewer other hosts must have a transaction, or a write, before it is acknowledged.
    Promise {
        /// The job, or the device that is a mirror.
        job: String,
    },
    /// The instance has fewer vCPUs.
    Vcpu {
        /// As it is.
        before: u64,
        /// With the change.
        after: u64,
    },
    /// The instance has less memory.
    Memory {
        /// MiB, as it is.
        before: u64,
        /// With the change.
        after: u64,
    },
    /// The instance runs programs of another architecture.
    Architecture {
        /// As it is, `x86_64`.
        before: String,
        /// With the change, `arm64`.
        after: String,
    },
    /// A volume cannot shrink nor leave a stripe in place: new volumes, and a copy of all data.
    Copy {
        /// The device.
        device: String,
    },
}

impl GivesUp {
    /// Whether both are the same; of latencies whatever they are.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Latency { job: one, .. }, Self::Latency { job: other, .. })
            | (Self::Service { job: one, .. }, Self::Service { job: other, .. }) => one == other,
            (one, other) => one == other,
        }
    }
}

/// The limit of which least is free in the busiest second.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Headroom {
    /// Which limit; of a device's, that of its busiest volume.
    pub limit: LimitId,
    /// What it sustains, in `unit`.
    pub value: f64,
    /// The unit of `value`.
    pub unit: RateUnit,
    /// The share that the busiest second took; more than 1 where burst credits or tokens that
    /// lay ready carried it.
    pub used: f64,
}

/// What changes of the layout `old` to the one of `answer` give up.
pub(super) fn gives_up(
    old: &Opened,
    now: &Now,
    changes: &Changes,
    answer: &Answer,
    judged: &Judged,
) -> Vec<GivesUp> {
    let mut found = Vec::new();
    let is_node = |change: &Change| matches!(change, Change::Node { .. });
    // What one more node loses the others have.
    let alike = !changes.each().any(is_node);
    let losses = yearly_loss(old).zip(yearly_loss(&answer.opened));
    let losses = losses.filter(|_| alike);
    if let Some((before, after)) = losses.filter(|(before, after)| after > before) {
        found.push(GivesUp::Durability { before, after });
    }
    for (job, own) in now.jobs.iter().zip(&judged.jobs) {
        let both = job.came.latency_us.zip(own.came.latency_us);
        let worse = |(before, after): (f64, f64)| match own.measure {
            Measure::P99 | Measure::Mean => own.is_slower(),
            Measure::PerS => after > before * (1.0 + LATENCY_MOVES),
        };
        let both = both.map(|(before, after)| (before.p99, after.p99));
        // What failed before has no latency, and what is served in its place has waited.
        let both = both.filter(|both| worse(*both) && !own.service.better);
        if let Some((before, after)) = both {
            let job = job.came.job.clone();
            found.push(GivesUp::Latency { job, before, after });
        }
        if own.service.worse {
            let before = job.came.service.unwrap_or_default();
            let after = own.came.service.unwrap_or_default();
            let job = job.came.job.clone();
            found.push(GivesUp::Service { job, before, after });
        }
    }
    for part in changes.each() {
        match part {
            Change::Instance {
                from, to: Some(to), ..
            } => found.extend(of_instance(from, to)),
            Change::Size {
                device, from, to, ..
            }
            | Change::Volumes {
                device, from, to, ..
            } if to < from => found.push(GivesUp::Copy {
                device: device.clone(),
            }),
            Change::Type {
                device,
                size: Some(_),
                ..
            } if shrinks(old, &answer.opened, device) => found.push(GivesUp::Copy {
                device: device.clone(),
            }),
            Change::Setting {
                job, weaker: true, ..
            } => found.push(GivesUp::Promise { job: job.clone() }),
            _ => {}
        }
    }
    found.dedup();
    found
}

fn of_instance(from: &str, to: &str) -> Vec<GivesUp> {
    let Ok(catalog) = Catalog::get() else {
        return Vec::new();
    };
    let (Ok(old), Ok(new)) = (catalog.instance(from), catalog.instance(to)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if new.vcpu() < old.vcpu() {
        let (before, after) = (old.vcpu(), new.vcpu());
        found.push(GivesUp::Vcpu { before, after });
    }
    if new.memory_mib() < old.memory_mib() {
        let (before, after) = (old.memory_mib(), new.memory_mib());
        found.push(GivesUp::Memory { before, after });
    }
    if new.architecture() != old.architecture() {
        found.push(GivesUp::Architecture {
            before: old.architecture().to_owned(),
            after: new.architecture().to_owned(),
        });
    }
    found
}

fn shrinks(old: &Opened, new: &Opened, device: &str) -> bool {
    let size = |of: &Opened| {
        let devices = of.resolved.storage.devices.iter();
        let own = devices.filter(|it| it.name == device);
        own.map(|it| it.size).sum::<u64>()
    };
    size(new) < size(old)
}

/// The limit of which least is free in the busiest second of a run; none where no limit has a
/// value.
pub(super) fn headroom(answer: &Answer, facts: &Facts) -> Option<Headroom> {
    let result = &answer.result;
    let all = result.resolved.iter().filter_map(|limit| {
        let kind = LimitKind::named(&limit.limit)?;
        let value = limit.value.filter(|_| kind.applies == Applies::Both)?;
        let total = result.volumes.iter().chain(&result.hosts);
        let total = total.into_iter().find(|it| it.name == limit.owner)?;
        let known = facts.limits.iter();
        let known = known.filter(|known| known.limit.kind == kind);
        let id = known.into_iter().find(|known| match &known.limit.owner {
            Owner::Host(name) => *name == limit.owner,
            Owner::Device(device) => device_of(&limit.owner) == device,
            Owner::Leg { device, leg } => {
                device_of(&limit.owner) == device && leg_of(&limit.owner) == Some(leg.as_str())
            }
        })?;
        Some(Headroom {
            used: taken(answer, total, id.unit) / value,
            limit: id.limit.clone(),
            value,
            unit: id.unit,
        })
    });
    all.max_by(|a, b| a.used.total_cmp(&b.used))
}

/// What the busiest second, or interval, took, in the unit of a limit.
fn taken(answer: &Answer, total: &VolumeTotal, unit: RateUnit) -> f64 {
    let volumes = &answer.opened.resolved.storage.volumes;
    let own = volumes.iter().find(|volume| volume.name == total.name);
    let whole = own.filter(|volume| volume.whole_units);
    let (iops, mib) = total.peaks();
    let mib = match whole {
        Some(volume) => iops * volume.io_unit as f64 / f64::from(1 << 20),
        None => mib,
    };
    match unit {
        RateUnit::Iops => iops,
        RateUnit::MibPerS => mib,
        RateUnit::MbPerS => mib * f64::from(1 << 20) / 1e6,
    }
}
