//! The node that takes the transactions is lost: who takes them next, from when on, and what is
//! missing then.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, near, run_with};
use crate::membership::{CLUSTER, committed, of_kind, shop};
use blockyard_scenario::EventKind;
use blockyard_simulate::Options;

/// The zone of the first node is lost.
const LOST: &str = "events=[{at: 10s, fail: x, for: 20s}]";

fn run(sets: &[&str]) -> Run {
    run_with(CLUSTER, sets, Options::default())
}

/// The same with standbys; `far` of them is 200 ms away.
fn standbys(sets: &[&str]) -> Run {
    let text = CLUSTER
        .replace("galera:", "standbys:")
        .replace("      appliers: 4\n", "")
        .replace("engine: innodb", "engine: postgres")
        .replace(", binlog: 4KiB", "")
        .replace("x/y: 1ms, x/z: 1ms", "x/y: 200ms, x/z: 300ms");
    run_with(&text, sets, Options::default())
}

/// Nobody takes over where nobody is said to: the service ends, or waits for the node's return.
#[test]
fn without_a_failover_the_service_ends_or_waits() {
    let ended = run(&[LOST]);
    let [stop] = &shop(&ended).stopped[..] else {
        panic!("{:?}", shop(&ended).stopped);
    };
    assert_eq!(
        (&stop.host, stop.failed_io, stop.back_s),
        (&None, None, None)
    );
    assert_eq!(committed(&ended, 11..60), 0);
    near("outage", shop(&ended).outage_s, 50.0, 0.01);
    let waits = run(&[LOST, "workload.shop.galera.restart=6s"]);
    assert_eq!(shop(&waits).stopped[0].back_s, Some(36.0));
    near("outage", shop(&waits).outage_s, 26.0, 0.02);
    near("refused", shop(&waits).refused as f64, 2600.0, 0.05);
    assert!(committed(&waits, 37..60) > 2250);
}

/// The others agree on the loss, the proxy has noticed it, and the first of them serves; the lost
/// node comes back as one that applies.
#[test]
fn another_node_of_a_cluster_takes_over() {
    let sets = [
        "workload.shop.galera.failover=8s",
        "workload.shop.galera.restart=5s",
    ];
    let taken = run(&[
        LOST,
        sets[0],
        sets[1],
        "goals=[shop.transactions.lost <= 0]",
    ]);
    let [event] = of_kind(&taken, EventKind::Takeover)[..] else {
        panic!("{:?}", taken.result.events);
    };
    assert_eq!((event.t_s, event.on.as_deref()), (18.0, Some("b")));
    let total = shop(&taken);
    assert_eq!(total.stopped[0].back_s, event.until_s);
    near("outage", total.outage_s, 8.0, 0.02);
    near("refused", total.refused as f64, 800.0, 0.1);
    near("done", total.count as f64, 5200.0, 0.05);
    assert!(taken.result.goals[0].met && total.lost == 0);
    let [back] = of_kind(&taken, EventKind::CatchUp)[..] else {
        panic!("{:?}", taken.result.events);
    };
    assert_eq!((back.t_s, back.on.as_deref()), (35.0, Some("a")));
    // What it missed from the take-over on, and has applied since, as the third has all the time.
    let nodes = &total.replication.as_ref().unwrap().nodes;
    let hosts: Vec<_> = nodes.iter().map(|it| it.host.as_str()).collect();
    assert_eq!(hosts, ["a", "b", "c"]);
    near("a", nodes[0].applied as f64, 4200.0, 0.05);
    near("b", nodes[1].applied as f64, 1000.0, 0.1);
    near("c", nodes[2].applied as f64, total.count as f64, 0.03);
    // A proxy that is faster than the cluster has to wait for that.
    let soon = run(&[LOST, "workload.shop.galera.failover=1s"]);
    near("outage", shop(&soon).outage_s, 6.0, 0.02);
}

/// Cut off from the others it has no quorum, and they have: the proxy sees that it refuses.
#[test]
fn a_node_without_a_quorum_hands_over() {
    let apart = "events=[{at: 10s, cut: ab, for: 30s}, {at: 10s, cut: ac, for: 30s}]";
    let taken = run(&[apart, "workload.shop.galera.failover=8s"]);
    near("outage", shop(&taken).outage_s, 14.0, 0.02);
    assert!(shop(&taken).stopped.is_empty());
    let [back] = of_kind(&taken, EventKind::CatchUp)[..] else {
        panic!("{:?}", taken.result.events);
    };
    assert_eq!((back.t_s, back.on.as_deref()), (40.0, Some("a")));
    let [without] = of_kind(&taken, EventKind::NoQuorum)[..] else {
        panic!("{:?}", taken.result.events);
    };
    assert_eq!(without.t_s, 16.0);
    assert!(committed(&taken, 25..60) > 3300);
}

