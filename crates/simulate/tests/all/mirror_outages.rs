//! The longest times without service of mirrors: what results say is what goals are judged by.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use crate::common::{Run, near, run_with, scenario};
use blockyard_simulate::Options;

/// What a goal of `outage` measured, in seconds: `6.000s, 500.0% too high`.
fn measured(run: &Run, goal: usize) -> f64 {
    let text = &run.result.goals[goal].measured;
    let time = text.split(',').next().unwrap().trim();
    match (time.strip_suffix("ms"), time.strip_suffix('s')) {
        (Some(ms), _) => ms.parse::<f64>().unwrap() / 1000.0,
        (None, Some(s)) => s.parse().unwrap(),
        _ => panic!("{text}"),
    }
}

/// A mirror's is the longest of all jobs on it, each of which has its own: readers are served by
/// their own host while writers wait.
#[test]
fn a_mirror_was_without_service_for_as_long_as_the_job_that_it_failed_most() {
    let text = scenario("examples/drbd-split-brain.yaml");
    let goals = "goals=[writers.outage <= 1s, readers.outage <= 1s]";
    let readers = "workload.readers={kind: ranread, on: data, file_size: 1GiB, processes: 1}";
    let of = |events: &str| {
        let sets = ["duration=40s", goals, readers, events];
        let run = run_with(&text, &sets, Options::default());
        (run.result.mirrors[0].outage_s, run)
    };
    let (outage_s, run) = of("events=[{at: 10s, cut: replication, for: 4s}]");
    let (writers, readers) = (measured(&run, 0), measured(&run, 1));
    // TCP sends again when its timer runs out.
    near("writers", writers, 6.0, 0.01);
    assert_eq!(readers, 0.0);
    near("mirror", outage_s.unwrap(), writers, 1e-3);
    assert!(run.result.goals[1].met && !run.result.goals[0].met);
    // With the first host both wait, and the readers to the end of its failure.
    let (outage_s, run) = of("events=[{at: 10s, fail: near, for: 10s}]");
    let longest = measured(&run, 0).max(measured(&run, 1));
    assert!(longest > 9.0, "{longest}");
    near("mirror", outage_s.unwrap(), longest, 1e-3);
    let (outage_s, run) = of("events=[]");
    assert_eq!((outage_s, measured(&run, 0)), (None, 0.0));
}

/// That of a journal is its longest pause, and not the sum.
#[test]
fn a_journal_was_without_service_for_its_longest_pause() {
    let text = scenario("examples/iris-mirror.yaml");
    let of = |events: &str| {
        let sets = [
            "duration=60s",
            "workload.writers.processes=1",
            "goals=[writers.outage <= 5s]",
            events,
        ];
        let run = run_with(&text, &sets, Options::default());
        (run.result.journal_mirrors[0].clone(), run)
    };
    let (mirror, run) =
        of("events=[{at: 5s, cut: mirror, for: 15s}, {at: 35s, pause: primary, for: 12s}]");
    let longest = measured(&run, 0);
    near("field", mirror.outage_s.unwrap(), longest, 1e-3);
    assert!(
        mirror.pauses > 1 && mirror.paused_s > longest + 1.0,
        "{mirror:?}"
    );
    let (mirror, run) = of("events=[]");
    assert_eq!((mirror.outage_s, measured(&run, 0)), (None, 0.0));
}
