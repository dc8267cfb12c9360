//! The same scenario, seed and version give the same bytes; what is added
//! elsewhere moves nothing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::LazyLock;

use crate::common::{Run, Seen, run, run_seen, run_with, scenario, scenarios};
use blockyard_record::Detail;
use blockyard_simulate::Options;

/// Every kind of device and job at once, for two cycles of the write daemon.
const EVERYTHING: &str = "
name: everything
as_of: 2022-11-10
duration: 70s
host: {instance: i4i.2xlarge}
storage:
  data:
    stripe: {chunk: 64KiB, width: 3}
    of: {type: gp3, size: 200GiB}
  wij: {type: st1, size: 500GiB}
  log: {linear: [{type: gp2, size: 50GiB, burst_balance: 3%}, {type: io1, size: 50GiB, iops: 500}]}
  local: {type: instance-store}
workload:
  readers: {kind: ranread, on: data, file_size: 100GiB, processes: [1, 4]}
  writers:
    kind: ranwrite
    on: {data: data, wij: wij, journal: log}
    file_size: 20GiB
    cache: 4GiB
    processes: 40
    cycle: 30s
    wij: {file_size: 8GiB}
    wdparm: {daemons: 4, outstanding: 32, per_daemon: 16}
  scan: {kind: access_spec, on: wij, file_size: 100GiB, pattern: 64k-sequential-50-50, outstanding: 8, processes: 2}
  arrivals: {kind: access_spec, on: log, file_size: 60GiB, pattern: 4k-random-50-50, rate: [500/s, 2000/s], latency_limit: 50ms}
  scratch: {kind: access_spec, on: local, file_size: 100GiB, pattern: 4k-random-write, outstanding: 4, processes: 2}
  backup: {kind: access_spec, on: local, file_size: 100GiB, pattern: {size: 4MiB, read: 100%, random: 0%}, outstanding: 8, processes: 2}
";

/// Its first run, which the others are held to.
static FIRST: LazyLock<Run> = LazyLock::new(|| run(EVERYTHING));

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_does_not() {
    let first = &*FIRST;
    assert!(first.bytes() == run(EVERYTHING).bytes(), "results differ");
    let other = run_with(EVERYTHING, &["seed=2"], Options::default());
    assert!(first.bytes() != other.bytes(), "the seed changes nothing");
}

/// The reads of A.002's readers, second by second.
fn readers(run: &Run) -> Vec<blockyard_record::IntervalRow> {
    let series = run
        .shape
        .series
        .iter()
        .position(|&key| run.shape.series_name(key) == "readers.data.read");
    let rows = run
        .intervals
        .iter()
        .map(|interval| &interval.rows[series.unwrap()]);
    rows.map(|row| blockyard_record::IntervalRow {
        series: 0,
        ..row.clone()
    })
    .collect()
}

#[test]
fn what_is_added_on_another_device_moves_nothing() {
    let text = scenario("intersystems-2022/a002.yaml");
    let alone = run_with(&text, &["duration=20s"], Options::default());
    let more = run_with(
        &text,
        &[
            "duration=20s",
            "storage.a={type: gp3, size: 100GiB}",
            "workload.a={kind: ranread, on: a, file_size: 1GiB, processes: 2}",
        ],
        Options::default(),
    );
    assert_eq!(readers(&alone), readers(&more));
}

#[test]
fn names_move_nothing() {
    let names = [
        ("  data:\n", "  a:\n"),
        ("on: data,", "on: a,"),
        ("on: {data: data,", "on: {data: a,"),
        ("  wij: {type", "  z: {type"),
        ("wij: wij,", "wij: z,"),
        ("on: wij,", "on: z,"),
        ("  readers:", "  last:"),
        ("  writers:", "  first:"),
        ("  scan:", "  other:"),
        ("  arrivals:", "  more:"),
    ];
    let renamed = names
        .iter()
        .fold(EVERYTHING.to_owned(), |text, (old, new)| {
            assert!(text.contains(old), "{old}");
            text.replace(old, new)
        });
    let seen = |run: &Run| format!("{:?}", run.intervals);
    assert!(seen(&FIRST) == seen(&run(&renamed)));
}

#[test]
fn every_scenario_in_the_tree_reads_back_as_itself_and_runs() {
    for path in scenarios() {
        let text = scenario(&path);
        let loaded = blockyard_scenario::load(&text, &path, &[]).unwrap();
        let effective = loaded.to_yaml().unwrap();
        let again = blockyard_scenario::load(&effective, &path, &[]).unwrap();
        assert_eq!(loaded.scenario, again.scenario, "{path}");
        let mut seen = stopping_after(2);
        let resolved = again.resolve().unwrap();
        let options = Options::default();
        let result = blockyard_simulate::simulate(&again.scenario, &resolved, options, &mut seen);
        let result = result.unwrap();
        assert_eq!(
            result.status,
            blockyard_record::result::Status::Interrupted,
            "{path}"
        );
        let two_intervals = 2.0 * again.scenario.interval.nanos() as f64 / 1e9;
        assert!(
            (result.duration_s - two_intervals).abs() < 1e-9,
            "{path}: {}",
            result.duration_s
        );
    }
}

/// Asks for the end once it has seen so many intervals.
fn stopping_after(intervals: usize) -> Seen {
    Seen {
        stop_after: Some(intervals),
        ..Seen::default()
    }
}

#[test]
fn with_totals_alone_the_result_is_the_same_and_intervals_have_no_rows() {
    let options = Options {
        detail: Detail::Totals,
        ..Options::default()
    };
    let (whole, totals) = (&*FIRST, run_with(EVERYTHING, &[], options));
    assert!(whole.bytes() == totals.bytes(), "results differ");
    assert_eq!(whole.intervals.len(), totals.intervals.len());
    for interval in &totals.intervals {
        assert!(interval.rows.is_empty() && interval.volumes.is_empty());
    }
}

/// A closed loop on storage that takes no time.
const ENDLESS: &str = "
{name: endless, duration: 1s, storage: {d: {type: unlimited, size: 1GiB}},
 workload: {r: {kind: ranread, on: d, file_size: 1MiB, processes: 1}}}
";

#[test]
fn a_stop_is_heeded_where_no_time_passes() {
    let loaded = blockyard_scenario::load(ENDLESS, "endless.yaml", &[]).unwrap();
    let resolved = loaded.resolve().unwrap();
    let (options, seen) = (Options::default(), &mut stopping_after(0));
    let outcome = blockyard_simulate::simulate(&loaded.scenario, &resolved, options, seen);
    assert_eq!(outcome.unwrap_err().kind(), std::io::ErrorKind::Interrupted);
}

#[test]
fn a_stop_within_an_interval_keeps_what_was_measured() {
    let text = scenario("examples/instance-store.yaml");
    let sets = ["interval=10s", "duration=10s"];
    let run = run_seen(&text, &sets, Options::default(), stopping_after(0));
    let (result, rows) = (&run.result, &run.intervals[0].rows);
    assert_eq!(result.status, blockyard_record::result::Status::Interrupted);
    assert!(0.0 < result.duration_s && result.duration_s < 10.0);
    let counted: u64 = rows.iter().map(|row| row.ios).sum();
    assert!(counted > 0, "{rows:?}");
    assert_eq!(
        result.totals.iter().map(|total| total.ios).sum::<u64>(),
        counted
    );
}
