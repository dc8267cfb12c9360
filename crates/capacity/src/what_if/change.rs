//! The changes of a layout that are tried: what each is, and the overrides that make it.

mod amount;
mod device;
mod instance;
mod journal;
mod lasting;
mod sustained;
mod volume_type;
mod volumes;

use blockyard_catalog::Catalog;
use blockyard_experiment::Edit;
use blockyard_explain::Facts;
use blockyard_scenario::Resolved;
use blockyard_scenario::schema::{Device, Scenario};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::amount::{Amount, Part};
use self::device::Of;

/// How many IOs a second more are tried, on each volume.
const MORE_IOPS: u64 = 1000;

/// How much throughput more is tried, on each volume: what a gp3 comes with.
const MORE_THROUGHPUT: u64 = 125 << 20;

const GIB: u64 = 1 << 30;

/// A change of a layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// One volume more in each stripe of a device; a single volume becomes a stripe of two with a
    /// chunk of 4 MiB.
    Volumes {
        /// The device.
        device: String,
        /// How many there are.
        from: u64,
        /// How many there would be.
        to: u64,
    },
    /// More IOPS on each volume of a device.
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
    /// Larger volumes of a type whose IOPS or throughput come with its size, for as much more of
    /// these.
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
    /// More throughput on each volume of a device.
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
    /// More on the volumes of a device of which not all can have the same.
    Parts {
        /// The device.
        device: String,
        /// What becomes of the volumes, place by place.
        parts: Vec<Part>,
    },
    /// The next size of an instance family.
    Instance {
        /// The host; none where the scenario does not name it.
        host: Option<String>,
        /// The instance type.
        from: String,
        /// The next one of its family; none if it is the largest.
        to: Option<String>,
    },
    /// Volumes of another type, with as many IOPS and as much throughput as they have now for as
    /// long as the load lasts, or the most that the type can have.
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
        /// GiB of each, where it is larger than now; none likewise.
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
}

/// A change with the overrides that make it.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    pub(super) change: Change,
    pub(super) edits: Vec<Edit>,
}

/// All changes to try, those of the devices that IOs wait for most first; `facts` are of the layout
/// as it is.
pub(super) fn proposals(
    scenario: &Scenario,
    resolved: &Resolved,
    facts: &Facts,
    waited_s: impl Fn(&str) -> f64,
) -> Vec<Proposal> {
    let Ok(catalog) = Catalog::get() else {
        return Vec::new();
    };
    let mut devices: Vec<_> = used(scenario, resolved).collect();
    devices.sort_by(|a, b| waited_s(b.0).total_cmp(&waited_s(a.0)));
    let mut found = instance::proposals(scenario, catalog);
    found.extend(journal::proposals(scenario, resolved));
    for (name, device) in devices {
        let of = Of {
            name,
            device,
            scenario,
            catalog,
        };
        found.extend(of.more_volumes());
        found.extend(of.sustained(facts));
        found.extend(of.more_iops());
        found.extend(of.more_throughput());
        found.extend(of.types());
    }
    // io2 for the journal alone may be what another type for its device is.
    let mut known: Vec<Vec<Edit>> = Vec::new();
    found.retain(|proposal| {
        let new = proposal.edits.is_empty() || !known.contains(&proposal.edits);
        known.push(proposal.edits.clone());
        new
    });
    found
}

/// The devices that jobs use.
fn used<'a>(
    scenario: &'a Scenario,
    resolved: &'a Resolved,
) -> impl Iterator<Item = (&'a str, &'a Device)> {
    let files = || resolved.jobs.iter().flat_map(|job| job.files());
    let devices = resolved.storage.devices.iter().enumerate();
    let names = devices
        .filter(move |(index, _)| files().any(|file| file.region.device == *index))
        .map(|(_, device)| device.name.as_str());
    names.filter_map(|name| Some((name, scenario.storage.get(name)?)))
}
