//! Hosts that stand still or whose processors are slow.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, near, run_with, scenario};
use crate::membership::{CLUSTER, committed, of_kind, shop};
use crate::standbys_return::STANDBYS;
use blockyard_scenario::EventKind;
use blockyard_simulate::Options;

fn cluster(sets: &[&str]) -> Run {
    run_with(CLUSTER, sets, Options::default())
}

fn standbys(sets: &[&str]) -> Run {
    run_with(STANDBYS, sets, Options::default())
}

/// An engine alone: with its host paused it does nothing, though its volume takes no time, and what
/// came due meanwhile is done afterwards.
#[test]
fn an_engine_on_a_paused_host_does_nothing() {
    let text = CLUSTER
        .replace(
            "{type: gp3, size: 90GiB, host: a}",
            "{type: unlimited, size: 90GiB, host: a}",
        )
        .split("    galera:")
        .next()
        .unwrap()
        .to_owned();
    for events in [
        "events=[{at: 20s, pause: a, for: 10s}]",
        "events=[{at: 20s, pause: a}, {at: 30s, resume: a}]",
    ] {
        let run = run_with(&text, &[events], Options::default());
        assert_eq!(committed(&run, 21..30), 0);
        near("outage", shop(&run).outage_s, 10.0, 0.01);
        near("all", shop(&run).count as f64, 6000.0, 0.03);
        let told: Vec<_> = run
            .result
            .events
            .iter()
            .map(|it| it.what.as_str())
            .collect();
        assert_eq!(told, ["a pauses"]);
    }
}

/// To the others a paused node is a silent one, and back it gets what it has missed; nothing of it
/// is lost, as its engine goes on.
#[test]
fn a_paused_node_is_given_up_and_comes_back() {
    let run = cluster(&["events=[{at: 10s, pause: c, for: 20s}]"]);
    near("outage", shop(&run).outage_s, 6.0, 0.02);
    let [back] = of_kind(&run, EventKind::CatchUp)[..] else {
        panic!("{:?}", run.result.events);
    };
    // The others try to connect to it at 28 and 29 s, and then at 32 s.
    assert!((32.5..32.51).contains(&back.t_s), "{back:?}");
    assert_eq!(back.on.as_deref(), Some("c"));
    assert!(shop(&run).stopped.is_empty());
    let short = cluster(&["events=[{at: 10s, pause: c, for: 3s}]"]);
    assert!(of_kind(&short, EventKind::Left).is_empty());
    // Its connections are closed by then, and others made 1 s later.
    near("outage", shop(&short).outage_s, 4.5, 0.03);
}

/// The node with the load is replaced, if somebody sends clients to another, whose checks fail from
/// the pause on.
#[test]
fn a_paused_writer_hands_over() {
    let paused = "events=[{at: 10s, pause: a, for: 30s}]";
    let taken = cluster(&[paused, "workload.shop.galera.failover=8s"]);
    near("outage", shop(&taken).outage_s, 8.0, 0.02);
    assert!(committed(&taken, 25..60) > 3300);
    let nobody = cluster(&[paused]);
    near("outage", shop(&nobody).outage_s, 30.5, 0.01);
}

/// A standby is promoted instead of a primary that is paused for longer than that takes; the
/// primary then does nothing more, and follows it.
#[test]
fn a_standby_is_promoted_instead_of_a_paused_primary() {
    let sets = [
        "workload.shop.standbys.failover=10s",
        "workload.shop.standbys.synchronous=1",
    ];
    let short = standbys(&["events=[{at: 10s, pause: a, for: 5s}]", sets[0], sets[1]]);
    near("outage", shop(&short).outage_s, 5.0, 0.02);
    assert!(of_kind(&short, EventKind::Takeover).is_empty());
    assert!(shop(&short).stopped.is_empty());
    let long = standbys(&["events=[{at: 10s, pause: a, for: 20s}]", sets[0], sets[1]]);
    near("outage", shop(&long).outage_s, 10.0, 0.03);
    assert_eq!((shop(&long).lost, shop(&long).stopped.len()), (0, 1));
    let [taken] = of_kind(&long, EventKind::Takeover)[..] else {
        panic!("{:?}", long.result.events);
    };
    near("taken", taken.t_s, 20.0, 0.01);
    let [back] = of_kind(&long, EventKind::CatchUp)[..] else {
        panic!("{:?}", long.result.events);
    };
    // 5 s after its host goes on.
    assert_eq!((back.t_s, back.on.as_deref()), (35.0, Some("a")));
    // Without a failover it is a wait.
    let nobody = standbys(&["events=[{at: 10s, pause: a, for: 20s}]"]);
    near("outage", shop(&nobody).outage_s, 20.0, 0.01);
    assert!(of_kind(&nobody, EventKind::Takeover).is_empty());
}

