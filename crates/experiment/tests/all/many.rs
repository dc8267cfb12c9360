//! Many scenarios at once give what each gives alone, in their order.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use crate::common::runs::{CONFIGURATIONS, run_with, scenario};
use crate::common::text;
use blockyard_experiment::{Ran, ScenarioText, simulate_many};
use blockyard_record::Detail;
use blockyard_simulate::Options;

const GP3: &str = "
{name: gp3, duration: 6s, warmup: 2s, repeats: 3, storage: {data: {type: gp3, size: 100GiB}},
 workload: {readers: {kind: ranread, on: data, file_size: 10GiB, processes: [4, 16]}}}
";

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

#[test]
fn runs_with_events_are_the_same_on_any_number_of_threads() {
    let kinds = ["fail", "modify", "add"];
    let texts: Vec<_> = kinds
        .iter()
        .map(|kind| {
            text(
                &scenario(&format!("examples/event-{kind}.yaml")),
                &["repeats=2"],
            )
        })
        .collect();
    let ran = |threads| {
        let keep = |ran: Ran| serde_json::to_string(&ran.result.unwrap()).unwrap();
        simulate_many(&texts, threads, Detail::Totals, keep, &mut || false)
            .unwrap()
            .unwrap()
    };
    let alone: Vec<String> = ran(1);
    assert_eq!(alone, ran(3));
    assert!(alone[0].contains("\"kind\":\"fail\""));
}

#[test]
fn runs_over_links_are_the_same_on_any_number_of_threads() {
    let short = ["duration=2s", "warmup=1s", "repeats=2"];
    let texts =
        CONFIGURATIONS.map(|name| text(&scenario(&format!("infoscale/{name}.yaml")), &short));
    // Links draw as well.
    let mut texts = texts.to_vec();
    texts.extend(texts.clone().split_off(2).into_iter().map(|mut lossy| {
        let sets = ["links.llt.loss=1%", "links.llt.jitter=0.1ms"];
        lossy.sets.extend(sets.map(Into::into));
        lossy
    }));
    let run = |threads| {
        let keep = |ran: Ran| serde_json::to_string(&ran.result.unwrap()).unwrap();
        simulate_many(&texts, threads, Detail::Totals, keep, &mut || false)
    };
    assert_eq!(run(1).unwrap(), run(3).unwrap());
}
