//! Members of a cluster that lose each other: how long commits wait, who goes on, and what is owed
//! to those that come back.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, Seen, near, run_seen, run_with};
use blockyard_record::result::{Event, TransactionTotal};
use blockyard_scenario::EventKind;
use blockyard_simulate::Options;

pub(crate) const CLUSTER: &str = "\
name: cluster
duration: 60s
hosts: {a: {instance: m5.xlarge, zone: x}, b: {instance: m5.xlarge, zone: y}, c: {instance: m5.xlarge, zone: z}}
zones: {round_trip: {x/y: 1ms, x/z: 1ms, y/z: 1ms}}
links:
  ab: {between: [a, b], bandwidth: 1Gbit/s}
  ac: {between: [a, c], bandwidth: 1Gbit/s}
  bc: {between: [b, c], bandwidth: 1Gbit/s}
storage:
  data_a: {type: gp3, size: 90GiB, host: a}
  data_b: {type: gp3, size: 90GiB, host: b}
  data_c: {type: gp3, size: 90GiB, host: c}
workload:
  shop:
    kind: oltp
    engine: innodb
    on: data_a
    data_size: 5GiB
    pool: 256MiB
    threads: 8
    rate: 100/s
    transactions: {pay: {pages: 4, changes: 1, log: 1KiB, binlog: 4KiB, cpu: 1ms}}
    galera:
      nodes: {b: {on: data_b}, c: {on: data_c}}
      appliers: 4
";

fn run(sets: &[&str]) -> Run {
    run_with(CLUSTER, sets, Options::default())
}

pub(crate) fn shop(run: &Run) -> &TransactionTotal {
    &run.result.transactions[0]
}

pub(crate) fn committed(run: &Run, seconds: std::ops::Range<usize>) -> u64 {
    let rows = run.intervals[seconds].iter();
    rows.map(|it| it.transactions[0].count).sum()
}

pub(crate) fn of_kind(run: &Run, kind: EventKind) -> Vec<&Event> {
    let events = run.result.events.iter();
    events.filter(|event| event.kind == kind).collect()
}

/// Write sets are those of the transactions that were committed, and of those of the threads that
/// were at it, up to the end of the run: within a second, with it, and where somebody stops it.
#[test]
fn the_last_second_counts() {
    for duration in ["3s", "3500ms"] {
        let sets = [&*format!("duration={duration}"), "interval=500ms"];
        let stopped = Seen {
            stop_after: Some(5),
            ..Seen::default()
        };
        for seen in [Seen::default(), stopped] {
            let run = run_seen(CLUSTER, &sets, Options::default(), seen);
            let total = shop(&run);
            let of = total.replication.as_ref().unwrap();
            let under_way = of.write_sets - total.count;
            assert!(
                total.count > 100 && under_way <= 8,
                "{under_way}: {total:?}"
            );
            for node in &of.nodes {
                let left = of.write_sets - node.applied;
                assert!(left <= under_way + 8, "{left}: {node:?}");
            }
        }
    }
}

/// The third node reaches nobody for some time.
fn cut_off(at: &str, lasts: &str) -> String {
    format!("events=[{{at: {at}, cut: ac, for: {lasts}}}, {{at: {at}, cut: bc, for: {lasts}}}]")
}

/// The first node cannot know whether the others are gone: commits wait for the timeout, and for
/// the next look at it. Then two of three go on; nobody is refused anything, and nothing is lost.
#[test]
fn a_lost_node_holds_commits_until_it_is_given_up() {
    let lost = run(&["events=[{at: 20.2s, fail: c}]"]);
    let [silent] = of_kind(&lost, EventKind::Silent)[..] else {
        panic!("{:?}", lost.result.events);
    };
    assert_eq!((silent.t_s, silent.until_s), (20.2, Some(26.5)));
    let total = shop(&lost);
    near("outage", total.outage_s, 6.3, 0.02);
    assert_eq!(committed(&lost, 21..26), 0);
    assert_eq!((total.failed, total.refused), (0, 0));
    let replication = total.replication.as_ref().unwrap();
    near("silent", replication.silent_s, 6.3, 0.001);
    near("all", total.count as f64, 6000.0, 0.02);
    // A shorter timeout costs less.
    let sets = [
        "events=[{at: 20.2s, fail: c}]",
        "workload.shop.galera.suspect_timeout=1s",
    ];
    near("outage", shop(&run(&sets)).outage_s, 2.3, 0.05);
}

