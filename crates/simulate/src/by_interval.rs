//! Load that lasts, interval by interval in place of IO by IO.

use std::io;

use blockyard_model::by_interval::ByInterval;
use blockyard_model::storage::Limits;
use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::spec::JobSpec;
use blockyard_record::result::Status;
use blockyard_record::{ByIntervalRecorder, Observer, RunShape, RunTimes};
use blockyard_scenario::Resolved;
use blockyard_scenario::schema::Scenario;

use crate::{Options, Simulated};

const MINUTE: Nanos = 60 * SECOND;

/// Runs `scenario`, as `resolved`, to its end, or until `observer` stops it.
///
/// # Errors
/// `Interrupted` if it is stopped before any time has passed, `InvalidInput` if it cannot be
/// carried by interval; any other kind if the latency log, which stays empty, cannot be made.
pub(crate) fn simulate(
    scenario: &Scenario,
    resolved: &Resolved,
    options: &Options,
    observer: &mut dyn Observer,
) -> io::Result<Simulated> {
    if let Some(log) = &options.latency_log {
        log.open()?.finish()?;
    }
    if options.io_log.is_some() {
        let message = "--io-log: by interval no IO is simulated; expected `by_interval: false`";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let jobs = audible(&resolved.jobs, &options.silent);
    let days = ByInterval::new(&resolved.storage, &jobs, scenario.seed);
    let mut days = days.map_err(|refusal| {
        let message = format!("by interval this cannot be carried: {refusal:?}");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    })?;
    let times = RunTimes {
        interval: interval(scenario, &jobs),
        ..RunTimes::from(scenario)
    };
    let limits = Limits::new(&resolved.storage);
    let shape = RunShape::new(times, &jobs, &resolved.storage, &limits);
    let mut recorder = ByIntervalRecorder::new(shape, days.balances_pct());
    let mut status = Status::Complete;
    let mut end = 0;
    while end < times.duration {
        end = times.duration.min(end + times.interval);
        let rows = recorder.interval(end, &days.advance(end));
        observer.interval(recorder.shape(), rows, None);
        if end < times.duration && observer.stopped() {
            status = Status::Interrupted;
            break;
        }
    }
    Ok(Simulated {
        result: recorder.result(scenario, resolved, status),
        by_step: Vec::new(),
        figures: options
            .figures
            .iter()
            .map(|it| recorder.figure(it))
            .collect(),
    })
}

/// The length of a row's interval: the scenario's from a minute on, or that of the demand where it
/// is even, and a minute otherwise, as far as all times are whole ones.
fn interval(scenario: &Scenario, jobs: &[JobSpec]) -> Nanos {
    let own = scenario.interval.nanos();
    if own >= MINUTE {
        return own;
    }
    let demand = jobs.iter().filter_map(JobSpec::demand);
    let begins: Vec<_> = demand
        .flat_map(|demand| demand.steps.iter().map(|step| step.from))
        .collect();
    let others = [scenario.duration.nanos(), scenario.warmup.nanos()];
    let together = begins.iter().copied().chain(others).fold(0, common);
    let even = begins
        .windows(2)
        .all(|pair| pair[1] == 0 || pair[1] - pair[0] == together);
    match even && begins.len() > 1 {
        true => together,
        false => common(together, MINUTE),
    }
}

/// The greatest common divisor.
fn common(a: Nanos, b: Nanos) -> Nanos {
    if b == 0 { a } else { common(b, a % b) }
}

/// The jobs, of which the silent ones ask for nothing.
fn audible(jobs: &[JobSpec], silent: &[usize]) -> Vec<JobSpec> {
    let mut jobs = jobs.to_vec();
    for (number, job) in jobs.iter_mut().enumerate() {
        if silent.contains(&number) {
            job.silence_demand();
        }
    }
    jobs
}
