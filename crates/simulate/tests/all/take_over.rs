//! The node that takes the transactions is lost: who takes them next, from when on, and what is
//! missing then.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, near, run_with};
use crate::membership::{CLUSTER, committed, of_kind, shop};
use blockyard_record::result::SpentOn;
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

/// Changes of the group as they are told: when, what happens to which host, and until when.
fn told(run: &Run) -> Vec<(f64, EventKind, &str, Option<f64>)> {
    let made = [EventKind::Fail, EventKind::Pause, EventKind::Resume];
    let events = run.result.events.iter();
    let events = events.filter(|it| !made.contains(&it.kind));
    events
        .map(|it| (it.t_s, it.kind, it.on.as_deref().unwrap(), it.until_s))
        .collect()
}

/// A writer that stands still is replaced as one that is lost: checks of it end in their timeouts
/// from then on. The others give it up, not it them, and it finds that out when it goes on.
#[test]
fn a_paused_writer_is_replaced_like_a_lost_one() {
    let paused = "events=[{at: 10s, pause: a, for: 20s}]";
    let failover = "workload.shop.galera.failover=8s";
    let taken = run(&[paused, failover]);
    let total = shop(&taken);
    near(
        "outage",
        total.outage_s,
        shop(&run(&[LOST, failover])).outage_s,
        0.02,
    );
    let [silent, left, takeover, back] = told(&taken)[..] else {
        panic!("{:?}", told(&taken));
    };
    assert_eq!(silent, (10.0, EventKind::Silent, "a", Some(16.0)));
    assert_eq!(left, (16.0, EventKind::Left, "a", None));
    assert_eq!(
        (takeover.0, takeover.1, takeover.2),
        (18.0, EventKind::Takeover, "b")
    );
    assert_eq!((back.1, back.2), (EventKind::CatchUp, "a"));
    assert!(
        (30.0..33.0).contains(&back.0) && back.3.is_some(),
        "{back:?}"
    );
    let replication = total.replication.as_ref().unwrap();
    assert_eq!((total.lost, replication.without_quorum_s), (0, 0.0));
    // A proxy that is faster than the cluster has to wait for that.
    let soon = run(&[paused, "workload.shop.galera.failover=1s"]);
    near("outage", shop(&soon).outage_s, 6.0, 0.02);
    // Heard again in time it goes on, and before the proxy has given it up it is back.
    let short = run(&["events=[{at: 10s, pause: a, for: 3s}]", failover]);
    let [silent] = told(&short)[..] else {
        panic!("{:?}", told(&short));
    };
    assert!((13.0..15.0).contains(&silent.3.unwrap()), "{silent:?}");
    assert_eq!(shop(&short).failed, 0);
    let late = run(&[paused, "workload.shop.galera.failover=40s"]);
    let [.., without, _, _] = told(&late)[..] else {
        panic!("{:?}", told(&late));
    };
    assert_eq!((without.0, without.1), (30.0, EventKind::NoQuorum));
    assert!(
        without.3.unwrap() < 37.0 && committed(&late, 38..60) > 2000,
        "{without:?}"
    );
    // One of two: nobody goes on meanwhile.
    let text = CLUSTER.replace(", c: {on: data_c}", "");
    let two = run_with(&text, &[paused, failover], Options::default());
    let [_, left, without, ..] = told(&two)[..] else {
        panic!("{:?}", told(&two));
    };
    assert_eq!((left.1, left.2), (EventKind::Left, "a"));
    assert_eq!((without.0, without.1), (16.0, EventKind::NoQuorum));
    assert!(
        without.3.is_some() && committed(&two, 40..60) > 1800,
        "{without:?}"
    );
}

/// Of a transaction a second gaps of seconds are chance: an outage begins when one is due. None of
/// the warm-up counts, but what it lost does.
#[test]
fn gaps_of_chance_are_no_outage() {
    let rate = "workload.shop.rate=1/s";
    let calm = run(&[rate]);
    assert_eq!(shop(&calm).outage_s, 0.0);
    let failover = "workload.shop.galera.failover=8s";
    let lost = shop(&run(&[rate, LOST, failover])).outage_s;
    // It is over when the next is committed.
    assert!((4.0..12.0).contains(&lost), "{lost}");
    let local = "workload.shop.standbys.synchronous_commit=local";
    let sets = [LOST, "workload.shop.standbys.failover=15s", local];
    let early = standbys(&[sets[0], sets[1], sets[2], "warmup=26s"]);
    assert_eq!(shop(&early).outage_s, 0.0);
    assert!(shop(&early).lost > 0);
}

