//! Many scenarios at once give what each gives alone, in their order.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::{Duration, Instant};

use blockyard_record::Detail;
use blockyard_simulate::{Options, Ran, ScenarioText, simulate_many};
use common::run_with;

const GP3: &str = "
{name: gp3, duration: 6s, warmup: 2s, repeats: 3, storage: {data: {type: gp3, size: 100GiB}},
 workload: {readers: {kind: ranread, on: data, file_size: 10GiB, processes: [4, 16]}}}
";

fn text(text: &str, sets: &[&str]) -> ScenarioText {
    ScenarioText {
        text: text.into(),
        file_name: "test.yaml".into(),
        sets: sets.iter().map(|&set| set.into()).collect(),
    }
}

fn all(scenarios: &[ScenarioText], threads: usize, detail: Detail) -> Vec<Ran> {
    let runs = simulate_many(scenarios, threads, detail, |run| run, &mut || false);
    runs.unwrap().unwrap()
}

#[test]
fn every_run_is_what_its_scenario_gives_alone_whatever_the_threads() {
    let scenarios = [
        text(GP3, &[]),
        text("{}", &[]),
        text(GP3, &["seed=7", "repeats=1", "storage.data.iops=4000"]),
        text(GP3, &["repeats=1", "workload.readers.file_size=200GiB"]),
    ];
    for threads in [1, 3] {
        let runs = all(&scenarios, threads, Detail::Totals);
        let which: Vec<_> = runs.iter().map(|run| run.scenario).collect();
        assert_eq!(which, [0, 0, 0, 1, 2, 3]);
        for (run, sets) in [
            (&runs[0], &["seed=1"][..]),
            (&runs[1], &["seed=2"]),
            (&runs[2], &["seed=3"]),
            (&runs[4], &["seed=7", "storage.data.iops=4000"]),
        ] {
            let alone = run_with(GP3, sets, Options::default()).bytes();
            let result = run.result.as_ref().unwrap();
            assert!(serde_json::to_string(result).unwrap() == alone, "{sets:?}");
            let told = Some(("gp3".to_owned(), result.seed));
            assert_eq!(run.name_and_seed, told);
            assert!(run.intervals.is_none());
        }
        for (run, place) in [
            (&runs[3], "test.yaml:1: "),
            (&runs[5], "--set: workload.readers"),
        ] {
            let error = run.result.as_ref().unwrap_err();
            assert!(error.starts_with(place) && !error.contains('\n'), "{error}");
            assert!(run.name_and_seed.is_none());
        }
    }
}

#[test]
fn intervals_are_kept_where_they_are_asked_for() {
    let runs = all(&[text(GP3, &["repeats=1"])], 2, Detail::Intervals);
    let (_, intervals) = runs[0].intervals.as_ref().unwrap();
    let alone = run_with(GP3, &[], Options::default());
    assert_eq!(*intervals, alone.intervals);
}

#[test]
fn a_stop_ends_all_of_them() {
    let long = text(
        GP3,
        &["duration=100h", "interval=1h", "warmup=0s", "repeats=500"],
    );
    let begun = Instant::now();
    let mut stopped = || begun.elapsed() > Duration::from_millis(100);
    let runs = simulate_many(&vec![long; 3], 2, Detail::Totals, |run| run, &mut stopped);
    assert!(runs.unwrap().is_none());
    assert!(begun.elapsed() < Duration::from_secs(30));
}
