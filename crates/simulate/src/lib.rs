//! The virtual clock: the workload model on the device model, event by event.
//!
//! One run stays on one thread and depends on nothing but the scenario, the
//! seed and the version: the same three give the same result to the byte, on
//! any machine.

mod simulation;
mod world;

use std::io;

use blockyard_record::result::RunResult;
use blockyard_record::{Detail, LatencyLog, Observer};
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::{Resolved, units::Duration};

use crate::simulation::{Setup, Simulation};

/// How to run a scenario.
#[derive(Default)]
pub struct Options {
    /// Where each interval's latencies go.
    pub latency_log: Option<LatencyLog>,
    /// Where a line for each IO goes.
    pub io_log: Option<Box<dyn io::Write + Send>>,
    /// What is worked out of each interval.
    pub detail: Detail,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").finish_non_exhaustive()
    }
}

/// Runs `scenario`, as `resolved`, to its end, or until `observer` stops it. It
/// is asked after each interval and every few hundred thousand events, so also
/// where an interval takes long or no time passes; then the interval ends early.
///
/// # Errors
/// `Interrupted` if it is stopped before any time has passed. `InvalidInput` if
/// the run is too long for its number of IOs in flight (4.8 hours with a
/// million); any other kind if the latency log cannot be written.
pub fn simulate(
    scenario: &Scenario,
    resolved: &Resolved,
    options: Options,
    observer: &mut dyn Observer,
) -> io::Result<RunResult> {
    let times = [scenario.interval, scenario.warmup, scenario.duration].map(Duration::nanos);
    let simulation = Simulation::new(Setup {
        storage: &resolved.storage,
        jobs: &resolved.jobs,
        times: times.into(),
        seed: scenario.seed,
        log: options.latency_log,
        io_log: options.io_log,
        detail: options.detail,
    })?;
    Ok(simulation.run(observer)?.result(scenario, resolved))
}