/// Who is heard again before it was given up has missed nothing.
#[test]
fn a_short_cut_is_only_a_wait() {
    let cut = run(&[&cut_off("20s", "1s")]);
    // TCP tries again after 0.2 s, 0.6 s and 1.4 s.
    near("outage", shop(&cut).outage_s, 1.4, 0.03);
    assert!(of_kind(&cut, EventKind::Left).is_empty());
    let nodes = &shop(&cut).replication.as_ref().unwrap().nodes;
    assert!(
        nodes[0].applied.abs_diff(nodes[1].applied) < 10,
        "{nodes:?}"
    );
}

/// Round a link that is cut alone the third node passes messages on, once the connection has been
/// given up: whichever link it is, nobody leaves.
#[test]
fn a_third_node_relays_round_a_cut_link() {
    for link in ["ab", "ac", "bc"] {
        let cut = run(&[&format!("events=[{{at: 20s, cut: {link}, for: 20s}}]")]);
        let total = shop(&cut);
        near("outage", total.outage_s, 4.0, 0.02);
        assert_eq!((total.failed, total.refused), (0, 0));
        assert!(of_kind(&cut, EventKind::Left).is_empty());
        near("all", total.count as f64, 6000.0, 0.02);
        let of = total.replication.as_ref().unwrap();
        let behind = of.nodes.iter().map(|it| of.write_sets - it.applied);
        assert!(behind.max() < Some(10), "{of:?}");
    }
}

/// Who comes back gets what it has missed, while the others commit.
#[test]
fn a_node_that_comes_back_gets_what_it_has_missed() {
    let back = run(&[&cut_off("10s", "30s")]);
    let [event] = of_kind(&back, EventKind::CatchUp)[..] else {
        panic!("{:?}", back.result.events);
    };
    // Its link works from 40 s on. Nodes try to connect 1 s after it was suspected at 15 s, for
    // 3 s, and then anew: at 40 s, too.
    assert!((40.5..40.51).contains(&event.t_s), "{event:?}");
    // 30.5 s of 100 transactions of 4 KiB: those of the first 6 s had waited.
    assert!(event.what.contains("gets the 11.8 MiB"), "{}", event.what);
    assert!(event.until_s.unwrap() < 45.5, "{event:?}");
    let nodes = &shop(&back).replication.as_ref().unwrap().nodes;
    assert!(
        nodes[0].applied.abs_diff(nodes[1].applied) < 10,
        "{nodes:?}"
    );
    near("outage", shop(&back).outage_s, 6.0, 0.02);
    assert!(committed(&back, 40..47) > 630);
}

/// One that comes back and then cannot keep up slows the cluster down, as any other node would: it
/// may be no further behind than when it had got what it missed, and its limit.
#[test]
fn a_node_that_never_catches_up_slows_the_cluster() {
    let cut = cut_off("10s", "20s");
    let sets = cut.replace(']', ", {at: 29s, degrade: data_c, to: 2%}]");
    let slow = run(&[&sets]);
    let [event] = of_kind(&slow, EventKind::CatchUp)[..] else {
        panic!("{:?}", slow.result.events);
    };
    assert_eq!(event.until_s, None);
    let replication = shop(&slow).replication.as_ref().unwrap();
    assert!(replication.nodes[1].stopped_s > 15.0, "{replication:?}");
    assert!(committed(&slow, 40..60) < 1500);
}

