//! The changes of a layout that are tried: what each is, and the overrides that make it.

mod amount;
mod aspect;
mod changes;
mod device;
mod fewer_volumes;
mod instance;
mod journal;
mod lasting;
mod less;
mod other_instance;
mod replication;
mod sustained;
mod volume_type;
mod volumes;

use blockyard_catalog::Catalog;
use blockyard_experiment::Edit;
use blockyard_explain::Facts;
use blockyard_record::result::{LimitTotal, RunResult};
use blockyard_scenario::Resolved;
use blockyard_scenario::schema::{Device, Scenario};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::amount::{Amount, Part};
pub(super) use self::changes::Changes;
use self::device::Of;
use super::need::Need;

/// How many IOs a second more are tried, on each volume.
const MORE_IOPS: u64 = 1000;

/// How much throughput more is tried, on each volume: what a gp3 comes with.
const MORE_THROUGHPUT: u64 = 125 << 20;

const GIB: u64 = 1 << 30;

/// A change of a layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// More or fewer volumes in each stripe of a device; a single volume becomes a stripe of two
    /// with a chunk of 4 MiB.
    Volumes {
        /// The device.
        device: String,
        /// How many there are.
        from: u64,
        /// How many there would be.
        to: u64,
        /// GiB of each, where fewer volumes must be larger for the files to fit.
        size: Option<u64>,
    },
    /// More or fewer IOPS on each volume of a device.
    Iops {
        /// The device.
        device: String,
        /// Over how many volumes.
        volumes: u64,
        /// IOs a second of each.
        from: u64,
        /// What each would have.
        to: u64,
    },
    /// Larger or smaller volumes of a type whose IOPS or throughput come with its size.
    Size {
        /// The device.
        device: String,
        /// Over how many volumes.
        volumes: u64,
        /// GiB of each.
        from: u64,
        /// What each would have.
        to: u64,
    },
    /// More or less throughput on each volume of a device.
    Throughput {
        /// The device.
        device: String,
        /// Over how many volumes.
        volumes: u64,
        /// MiB a second of each.
        from: u64,
        /// What each would have.
        to: u64,
    },
    /// More or less on the volumes of a device of which not all can have the same.
    Parts {
        /// The device.
        device: String,
        /// What becomes of the volumes, place by place.
        parts: Vec<Part>,
    },
    /// Another instance: the next larger of its family, a smaller one, or a cheaper one of another
    /// family.
    Instance {
        /// The host; none where the scenario does not name it.
        host: Option<String>,
        /// The instance type.
        from: String,
        /// The other one; none if there is no larger one of its family.
        to: Option<String>,
    },
    /// Volumes of another type, with the IOPS and the throughput that the load takes in its
    /// busiest second and a tenth free, or the most that the type can have. Where limits throttle
    /// closed loops nobody knows what these would take: then with what the type comes with, twice
    /// and four times that.
    Type {
        /// The device.
        device: String,
        /// Over how many volumes.
        volumes: u64,
        /// The type.
        from: String,
        /// The other one.
        to: String,
        /// IOPS that are provisioned of each; none where that is not said, or not the same.
        iops: Option<u64>,
        /// MiB a second that are provisioned of each; none likewise.
        throughput: Option<u64>,
        /// GiB of each, where it is other than now; none likewise.
        size: Option<u64>,
    },
    /// io2 for the journal alone: what its device is made of, or a device of its own.
    Journal {
        /// The job whose journal it is.
        job: String,
        /// The device that it lies on.
        device: String,
        /// Whether it gets a device of its own, as others use that one too.
        apart: bool,
    },
    /// Another setting of what a job replicates to, or of a mirror.
    Setting {
        /// The job, or the device that is a mirror.
        job: String,
        /// Its key, as in `galera.gcache` or `mirror.acknowledge`.
        key: String,
        /// Its value; none where it has none.
        from: Option<String>,
        /// The other one; none where it is taken out.
        to: Option<String>,
        /// Whether fewer other hosts must then have a transaction, or a write, before it is
        /// acknowledged.
        weaker: bool,
    },
    /// One more node of what a job replicates to, like the last one.
    Node {
        /// The job.
        job: String,
        /// Its host.
        host: String,
        /// The zone, which no other host is in; none where hosts have none.
        zone: Option<String>,
        /// How many nodes there are.
        from: u64,
        /// How many there would be.
        to: u64,
    },
}