/// Cut off, then lost too and started again, it serves once it meets the others: not sooner.
#[test]
fn a_node_without_a_quorum_that_is_lost_too_is_back_with_its_quorum() {
    let apart = "events=[{at: 10s, cut: ab, for: 35s}, {at: 10s, cut: ac, for: 35s}, \
                 {at: 20s, fail: x, for: 5s}]";
    let run = run(&[apart, "workload.shop.galera.restart=1s"]);
    let total = shop(&run);
    let back = total.stopped[0].back_s.unwrap();
    near("back", back, 45.0, 0.02);
    assert_eq!(committed(&run, 17..45), 0);
    assert!(committed(&run, 47..60) > 1200);
}

/// Of two nodes the one that is left has no majority, and takes nothing over.
#[test]
fn one_of_two_takes_nothing_over() {
    let text = CLUSTER.replace(", c: {on: data_c}", "");
    let run = run_with(
        &text,
        &[LOST, "workload.shop.galera.failover=8s"],
        Options::default(),
    );
    assert!(of_kind(&run, EventKind::Takeover).is_empty());
    assert_eq!(committed(&run, 11..60), 0);
}

/// The second is lost, too, while the first is away: the third alone is no majority of two.
#[test]
fn the_last_of_three_waits_for_another() {
    let both = "events=[{at: 10s, fail: x, for: 30s}, {at: 25s, fail: y, for: 5s}]";
    let sets = [
        "workload.shop.galera.failover=8s",
        "workload.shop.galera.restart=1s",
    ];
    let taken = run(&[both, sets[0], sets[1]]);
    let total = shop(&taken);
    assert_eq!(total.stopped.len(), 2);
    // Its host is back 5 s later, and it is started before a proxy gives it up.
    assert_eq!(total.stopped[1].back_s, Some(31.0));
    assert!(committed(&taken, 32..60) > 2700);
}

/// With `FIRST 1` commits wait for the first standby until it is taken for gone, with `ANY 1` not
/// at all. Back, it counts again once it has the log.
#[test]
fn the_first_standby_is_waited_for() {
    let cut = "events=[{at: 10s, cut: ab, for: 30s}]";
    let first = "workload.shop.standbys.method=first";
    assert_eq!(shop(&standbys(&[cut])).outage_s, 0.0);
    near(
        "outage",
        shop(&standbys(&[cut, first])).outage_s,
        30.2,
        0.01,
    );
    let timeout = "workload.shop.standbys.wal_sender_timeout=5s";
    let gone = standbys(&[cut, first, timeout]);
    near("outage", shop(&gone).outage_s, 5.1, 0.03);
    // Eight threads, each a round trip of 200 ms, and not the 300 ms of the other.
    assert!(
        committed(&gone, 41..59) > 650,
        "{}",
        committed(&gone, 41..59)
    );
}

/// A standby is promoted without what had not come to it: nothing, if commits waited for it.
#[test]
fn a_promoted_standby_lacks_what_was_under_way() {
    let failover = "workload.shop.standbys.failover=15s";
    let local = "workload.shop.standbys.synchronous_commit=local";
    let lost = standbys(&[LOST, failover, local, "goals=[shop.transactions.lost <= 0]"]);
    let total = shop(&lost);
    // 100 ms of 100 transactions a second to the nearer one.
    assert!((8..=12).contains(&total.lost), "{}", total.lost);
    assert!(!lost.result.goals[0].met);
    near("outage", total.outage_s, 15.0, 0.02);
    let [event] = of_kind(&lost, EventKind::Takeover)[..] else {
        panic!("{:?}", lost.result.events);
    };
    assert_eq!(event.on.as_deref(), Some("b"));
    assert!(
        event.what.contains("b takes over, and lacks"),
        "{}",
        event.what
    );
    assert!(committed(&lost, 26..60) > 3300);
    let synced = standbys(&[LOST, failover]);
    assert_eq!(shop(&synced).lost, 0);
    near("outage", shop(&synced).outage_s, 15.2, 0.03);
    // The standby that is left follows.
    let nodes = &shop(&synced).replication.as_ref().unwrap().nodes;
    assert_eq!(nodes.last().unwrap().lag.unwrap().unreplayed, 0);
}
