//! Semi-synchronous replicas that are cut off: how long commits wait, what goes on without them,
//! and what a failover loses then.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, near, run_with};
use crate::membership::{CLUSTER, committed, of_kind, shop};
use blockyard_record::result::ReplicationTotal;
use blockyard_scenario::EventKind;
use blockyard_simulate::Options;

/// Two replicas, of which one must answer within 2 s.
fn run(sets: &[&str]) -> Run {
    let text = CLUSTER
        .replace("duration: 60s", "duration: 30s")
        .replace("galera:", "standbys:")
        .replace("appliers: 4", "appliers: 4\n      semi_sync: {timeout: 2s}")
        .replace("    threads: 8\n", "    threads: 8\n    binlog: 1GiB\n");
    run_with(&text, sets, Options::default())
}

/// Both are cut off from 5 s to 15 s.
const APART: &str = "events=[{at: 5s, cut: ab, for: 10s}, {at: 5s, cut: ac, for: 10s}]";

fn replication(run: &Run) -> &ReplicationTotal {
    shop(run).replication.as_ref().unwrap()
}

/// The first commit that no replica acknowledges waits for the timeout, and all others with it.
/// Then replication is asynchronous until a replica has caught up.
#[test]
fn commits_wait_for_the_timeout_and_then_for_nobody() {
    let apart = run(&[APART]);
    let [event] = of_kind(&apart, EventKind::Asynchronous)[..] else {
        panic!("{:?}", apart.result.events);
    };
    let (from, until) = (event.t_s, event.until_s.unwrap());
    // A hundred commits a second: the first after the cut waits since shortly after it.
    assert!((7.0..7.1).contains(&from), "{from}");
    // A timer of 201 ms, doubled five times, runs out 12.7 s after the first commit.
    assert!((17.6..17.8).contains(&until), "{until}");
    assert_eq!(event.on.as_deref(), Some("shop"));
    // Whoever reads the run is told.
    let resumed = of_kind(&apart, EventKind::Resume);
    let from_a: Vec<_> = resumed
        .iter()
        .filter(|it| it.what.contains("TCP at a "))
        .collect();
    assert_eq!(from_a.len(), 2, "{resumed:?}");
    for event in from_a {
        assert_eq!(event.t_s, 15.0);
        assert!((17.5..17.8).contains(&event.until_s.unwrap()), "{event:?}");
    }
    // What was acknowledged last was so before the cut, by less than a gap between commits.
    let outage = shop(&apart).outage_s;
    assert!((2.0..2.2).contains(&outage), "{outage}");
    assert_eq!(committed(&apart, 6..7), 0);
    near("caught up", committed(&apart, 7..30) as f64, 2500.0, 0.03);
    let of = replication(&apart);
    near("asynchronous", of.asynchronous_s, until - from, 1e-9);
    near(
        "freely",
        of.unacknowledged as f64,
        200.0 + 100.0 * (until - from),
        0.05,
    );
    assert!(of.nodes.iter().all(|it| it.lag.unwrap().unreplayed < 5));
    // One of the two answers all the time.
    let one = run(&["events=[{at: 5s, cut: ab, for: 10s}]"]);
    assert_eq!(shop(&one).outage_s, 0.0);
    assert_eq!(replication(&one).asynchronous_s, 0.0);
    // Both have to.
    let both = run(&[
        "events=[{at: 5s, cut: ab, for: 10s}]",
        "workload.shop.standbys.semi_sync.replicas=2",
    ]);
    near("outage", shop(&both).outage_s, 2.0, 0.1);
    // After a shorter cut TCP tries again before the timeout.
    let short = run(&["events=[{at: 5s, cut: ab, for: 1.3s}, {at: 5s, cut: ac, for: 1.3s}]"]);
    near("outage", shop(&short).outage_s, 7.0 * 0.201, 0.05);
    assert_eq!(replication(&short).asynchronous_s, 0.0);
}

/// Without semi-synchronous replication, or with a timeout of nothing, no commit waits.
#[test]
fn asynchronous_commits_wait_for_nobody() {
    for set in [
        "workload.shop.standbys.semi_sync=null",
        "workload.shop.standbys.semi_sync.timeout=0s",
    ] {
        let free = run(&[APART, set]);
        assert_eq!(shop(&free).outage_s, 0.0, "{set}");
        near("done", shop(&free).count as f64, 3000.0, 0.05);
        let events = of_kind(&free, EventKind::Asynchronous).len();
        assert_eq!(events, usize::from(set.ends_with("0s")));
    }
}

