//! Runs scenarios for the tests beside this folder.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_record::result::{RunResult, Total};
use blockyard_record::{Interval, Observer, RunShape};
use blockyard_scenario::load;
use blockyard_simulate::{Options, simulate};

/// What an observer saw: the shape and the intervals.
#[derive(Default)]
pub struct Seen {
    pub shape: Option<RunShape>,
    pub intervals: Vec<Interval>,
    /// Stop once that many intervals have been seen.
    pub stop_after: Option<usize>,
}

impl Observer for Seen {
    fn interval(&mut self, shape: &RunShape, interval: Interval, _: Option<&serde_json::Value>) {
        self.shape.get_or_insert_with(|| shape.clone());
        self.intervals.push(interval);
    }

    fn stopped(&mut self) -> bool {
        self.stop_after
            .is_some_and(|most| self.intervals.len() >= most)
    }
}

/// A finished run with all its intervals.
pub struct Run {
    pub result: RunResult,
    pub shape: RunShape,
    pub intervals: Vec<Interval>,
}

/// Runs `text`.
pub fn run(text: &str) -> Run {
    run_with(text, &[], Options::default())
}

/// Runs `text` with overrides and options.
pub fn run_with(text: &str, sets: &[&str], options: Options) -> Run {
    run_seen(text, sets, options, Seen::default())
}

/// Runs `text` with overrides and options while `seen` looks on.
pub fn run_seen(text: &str, sets: &[&str], options: Options, mut seen: Seen) -> Run {
    let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).collect();
    let loaded = load(text, "test.yaml", &sets).unwrap_or_else(|error| panic!("{error}"));
    let resolved = loaded.resolve().unwrap_or_else(|error| panic!("{error}"));
    let result = simulate(&loaded.scenario, &resolved, options, &mut seen).unwrap();
    Run {
        result,
        shape: seen.shape.unwrap(),
        intervals: seen.intervals,
    }
}

/// The text of a scenario file below `scenarios`.
pub fn scenario(path: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    std::fs::read_to_string(format!("{folder}/{path}")).unwrap()
}

/// The paths of all scenario files, below `scenarios`.
pub fn scenarios() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        for file in std::fs::read_dir(format!("{folder}/{name}")).unwrap() {
            found.push(format!(
                "{name}/{}",
                file.unwrap().file_name().into_string().unwrap()
            ));
        }
    }
    found.sort();
    found
}

impl Run {
    /// The total of `JOB.DEVICE.OP`.
    pub fn total(&self, name: &str) -> &Total {
        let is = |total: &&Total| format!("{}.{}.{}", total.job, total.device, total.op) == name;
        self.result.totals.iter().find(is).unwrap()
    }

    /// IOs of `JOB.DEVICE.OP`, interval by interval.
    pub fn ios(&self, name: &str) -> Vec<u64> {
        let series = self
            .shape
            .series
            .iter()
            .position(|&key| self.shape.series_name(key) == name);
        self.intervals
            .iter()
            .map(|interval| interval.rows[series.unwrap()].ios)
            .collect()
    }

    /// The result as bytes, to compare runs by.
    pub fn bytes(&self) -> String {
        serde_json::to_string(&self.result).unwrap()
    }
}

/// Asserts that `value` is within `tolerance` (a share) of `expected`.
#[track_caller]
pub fn near(what: &str, value: f64, expected: f64, tolerance: f64) {
    let error = (value / expected - 1.0).abs();
    assert!(
        error <= tolerance,
        "{what}: {value}, expected {expected} within {tolerance}"
    );
}
