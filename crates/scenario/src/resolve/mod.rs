//! From the scenario to the data that the model is built from: looks up names,
//! and checks what no single field can show.

mod by_interval;
mod endless;
mod events;
mod storage;
mod workload;
mod zones;

use std::fmt::Display;

use blockyard_catalog::Catalog;
use blockyard_model::fault::Schedule;
use blockyard_model::spec::StorageSpec;
use blockyard_model::workload::spec::{JobSpec, Region};

use crate::goals::Goal;
use crate::schema::Scenario;

pub(crate) use endless::check as check_endless;
pub use events::{EventKind, OutageStep, ResolvedEvent, ResolvedOutage, StepKind};
pub(crate) use storage::HostNames;
pub use storage::{Bought, BoughtVolume, Direction, ResolvedLimit, RestsOn};
pub use workload::{ReplayedRecording, ReplayedStreams, StreamKind};
pub use zones::Zones;

/// A scenario in the terms of the model.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Hosts, volumes and devices.
    pub storage: StorageSpec,
    /// The zones that the hosts are in.
    pub zones: Zones,
    /// By host: how many virtual processors it has, if its instance is stated.
    pub cores: Vec<Option<u64>>,
    /// What hosts and volumes are bought as.
    pub bought: Bought,
    /// The jobs, in the scenario's order.
    pub jobs: Vec<JobSpec>,
    /// Whether load is carried by interval, in place of IO by IO.
    pub by_interval: bool,
    /// The goals, in the scenario's order.
    pub goals: Vec<Goal>,
    /// Every limit of the storage, with what it rests on.
    pub limits: Vec<ResolvedLimit>,
    /// What the figures of each device's reads and writes rest on.
    pub rests_on: Vec<RestsOn>,
    /// What happens to the storage, as the model gets it.
    pub schedule: Schedule,
    /// The scenario's events in the order of their times, as results tell of them; what ends
    /// another is told with that.
    pub events: Vec<ResolvedEvent>,
    /// What a user must know about the limits as a whole, and about what the model assumes of
    /// file systems; usually empty.
    pub notices: Vec<String>,
    /// What jobs replay.
    pub recordings: Vec<ReplayedRecording>,
}

impl Resolved {
    /// Where the files of all jobs lie, on all of their nodes.
    pub fn regions(&self) -> Vec<Region> {
        let files = self.jobs.iter().flat_map(JobSpec::on_nodes);
        files.flatten().collect()
    }
}

/// Resolves a checked scenario with the limits of `catalog`.
pub(crate) fn resolve(
    scenario: &Scenario,
    goals: &[Goal],
    catalog: &Catalog,
) -> Result<Resolved, Invalid> {
    if let Some(region) = &scenario.region {
        let known = catalog.prices(region, scenario.as_of);
        known.map_err(|unknown| Invalid::new("region", unknown))?;
    }
    let zones = Zones::resolve(scenario)?;
    let mut storage = storage::storage(scenario, &zones, catalog)?;
    let outdated = catalog.outdated(scenario.as_of);
    let outdated = outdated.filter(|_| !storage.limits.is_empty());
    let mut of_jobs = workload::OfJobs::default();
    let mut jobs = workload::jobs(scenario, &storage.spec, &zones, catalog, &mut of_jobs)?;
    workload::check_hosts(scenario, &storage.spec, &jobs)?;
    storage.events.fit(&jobs)?;
    workload::lay_links(&storage.spec, &mut jobs, &mut storage.events)?;
    let by_interval = by_interval::is_by_interval(scenario, &storage.spec, &jobs, goals)?;
    let notices = outdated.iter().map(ToString::to_string);
    Ok(Resolved {
        storage: storage.spec,
        zones,
        cores: storage.cores,
        bought: storage.bought,
        jobs,
        by_interval,
        goals: goals.to_vec(),
        limits: storage.limits,
        rests_on: storage.rests_on,
        schedule: storage.events.schedule,
        events: storage.events.list,
        notices: notices
            .chain(workload::notices(scenario, catalog))
            .chain(of_jobs.notices)
            .chain(storage.events.notices)
            .collect(),
        recordings: of_jobs.recordings,
    })
}

/// A well-formed scenario is inconsistent: in which field, and why. Its place
/// is looked up in the tree when this becomes an [`Error`](crate::Error), so
/// that nothing here needs the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    /// The field's path, `storage.data.of.iops`.
    pub(crate) path: String,
    /// What is wrong and what was expected.
    pub(crate) message: String,
}

impl Invalid {
    pub(crate) fn new(path: impl Into<String>, message: impl Display) -> Self {
        Self {
            path: path.into(),
            message: message.to_string(),
        }
    }

    /// The same with what else to know.
    pub(crate) fn with(mut self, more: &str) -> Self {
        self.message.push_str(more);
        self
    }
}