/// Cut off from both others, the first node has one vote of three: it refuses until it meets them.
#[test]
fn without_a_quorum_transactions_are_refused() {
    let alone = run(&["events=[{at: 10s, cut: ab, for: 30s}, {at: 10s, cut: ac, for: 30s}]"]);
    let [without] = of_kind(&alone, EventKind::NoQuorum)[..] else {
        panic!("{:?}", alone.result.events);
    };
    // The other two have gone on as the cluster.
    assert_eq!(without.t_s, 16.0);
    // Nodes connect again every 4 s, some time after their links work.
    let until = without.until_s.unwrap();
    assert!((40.5..40.51).contains(&until), "{until}");
    let total = shop(&alone);
    near("outage", total.outage_s, 30.5, 0.01);
    // Of 100/s for that long: those that had come due and not begun, too.
    near("refused", total.refused as f64, 3050.0, 0.05);
    // One of each thread waited for its commit.
    assert_eq!(total.failed, 8);
    assert!(committed(&alone, 43..60) > 1600);
    // With more votes than both others it goes on alone.
    let sets = [
        "events=[{at: 10s, cut: ab, for: 30s}, {at: 10s, cut: ac, for: 30s}]",
        "workload.shop.galera.weight=3",
    ];
    let alone = run(&sets);
    near("outage", shop(&alone).outage_s, 6.0, 0.02);
    assert_eq!((shop(&alone).refused, shop(&alone).failed), (0, 0));
}

/// Of two nodes neither has a majority: the survivor refuses to the end.
#[test]
fn one_of_two_is_no_majority() {
    let text = CLUSTER.replace(", c: {on: data_c}", "");
    let sets = ["events=[{at: 10s, fail: b}]"];
    let run = run_with(&text, &sets, Options::default());
    let [without] = of_kind(&run, EventKind::NoQuorum)[..] else {
        panic!("{:?}", run.result.events);
    };
    assert_eq!((without.t_s, without.until_s), (16.0, None));
    assert_eq!(committed(&run, 11..60), 0);
    near("outage", shop(&run).outage_s, 50.0, 0.01);
}

/// Commits that wait for a standby that is cut off wait until TCP tries again after that, its timer
/// of 200.5 ms having doubled six times; with another that answers nobody waits.
#[test]
fn a_standby_that_is_cut_off_holds_commits_that_need_it() {
    let text = CLUSTER
        .replace("galera:", "standbys:")
        .replace("      appliers: 4\n", "")
        .replace("engine: innodb", "engine: postgres")
        .replace(", binlog: 4KiB", "");
    let events = "events=[{at: 10s, cut: ac, for: 20s}]";
    let with = |sets: &[&str]| run_with(&text, sets, Options::default());
    let both = with(&[events, "workload.shop.standbys.synchronous=2"]);
    near("outage", shop(&both).outage_s, 127.0 * 0.2005, 0.01);
    let any = with(&[events]);
    assert_eq!(shop(&any).outage_s, 0.0);
    let lag = shop(&any).replication.as_ref().unwrap().nodes[1]
        .lag
        .unwrap();
    assert!(lag.most_unreplayed > 2400 && lag.unreplayed < 10, "{lag:?}");
}

/// What was refused never ends: no goal on latency is met by that, none on what was lost either.
#[test]
fn goals_are_not_met_by_what_was_refused() {
    let goals = "goals=[shop.transactions.latency.p99 < 1m, shop.transactions.latency.p50 < 1m, \
                 shop.transactions.errors <= 0, shop.transactions.outage <= 7s]";
    let met = |events: &str| -> Vec<bool> {
        let run = run(&[goals, events]);
        run.result.goals.iter().map(|goal| goal.met).collect()
    };
    assert_eq!(met("events=[]"), [true; 4]);
    let apart = "events=[{at: 10s, cut: ab, for: 15s}, {at: 10s, cut: ac, for: 15s}]";
    assert_eq!(met(apart), [false, true, false, false]);
    assert_eq!(met(&cut_off("10s", "15s")), [true; 4]);
}

/// A node whose host was lost is started again once that is back, with a cold pool and what it has
/// missed; where nobody starts it, it stays away.
#[test]
fn a_node_is_started_again_with_its_host() {
    let events = "events=[{at: 10s, fail: z, for: 20s}]";
    let back = run(&[events, "workload.shop.galera.restart=6s"]);
    let [event] = of_kind(&back, EventKind::CatchUp)[..] else {
        panic!("{:?}", back.result.events);
    };
    assert_eq!(event.t_s, 36.0);
    let nodes = &shop(&back).replication.as_ref().unwrap().nodes;
    assert!(
        nodes[0].applied.abs_diff(nodes[1].applied) < 10,
        "{nodes:?}"
    );
    near("outage", shop(&back).outage_s, 6.0, 0.02);
    let away = run(&[events]);
    assert!(of_kind(&away, EventKind::CatchUp).is_empty());
}
