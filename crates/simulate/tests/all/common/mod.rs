//! Runs scenarios for the tests beside this folder.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

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

/// The text of a scenario file below `scenarios`, with the whole path of its trace, if it has one.
pub fn scenario(path: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let text = std::fs::read_to_string(format!("{folder}/{path}")).unwrap();
    let own = path.split_once('/').map_or("", |it| it.0);
    text.replace("trace: ", &format!("trace: {folder}/{own}/"))
}

/// The paths of all scenario files, below `scenarios`.
pub fn scenarios() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        for file in std::fs::read_dir(format!("{folder}/{name}")).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            // What examples are made of lies beside them.
            if file.ends_with(".yaml") {
                found.push(format!("{name}/{file}"));
            }
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

/// A link that lets 128 KiB be under way.
pub const BUFFER: &str = "socket_buffer: 128KiB";

/// Writers on a mirror over a link, of which `more` says more, and readers beside them.
pub fn mirrored(letter: char, read: &str, more: &str) -> String {
    format!(
        "name: links
duration: 4s
warmup: 1s
hosts:
  near: {{instance: m5.8xlarge}}
  far: {{instance: m5.8xlarge}}
links:
  wan: {{between: [near, far], round_trip: 2ms, bandwidth: 10Gbit/s, {more}}}
storage:
  data:
    mirror:
      legs:
        near: {{type: gp3, size: 50GiB, tokens: 0%, iops: 10000, throughput: 1000MiB/s, host: near}}
        far: {{type: gp3, size: 50GiB, tokens: 0%, iops: 10000, throughput: 1000MiB/s, host: far}}
      link: wan
      acknowledge: {letter}
      read: {read}
workload:
  writers:
    {{kind: access_spec, on: data, file_size: 10GiB, processes: 16,
     pattern: {{size: 64KiB, read: 0%, random: 100%}}}}
  readers:
    {{kind: access_spec, on: data, file_size: 10GiB, processes: 2,
     pattern: {{size: 4KiB, read: 100%, random: 100%}}}}
"
    )
}

/// While the write daemons write the database, 200 of their writes stand before each read.
pub const STALLS: &str = "
{name: stalls, duration: 50s, warmup: 5s, as_of: 2026-11-01,
 storage: {data: {type: gp3, size: 200GiB, iops: 6000, discipline: fifo},
  wij: {type: gp3, size: 100GiB, throughput: 500MiB/s}},
 workload: {
  readers: {kind: ranread, on: data, file_size: 50GiB, processes: 4},
  writers: {kind: ranwrite, on: {data: data, wij: wij, journal: wij}, file_size: 50GiB,
   cache: 2GiB, processes: 10, cycle: 30s, wij: {file_size: 2GiB},
   wdparm: {daemons: 8, outstanding: 200, per_daemon: 32}}},
 goals: [readers.latency.p99 < 5ms, readers.worst_second.p99 < 5ms,
  readers.worst_second.p99 < 40ms, readers.read.time_above(5ms) < 1%,
  readers.step 1.time_above(5ms) < 50%]}
";

/// The five configurations of InfoScale, in `scenarios/infoscale`.
pub const CONFIGURATIONS: [&str; 5] = [
    "1-single-node",
    "2-shared-disk",
    "3-mirror-tcp",
    "4-mirror-udp",
    "5-mirror-two-zones",
];
