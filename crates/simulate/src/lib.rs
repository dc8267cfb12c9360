//! The virtual clock: the workload model on the device model, event by event.
//!
//! One run stays on one thread and depends on nothing but the scenario, the
//! seed and the version: the same three give the same result to the byte, on
//! any machine.

mod by_interval;
mod carried;
mod simulation;
mod world;

use std::io;
use std::path::PathBuf;

use blockyard_model::workload::spec::JobSpec;
use blockyard_record::result::RunResult;
use blockyard_record::{Detail, InMemory, LatencyLog, Observer, SeriesSteps, new_file};
use blockyard_scenario::Resolved;
use blockyard_scenario::goals::Subject;
use blockyard_scenario::schema::Scenario;

use crate::simulation::{Setup, Simulation};

/// How to run a scenario.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What gets each interval's latencies.
    pub latency_log: Option<LogTo>,
    /// The file that gets a line for each IO.
    pub io_log: Option<PathBuf>,
    /// What is worked out of each interval.
    pub detail: Detail,
    /// The numbers of jobs that issue nothing. The others draw their random numbers as ever.
    pub silent: Vec<usize>,
    /// Figures that are asked for besides the result's.
    pub figures: Vec<Subject>,
}

/// What a run gave.
#[derive(Debug)]
pub struct Simulated {
    /// Its result.
    pub result: RunResult,
    /// The latencies of each load step.
    pub by_step: Vec<SeriesSteps>,
    /// The [figures](Options::figures) that were asked for, latencies in seconds; none of what
    /// nothing was measured of.
    pub figures: Vec<Option<f64>>,
}

/// Where a log goes.
#[derive(Clone, Debug)]
pub enum LogTo {
    /// Into a new file.
    File(PathBuf),
    /// Into memory, for where there are no files.
    Memory(InMemory),
}

impl LogTo {
    fn open(&self) -> io::Result<LatencyLog> {
        LatencyLog::new(match self {
            Self::File(path) => new_file(path)?,
            Self::Memory(text) => Box::new(text.clone()),
        })
    }
}

/// Runs `scenario`, as `resolved`, to its end, or until `observer` stops it. It
/// is asked after each interval and every few hundred thousand events, so also
/// where an interval takes long or no time passes; then the interval ends early.
///
/// # Errors
/// `Interrupted` if it is stopped before any time has passed. `InvalidInput` if
/// the run is too long for its number of IOs in flight (4.8 hours with a
/// million); any other kind if a log cannot be begun. That one ends early, `observer` is told.
pub fn simulate(
    scenario: &Scenario,
    resolved: &Resolved,
    options: Options,
    observer: &mut dyn Observer,
) -> io::Result<RunResult> {
    simulate_in_full(scenario, resolved, options, observer).map(|simulated| simulated.result)
}

/// As [`simulate`], with the latencies of each load step and further figures beside the result.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_in_full(
    scenario: &Scenario,
    resolved: &Resolved,
    options: Options,
    observer: &mut dyn Observer,
) -> io::Result<Simulated> {
    if resolved.by_interval {
        return by_interval::simulate(scenario, resolved, &options, observer);
    }
    let latency_log = options.latency_log.as_ref().map(LogTo::open);
    let io_log = options.io_log.as_deref().map(new_file);
    let simulation = Simulation::new(Setup {
        resolved,
        times: scenario.into(),
        seed: scenario.seed,
        log: latency_log.transpose()?,
        io_log: io_log.transpose()?,
        detail: options.detail,
        silent: options.silent,
    })?;
    let mut outcome = simulation.run(observer)?;
    if let Some(error) = &outcome.summary.unwritten {
        observer.unwritten(error);
    }
    if let Some(failure) = resolved.jobs.iter().find_map(JobSpec::unreadable) {
        return Err(io::Error::other(failure));
    }
    let figures = options.figures.iter();
    let figures = figures.map(|figure| outcome.figure(figure)).collect();
    let by_step = std::mem::take(&mut outcome.summary.by_step);
    let mut result = outcome.result(scenario, resolved);
    let measured_s = result.duration_s - scenario.warmup.nanos() as f64 / 1e9;
    let carried = carried::notices(&result, resolved, measured_s);
    result.notices.extend(carried);
    Ok(Simulated {
        result,
        by_step,
        figures,
    })
}
