//! The real clock: the workload model on real files and block devices.
//!
//! [`bench`] drives the very jobs that a simulation drives, from the same
//! seed, and measures with the same recorder; only the clock and the storage
//! are real.

mod engine;
mod hosts;
mod layout;
mod machine;
mod memory;
mod payload;
mod provenance;
mod run;
pub mod safety;
mod samples;
mod share;
mod steady;
mod target;
mod thread_context;
mod verify;
mod worker;

use std::path::PathBuf;

pub use blockyard_machine::Error;
use blockyard_model::workload::spec::JobSpec;
use blockyard_record::Observer;
use blockyard_record::result::{RunResult, Status};
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::units::Size;
use blockyard_scenario::{EventKind, Resolved, ResolvedEvent};
use serde::Deserialize;

pub use engine::Engine;
pub use hosts::{Host, HostsFile, hosts};
pub use steady::Steady;

use crate::run::Run;
use crate::target::Targets;

/// How to run a scenario on real storage. The names are those of the command line's
/// options, so that an error can name the option.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What each device of the scenario is: a file, a folder, a block device
    /// or `null:`.
    pub map: Vec<(String, PathBuf)>,
    /// Scales the scenario's files so that those of the largest device take
    /// this much.
    pub size: Option<Size>,
    /// Targets that may be overwritten although they hold something.
    pub overwrite: Vec<PathBuf>,
    /// How IO is done; the best way there is unless stated, or for `auto`.
    #[serde(deserialize_with = "engine::or_auto")]
    pub engine: Option<Engine>,
    /// Threads that issue IO; unless stated, one for every 64 IOs in flight,
    /// and not more than there are processors.
    pub threads: Option<u32>,
    /// Whether blocks are stamped and reads are checked.
    pub verify: bool,
    /// How often targets are written through before the run, besides the once
    /// that a new file is.
    pub precondition: u32,
    /// When to end the run early.
    pub steady_stop: Option<Steady>,
    /// When the run began, for the result.
    pub started: String,
    /// The file that gets each interval's latencies.
    pub latency_log: Option<PathBuf>,
    /// The file that gets a line for each IO.
    pub io_log: Option<PathBuf>,
}

/// Runs `scenario`, as `resolved`, on the targets of `options`.
///
/// A run that fails after it has begun (an IO error, a bad block, IOs that never complete) is a
/// result all the same, with the figures up to then.
///
/// # Errors
/// If nothing could be measured: see [`Error`].
pub fn bench(
    scenario: &Scenario,
    resolved: &Resolved,
    options: Options,
    observer: &mut dyn Observer,
) -> Result<RunResult, Error> {
    simulated_only(&resolved.jobs)?;
    if let Some(steady) = options.steady_stop {
        steady.check(scenario.duration.nanos() - scenario.warmup.nanos())?;
    }
    let mut jobs = resolved.jobs.clone();
    jobs.iter_mut().for_each(JobSpec::leave_out_file_systems);
    if let Some(size) = options.size {
        layout::scale(&mut jobs, size.bytes())?;
    }
    let engine = options.engine.unwrap_or_else(Engine::best);
    memory::check(&jobs, options.verify, engine)?;
    let devices: Vec<_> = resolved
        .storage
        .devices
        .iter()
        .map(|device| device.name.clone())
        .collect();
    let targets = Targets::open(&devices, &jobs, &options)?;
    observer.checked();
    if observer.stopped() {
        targets.remove_new();
        return Err(Error::Stopped);
    }
    targets.prepare(&jobs, &options, observer)?;
    let run = Run::new(scenario, resolved, jobs, targets, options)?;
    let mut outcome = run.carry_out(observer)?;
    if let Some(error) = &outcome.summary.unwritten {
        observer.unwritten(error);
    }
    if let Some(failure) = resolved.jobs.iter().find_map(JobSpec::unreadable) {
        outcome.status = Status::Failed;
        outcome.reason.get_or_insert(failure);
    }
    let mut result = outcome.result(scenario, resolved);
    result.notices.extend(events_left_out(resolved));
    result.notices.extend(mirrors_left_out(resolved));
    Ok(result)
}

/// An engine's log is not flushed, which real storage needs and EBS does not: what it did here
/// would not be what a database does.
fn simulated_only(jobs: &[JobSpec]) -> Result<(), Error> {
    match jobs.iter().find(|job| job.transactions().is_some()) {
        None => Ok(()),
        Some(job) => Err(Error::Input(format!(
            "workload.{}: an `oltp` job is for `simulate`; to try real storage, run the database \
             itself",
            job.name()
        ))),
    }
}

/// Jobs run on this machine's storage: nothing is shipped from there.
fn mirrors_left_out(resolved: &Resolved) -> impl Iterator<Item = String> {
    let jobs = resolved.jobs.iter();
    let mirrored = jobs.filter(|job| job.journal_mirror().is_some());
    mirrored.map(|job| {
        let name = job.name();
        format!("workload.{name}.mirror: left out on real storage; its journal was not shipped")
    })
}

/// Real storage does what it does: a scenario's events are for modelled storage, but for the
/// processes that they add.
fn events_left_out(resolved: &Resolved) -> Option<String> {
    let of_storage = |event: &&ResolvedEvent| event.kind != EventKind::Add;
    let count = resolved.events.iter().filter(of_storage).count();
    (count > 0).then(|| {
        format!("events: real storage has its own; {count} of the scenario's did not happen")
    })
}