/// The writer and another are lost at once: the third has no quorum, which nobody else could tell.
#[test]
fn the_last_of_three_says_that_it_has_no_quorum() {
    let both = "events=[{at: 10s, fail: x, for: 20s}, {at: 10s, fail: y, for: 20s}]";
    let sets = [
        "workload.shop.galera.failover=8s",
        "workload.shop.galera.restart=5s",
    ];
    let lost = run(&[both, sets[0], sets[1]]);
    let [without] = of_kind(&lost, EventKind::NoQuorum)[..] else {
        panic!("{:?}", lost.result.events);
    };
    assert_eq!(
        (without.t_s, without.until_s),
        (16.0, shop(&lost).stopped[0].back_s)
    );
    // With a majority left, nobody has to.
    assert!(of_kind(&run(&[LOST, sets[0], sets[1]]), EventKind::NoQuorum).is_empty());
}

/// Commits that wait for a standby that does not answer say for which.
#[test]
fn who_commits_wait_for_is_told() {
    let awaited = |sets: &[&str]| {
        let run = standbys(sets);
        let events = of_kind(&run, EventKind::Silent).into_iter();
        let events = events.map(|it| (it.t_s, it.on.clone().unwrap(), it.until_s));
        events.collect::<Vec<_>>()
    };
    let cut = "events=[{at: 10s, cut: ab, for: 20s}]";
    let first = "workload.shop.standbys.method=first";
    let timeout = "workload.shop.standbys.wal_sender_timeout=5s";
    assert!(awaited(&[cut]).is_empty(), "the other is enough");
    let [(at, node, until)] = &awaited(&[cut, first, timeout])[..] else {
        panic!("{:?}", awaited(&[cut, first, timeout]));
    };
    assert_eq!((*at, &**node, *until), (10.0, "b", Some(15.0)));
    // Both, one after the other: it waits for the one that is back first.
    let both = "events=[{at: 10s, fail: y, for: 20s}, {at: 12s, fail: z, for: 30s}]";
    let restart = "workload.shop.standbys.restart=1s";
    let waits = awaited(&[both, restart]);
    let [(at, node, until)] = &waits[..] else {
        panic!("{waits:?}");
    };
    assert_eq!((*at, &**node), (12.0, "b"));
    // Its link carries its answers once TCP tries again.
    assert!((31.0..36.0).contains(&until.unwrap()), "{until:?}");
    let waited = shop(&standbys(&[both, restart])).outage_s;
    near("outage", waited, until.unwrap() - at, 0.02);
    let local = "workload.shop.standbys.synchronous_commit=local";
    assert!(awaited(&[both, restart, local]).is_empty());
    // A primary that stands still waits for nobody before it goes on.
    let paused = "events=[{at: 10s, pause: a, for: 5s}]";
    let waits = awaited(&[paused]);
    assert!(waits.iter().all(|it| it.0 >= 15.0), "{waits:?}");
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
    assert!((40.5..40.51).contains(&back.t_s), "{back:?}");
    assert_eq!(back.on.as_deref(), Some("a"));
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
    near("back", back, 45.5, 0.001);
    assert_eq!(committed(&run, 17..45), 0);
    assert!(committed(&run, 48..60) > 1100);
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
    let cut = "events=[{at: 10s, cut: ab, for: 20s}]";
    let first = "workload.shop.standbys.method=first";
    assert_eq!(shop(&standbys(&[cut])).outage_s, 0.0);
    near(
        "outage",
        shop(&standbys(&[cut, first])).outage_s,
        25.4,
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

/// A node that comes back while nothing is heard of another joins once the others have agreed on
/// that, and has no vote in it: one of two is no quorum.
#[test]
fn who_comes_back_meanwhile_has_no_vote() {
    let lost = run(&[
        "events=[{at: 10s, fail: z, for: 5s}, {at: 20s, fail: y}]",
        "workload.shop.galera.restart=8s",
    ]);
    let [event] = of_kind(&lost, EventKind::NoQuorum)[..] else {
        panic!("{:?}", lost.result.events);
    };
    assert!((25.0..30.0).contains(&event.t_s), "{}", event.t_s);
    assert_eq!(committed(&lost, 31..60), 0);
}

#[test]
fn a_host_that_is_paused_lacks_no_cores() {
    let paused = run(&["events=[{at: 10s, pause: a, for: 3s}]"]);
    let share = |on| {
        let mut time = shop(&paused).time.iter();
        time.find(|it| it.on == on).map_or(0.0, |it| it.share)
    };
    // Most wait for a thread meanwhile.
    let (pause, core) = (share(SpentOn::Pause), share(SpentOn::Core));
    assert!(pause > 0.01 && core < 0.001, "{pause} {core}");
}
