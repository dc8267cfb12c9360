//! Links that are slow or lose packets.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{run, scenario};

/// Commits of a cluster take a round trip: with a slow link that of the event, and no less. More
/// where they wait for a message to go in.
#[test]
fn commits_of_a_cluster_take_the_round_trip_of_a_degraded_link() {
    let text = scenario("examples/galera-lost-zone.yaml");
    let text = text.replace("duration: 100s", "duration: 10s");
    let (before, _) = text.split_once("events:").unwrap();
    let latency = |events: &str| {
        let run = run(&format!("{before}{events}"));
        let told: Vec<_> = run.result.events.iter().map(|it| it.what.clone()).collect();
        let of = &run.result.transactions[0];
        (of.latency_us.unwrap().p50, told)
    };
    let (whole, _) = latency("");
    let degraded = "events: [{at: 1s, degrade: ac, to: 50%, round_trip: 50ms, loss: 1%}]";
    let (slow, told) = latency(degraded);
    assert_eq!(
        told,
        ["ac degrades to 50% of its bandwidth, a round trip of 50ms, a loss of 1%"]
    );
    let more = slow - whole;
    assert!(
        (49_000.0..75_000.0).contains(&more),
        "{whole} us, then {slow}"
    );
}