/// Processors at a fifth of their speed do a fifth of what they bound; where they bound nothing
/// they change next to nothing.
#[test]
fn slow_processors_do_as_much_less() {
    let closed = [
        "workload.shop.rate=null",
        "workload.shop.cores=1",
        "workload.shop.transactions.pay.cpu=10ms",
        "workload.shop.pool=6GiB",
        "workload.shop.start=warm",
    ];
    let events = "events=[{at: 20s, degrade: a, to: 20%, for: 20s}]";
    let run = cluster(&[&[events], &closed[..]].concat());
    let rate = |seconds| committed(&run, seconds) as f64 / 15.0;
    near("whole", rate(4..19), 100.0, 0.05);
    near("slow", rate(23..38), 20.0, 0.05);
    near("again", rate(43..58), 100.0, 0.05);
    let open = cluster(&[events]);
    near("open", committed(&open, 20..40) as f64, 2000.0, 0.1);
}

/// A node that applies too slowly stops all by flow control: the cluster is as slow as its slowest
/// node.
#[test]
fn a_slow_node_slows_the_cluster() {
    let sets = [
        "events=[{at: 10s, degrade: b, to: 1%}]",
        "workload.shop.galera.nodes.b.cores=1",
        "workload.shop.transactions.pay.cpu=4ms",
    ];
    let slow = cluster(&sets);
    let replication = shop(&slow).replication.as_ref().unwrap();
    assert!(replication.nodes[0].stopped_s > 20.0, "{replication:?}");
    // One of four pages is changed: 1 ms at full speed.
    near("rate", committed(&slow, 30..60) as f64 / 30.0, 10.0, 0.1);
}

/// The other host of a mirror does not take over while it is paused: it is given up, and the first
/// serves on.
#[test]
fn a_paused_host_takes_nothing_over() {
    let text = scenario("examples/drbd-split-brain.yaml");
    let paused = ["events=[{at: 20s, pause: far, for: 60s}]"];
    let run = run_with(&text, &paused, Options::default());
    assert!(of_kind(&run, EventKind::Takeover).is_empty());
    let ios = |seconds: std::ops::Range<usize>| -> u64 {
        let rows = run.intervals[seconds].iter().flat_map(|it| &it.rows);
        rows.map(|row| row.ios).sum()
    };
    assert_eq!(ios(22..25), 0, "commits wait for the link's timeout of 6 s");
    near("alone", ios(40..80) as f64, 20_000.0, 0.05);
}

/// The host that serves fences nobody while it is paused: the other takes over.
#[test]
fn a_paused_host_does_not_win_the_race_to_fence() {
    let text = scenario("examples/drbd-split-brain.yaml");
    let sets = [
        "storage.data.mirror.fencing=resource_and_stonith",
        "events=[{at: 20s, pause: near}]",
        "duration=60s",
        "goals=[writers.outage <= 31s, writers.lost_bytes <= 0]",
    ];
    let run = run_with(&text, &sets, Options::default());
    let [taken] = of_kind(&run, EventKind::Takeover)[..] else {
        panic!("{:?}", run.result.events);
    };
    assert_eq!(taken.t_s, 50.0);
    assert!(
        run.result.goals.iter().all(|goal| goal.met),
        "{:?}",
        run.result.goals
    );
}

/// A log that is shipped takes no way round a cut, and nobody falls silent when there is none.
#[test]
fn standbys_relay_nothing() {
    let sets = [
        "events=[{at: 5s, cut: ab, for: 40s}, {at: 15s, fail: c, for: 5s}]",
        "workload.shop.standbys.failover=10s",
        "workload.shop.standbys.synchronous_commit=local",
    ];
    let run = standbys(&sets);
    assert!(of_kind(&run, EventKind::Silent).is_empty());
    assert_eq!(shop(&run).outage_s, 0.0);
}
