//! Many scenarios at once, a thread each.
//!
//! A batch of an [`Executor`](super::Executor) is variants of scenarios that were read. Here the
//! scenarios are read on the threads too, and what is kept of a run is made there, so that a grid
//! of thousands holds neither their scenarios nor their results.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use blockyard_record::result::RunResult;
use blockyard_record::{Detail, Interval, Observer, RunShape};
use blockyard_scenario::Error;
use blockyard_simulate::Options;
use rayon::prelude::*;
use serde_json::Value;

use super::in_parallel;
use crate::scenario::{Opened, ScenarioText};

/// A run of one of many scenarios.
#[derive(Debug)]
pub struct Ran {
    /// Which scenario, from 0.
    pub scenario: usize,
    /// The scenario's name and the run's seed; none if it could not be read.
    pub name_and_seed: Option<(String, u64)>,
    /// The run's result, or in one line why there is none.
    pub result: Result<RunResult, String>,
    /// With [`Detail::Intervals`], what the run's rows refer to and its intervals.
    pub intervals: Option<(RunShape, Vec<Interval>)>,
}

/// Runs all `scenarios`, their repeats included, on `threads` threads and gives what `keep`
/// makes of each run, in the order of the scenarios and their repeats. A scenario that
/// cannot be read or run is a run without a result. None if `stopped`, which the calling
/// thread asks some fifty times a second, says so first.
///
/// A run is what [`Opened::simulate`] makes of the scenario with the repeat's seed, whatever runs
/// beside it.
///
/// # Errors
/// If threads cannot be started.
pub fn simulate_many<T: Send>(
    scenarios: &[ScenarioText],
    threads: usize,
    detail: Detail,
    keep: impl Fn(Ran) -> T + Sync,
    stopped: &mut dyn FnMut() -> bool,
) -> io::Result<Option<Vec<T>>> {
    let all = |stop: &AtomicBool| -> Vec<T> {
        let scenarios = scenarios.par_iter().enumerate();
        let runs = scenarios.flat_map_iter(|(scenario, text)| {
            let of = Of {
                scenario,
                detail,
                stop,
            };
            of.runs(text, &keep)
        });
        runs.collect()
    };
    in_parallel(threads, stopped, all)
}

/// What the runs of one of many scenarios share.
struct Of<'a> {
    scenario: usize,
    detail: Detail,
    stop: &'a AtomicBool,
}

impl Of<'_> {
    /// What `keep` makes of each; of none any more once they are to stop.
    fn runs<T: Send>(&self, text: &ScenarioText, keep: &(impl Fn(Ran) -> T + Sync)) -> Vec<T> {
        if self.stop.load(Ordering::Relaxed) {
            return Vec::new();
        }
        match read(text) {
            Ok(opened) => {
                let repeats = (0..opened.scenario().repeats.get()).into_par_iter();
                // A run that has begun looks only after a while.
                let repeats = repeats.filter(|_| !self.stop.load(Ordering::Relaxed));
                let runs = repeats.map(|repeat| self.run(&opened, repeat));
                runs.map(keep).collect()
            }
            Err(error) => vec![keep(Ran {
                scenario: self.scenario,
                name_and_seed: None,
                result: Err(error.to_string()),
                intervals: None,
            })],
        }
    }

    fn run(&self, opened: &Opened, repeat: u32) -> Ran {
        let seed = opened.seed().wrapping_add(repeat.into());
        let options = Options {
            detail: self.detail,
            ..Options::default()
        };
        let mut watch = Watch {
            stop: self.stop,
            wanted: self.detail == Detail::Intervals,
            shape: None,
            intervals: Vec::new(),
        };
        let run = opened.clone().seeded(seed);
        let result = run.simulate(options, &mut watch);
        Ran {
            scenario: self.scenario,
            result: result.map_err(|error| error.to_string()),
            name_and_seed: Some((opened.scenario().name.clone(), seed)),
            intervals: watch.shape.map(|shape| (shape, watch.intervals)),
        }
    }
}

fn read(text: &ScenarioText) -> Result<Opened, Error> {
    let opened = text.open()?;
    opened.can_be_simulated()?;
    Ok(opened)
}

/// Watches one run.
struct Watch<'a> {
    stop: &'a AtomicBool,
    /// Whether to keep the intervals.
    wanted: bool,
    shape: Option<RunShape>,
    intervals: Vec<Interval>,
}

impl Observer for Watch<'_> {
    fn interval(&mut self, shape: &RunShape, interval: Interval, _: Option<&Value>) {
        if self.wanted {
            self.shape.get_or_insert_with(|| shape.clone());
            self.intervals.push(interval);
        }
    }

    fn stopped(&mut self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