/// Replicas whose engines have closed their connections: commits wait for the timeout, unless they
/// are told not to.
#[test]
fn without_replicas_commits_wait_once_or_not_at_all() {
    let gone = "events=[{at: 5s, fail: data_b}, {at: 5s, fail: data_c}]";
    let waits = run(&[gone]);
    near("outage", shop(&waits).outage_s, 2.0, 0.1);
    assert!(committed(&waits, 10..30) > 1850);
    let none = run(&[
        gone,
        "workload.shop.standbys.semi_sync.wait_no_replica=false",
    ]);
    assert_eq!(shop(&none).outage_s, 0.0);
    assert_eq!(of_kind(&none, EventKind::Asynchronous)[0].until_s, None);
}

/// One that took over from a source with more than it had, and is cut off from the last replica,
/// waits for the timeout: what the old source had is not acknowledged.
#[test]
fn a_new_source_waits_whatever_the_old_one_had() {
    let alone = run(&[
        "events=[{at: 5s, cut: ab, for: 20s}, {at: 5s, cut: ac, for: 20s}, \
         {at: 10s, fail: x}, {at: 10s, cut: bc, for: 20s}]",
        "workload.shop.standbys.failover=5s",
    ]);
    let [_, event] = of_kind(&alone, EventKind::Asynchronous)[..] else {
        panic!("{:?}", alone.result.events);
    };
    // It serves since 15 s.
    assert!((17.0..17.1).contains(&event.t_s), "{event:?}");
}

/// What was committed while replication was asynchronous is lost with the source, nothing else. The
/// one that takes over waits for the replica that is left.
#[test]
fn a_failover_loses_what_was_asynchronous() {
    let failover = "workload.shop.standbys.failover=5s";
    let lost = |at: u32| {
        let events = format!(
            "events=[{{at: 5s, cut: ab, for: 20s}}, {{at: 5s, cut: ac, for: 20s}}, \
             {{at: {at}s, fail: x}}]"
        );
        run(&[&events, failover])
    };
    let early = lost(6);
    assert_eq!(
        (shop(&early).lost, replication(&early).asynchronous_s),
        (0, 0.0)
    );
    let late = lost(10);
    let of = replication(&late);
    assert_eq!(shop(&late).lost, of.unacknowledged);
    near("lost", shop(&late).lost as f64, 500.0, 0.1);
    // It ends with the source.
    near("asynchronous", of.asynchronous_s, 3.0, 0.02);
    let [event] = of_kind(&late, EventKind::Takeover)[..] else {
        panic!("{:?}", late.result.events);
    };
    assert_eq!((event.t_s, event.on.as_deref()), (15.0, Some("b")));
    assert!(event.what.contains("lacks acknowledged transactions"));
    assert!(committed(&late, 17..30) > 1200);
    assert!(of.nodes.last().unwrap().lag.unwrap().unreplayed <= 8);
}

/// A relay log that must be on disk is acknowledged later, and written in more pieces.
#[test]
fn a_durable_relay_log_takes_a_write() {
    let waits = |sets: &[&str]| -> (f64, u64) {
        let run = run(sets);
        let time = &shop(&run).time;
        let spent = time
            .iter()
            .find(|it| format!("{:?}", it.on) == "Replication");
        let io = replication(&run).nodes[0].io.iter();
        let logs: u64 = io
            .filter(|it| format!("{:?}", it.purpose) == "Log")
            .map(|it| it.ios)
            .sum();
        (spent.unwrap().ms, logs)
    };
    let received = waits(&[]);
    let durable = waits(&["workload.shop.standbys.durable_relay_log=true"]);
    near("a round trip", received.0, 1.0, 0.2);
    assert!(durable.0 > received.0 + 0.3, "{durable:?} {received:?}");
    assert!(durable.1 > received.1 + 2500, "{durable:?} {received:?}");
}

/// Replicas get a source's binary log from its memory where no commit waits for its disk. What was
/// not there when its host was lost is gone for clients if it serves again, up to a second of it.
#[test]
fn a_source_that_serves_again_lacks_what_was_only_sent() {
    let back = run(&[
        "workload.shop.log.durable=false",
        "workload.shop.standbys.restart=1s",
        "events=[{at: 10.7s, fail: a, for: 1s}]",
    ]);
    let lost = shop(&back).lost;
    assert!((30..=110).contains(&lost), "{lost}");
    let durable = run(&[
        "workload.shop.standbys.restart=1s",
        "events=[{at: 10.7s, fail: a, for: 1s}]",
    ]);
    assert_eq!(shop(&durable).lost, 0);
}