/// Changes with the overrides that make them.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    pub(super) changes: Changes,
    pub(super) edits: Vec<Edit>,
    /// Why they cannot be had, where that is known beforehand.
    pub(super) refused: Option<String>,
    /// Whether they are there to save money: not worth a word where they cannot be had or cost
    /// more.
    pub(super) saves: bool,
}

impl Proposal {
    pub(super) fn of(changes: impl Into<Changes>, edits: Vec<Edit>) -> Self {
        Self {
            changes: changes.into(),
            edits,
            refused: None,
            saves: false,
        }
    }

    /// This and another.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            changes: self.changes.and(&other.changes),
            edits: [self.edits, other.edits].concat(),
            ..other
        }
    }

    fn saving(changes: impl Into<Changes>, edits: Vec<Edit>) -> Self {
        Self {
            saves: true,
            ..Self::of(changes, edits)
        }
    }
}

/// What an instance must have at least, by whoever asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Least {
    /// vCPUs.
    pub vcpu: Option<u64>,
    /// MiB of memory.
    pub memory_mib: Option<u64>,
}

/// A layout that changes are made of.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) resolved: &'a Resolved,
    /// What it did.
    pub(super) facts: &'a Facts,
    pub(super) result: &'a RunResult,
    /// What the load takes of the layout that was asked about.
    pub(super) need: &'a Need,
    pub(super) least: Least,
    /// What an hour of an instance costs.
    pub(super) price: &'a dyn Fn(&str) -> Option<f64>,
}

/// All changes to try: what brings more, those of the devices that IOs wait for most first, and
/// what may save money.
pub(super) fn proposals(of: Layout<'_>) -> Vec<Proposal> {
    let Ok(catalog) = Catalog::get() else {
        return Vec::new();
    };
    let (scenario, resolved, need) = (of.scenario, of.resolved, of.need);
    let mut devices: Vec<_> = used(scenario, resolved).collect();
    let waited_s = |device: &str| waited_s(&of.result.limits, device);
    devices.sort_by(|a, b| waited_s(b.0).total_cmp(&waited_s(a.0)));
    let mut found = replication::proposals(&of);
    found.extend(instance::proposals(scenario, catalog, need, of.facts));
    found.extend(journal::proposals(scenario, resolved, need));
    for (name, device, files) in devices {
        let own = Of {
            name,
            device,
            scenario,
            catalog,
            need,
            files,
        };
        found.extend(own.more_volumes());
        found.extend(own.sustained(of.facts));
        found.extend(own.more(Amount::Iops));
        found.extend(own.more(Amount::Throughput));
        found.extend(own.types());
        found.extend(own.less());
        found.extend(own.fewer_volumes());
    }
    found.extend(other_instance::proposals(
        scenario, catalog, need, of.least, of.price,
    ));
    // io2 for the journal alone may be what another type for its device is.
    let mut known: Vec<Vec<Edit>> = Vec::new();
    found.retain(|proposal| {
        let new = proposal.edits.is_empty() || !known.contains(&proposal.edits);
        known.push(proposal.edits.clone());
        new
    });
    found
}

/// The devices that jobs use, on whatever node, each with where the last of its files ends.
fn used<'a>(
    scenario: &'a Scenario,
    resolved: &'a Resolved,
) -> impl Iterator<Item = (&'a str, &'a Device, u64)> {
    let files = resolved.regions();
    let devices = resolved.storage.devices.iter().enumerate();
    devices.filter_map(move |(index, device)| {
        let own = files.iter().filter(|file| file.device == index);
        let end = own.map(|file| file.offset + file.size).max()?;
        let name = device.name.as_str();
        Some((name, scenario.storage.get(name)?, end))
    })
}

/// How long IOs waited for limits of a device.
fn waited_s(limits: &[LimitTotal], device: &str) -> f64 {
    let own = limits.iter().filter(|limit| {
        let rest = limit.owner.strip_prefix(device);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    own.map(|limit| limit.throttled_s + limit.lag_s).sum()
}
