//! A node of a streaming replication comes back: with the log that was kept for it, or a base
//! backup; and what a log costs that is kept.

use crate::common::{Run, near, run_with};
use crate::membership::{of_kind, shop};
use blockyard_record::result::Event;
use blockyard_scenario::EventKind;
use blockyard_simulate::Options;

/// Three hosts, each with its data and log on a volume of its own.
pub(crate) const STANDBYS: &str = "\
name: standbys
as_of: 2026-11-01
duration: 60s
hosts: {a: {instance: m5.2xlarge}, b: {instance: m5.2xlarge}, c: {instance: m5.2xlarge}}
links:
  ab: {between: [a, b], round_trip: 500us, bandwidth: 2Gbit/s}
  ac: {between: [a, c], round_trip: 500us, bandwidth: 2Gbit/s}
  bc: {between: [b, c], round_trip: 500us, bandwidth: 2Gbit/s}
storage:
  data_a: {type: gp3, size: 6GiB, iops: 3000, host: a}
  data_b: {type: gp3, size: 6GiB, iops: 3000, host: b}
  data_c: {type: gp3, size: 6GiB, iops: 3000, host: c}
workload:
  shop:
    kind: oltp
    engine: postgres
    on: {data: data_a}
    data_size: 1GiB
    pool: 1GiB
    log: {file_size: 256MiB}
    rate: 200/s
    threads: 32
    transactions: {order: {pages: 4, changes: 2, log: 20KiB, cpu: 100us}}
    standbys: {nodes: {b: {on: data_b}, c: {on: data_c}}, restart: 5s}
";

const LOST: &str = "events=[{at: 10s, fail: b, for: 15s}]";

fn run(sets: &[&str]) -> Run {
    run_with(STANDBYS, sets, Options::default())
}

/// When a node was back, until when it had caught up, and what was said.
fn back(run: &Run) -> (f64, Option<f64>, String) {
    let all = of_kind(run, EventKind::CatchUp);
    assert_eq!(all.len(), 1, "{:?}", run.result.events);
    (all[0].t_s, all[0].until_s, all[0].what.clone())
}

fn said(run: &Run, kind: EventKind) -> &Event {
    let all = of_kind(run, kind);
    assert_eq!(all.len(), 1, "{kind:?} {:?}", run.result.events);
    all[0]
}

/// With both standbys lost for good no order commits, though reads go on. Orders that hang are
/// counted as undone, and the time as one without service.
#[test]
fn commits_that_hang_to_the_end_are_told() {
    let hang = |events: &str| {
        let events = format!("events=[{events}]");
        let kinds = "workload.shop.transactions.look={pages: 2, cpu: 50us}";
        let threads = "workload.shop.threads=8000";
        let all = "workload.shop.standbys.synchronous_commit=on";
        run(&[&events, kinds, threads, all, "duration=30s"])
    };
    let lost = hang("{at: 10s, fail: b}, {at: 10s, fail: c}");
    let total = shop(&lost);
    let kind = |name| total.kinds.iter().find(|it| it.kind == name).unwrap();
    // Half of 200 a second hang, from 10 s on, each of which is noticed after a second.
    near("held", total.held as f64, 1900.0, 0.1);
    near("without service", total.outage_s, 20.0, 0.01);
    assert_eq!(total.undone(), total.held);
    assert!(kind("look").count > 2 * kind("order").count);
    // Commits that went on when a standby was back were without service until then.
    let back = hang("{at: 10s, fail: b, for: 8s}, {at: 10s, fail: c}");
    assert_eq!(shop(&back).held, 0);
    assert!(
        (8.0..15.0).contains(&shop(&back).outage_s),
        "{}",
        shop(&back).outage_s
    );
    // What hangs when its engine is lost, too, has failed, and is counted once.
    let all = hang("{at: 10s, fail: b}, {at: 10s, fail: c}, {at: 20s, fail: a}");
    let all = shop(&all);
    assert_eq!((all.held, all.undone()), (0, all.failed + all.refused));
    assert!(all.failed > 900, "{}", all.failed);
    near("without service", all.outage_s, 10.0, 0.01);
    let none = shop(&hang("")).clone();
    assert_eq!((none.held, none.outage_s), (0, 0.0));
}

/// One that nobody starts again stays away; one that is gets what the primary has written since.
#[test]
fn a_standby_goes_on_with_the_log() {
    let away = run(&[LOST, "workload.shop.standbys.restart=null"]);
    assert!(of_kind(&away, EventKind::CatchUp).is_empty());
    let run = run(&[LOST]);
    let (at, until, what) = back(&run);
    near("back", at, 30.0, 0.001);
    assert!((30.0..40.0).contains(&until.unwrap()), "{until:?}");
    assert!(what.contains("MiB of log that it has missed"), "{what}");
    let nodes = &shop(&run).replication.as_ref().unwrap().nodes;
    assert!(
        nodes.iter().all(|node| node.lag.unwrap().unreplayed < 20),
        "{nodes:?}"
    );
    assert!(of_kind(&run, EventKind::StateTransfer).is_empty());
}

/// With a limit on what is kept it needs a base backup, which takes the data over what is slowest:
/// 125 MiB/s of its volume, less what the primary's own IO takes of them.
#[test]
fn without_its_log_it_gets_a_base_backup() {
    for kept in [
        &["workload.shop.standbys.max_slot_wal_keep_size=20MiB"][..],
        &[
            "workload.shop.standbys.slots=false",
            "workload.shop.log.file_size=30MiB",
        ],
    ] {
        let run = run(&[kept, &[LOST]].concat());
        let copy = said(&run, EventKind::StateTransfer);
        let takes = copy.until_s.unwrap() - copy.t_s;
        near("begin", copy.t_s, 30.0, 0.001);
        assert!(
            (0.93 * 1024.0 / 125.0..1.4 * 1024.0 / 125.0).contains(&takes),
            "{takes}"
        );
        assert!(
            copy.what.contains("from a (base backup, 1.0 GiB)"),
            "{}",
            copy.what
        );
        let (at, until, _) = back(&run);
        near("back", at, copy.until_s.unwrap(), 0.001);
        assert!(until.is_some(), "{:?}", run.result.events);
        // 200 a second until it was lost, and from the begin of the copy on.
        let nodes = &shop(&run).replication.as_ref().unwrap().nodes;
        near("replayed", nodes[0].applied as f64, 200.0 * 40.0, 0.05);
        assert!(said(&run, EventKind::Outdated).t_s < 25.0);
    }
}

/// A log that is kept for a standby that is away fills its disk, which stops the primary; another
/// serves, as its own disk keeps what it needs.
#[test]
fn a_log_that_is_kept_fills_its_disk() {
    let sets = [
        "events=[{at: 10s, fail: b, for: 40s}]",
        "storage.data_a.size=2GiB",
        "workload.shop.transactions.order.log=200KiB",
        "workload.shop.standbys.failover=5s",
    ];
    let run = run(&sets);
    let full = said(&run, EventKind::LogFull);
    // 39 MiB/s and whole pages, into the 1 GiB that the data leaves.
    assert!((25.0..36.5).contains(&full.t_s), "{full:?}");
    assert!(
        full.what.contains("a has no room for the 1024."),
        "{}",
        full.what
    );
    let takes_over = said(&run, EventKind::Takeover);
    near("take-over", takes_over.t_s, full.t_s + 5.0, 0.001);
    let kept = "workload.shop.standbys.max_slot_wal_keep_size=20MiB";
    let unlimited = run_with(STANDBYS, &[&sets[..], &[kept]].concat(), Options::default());
    assert!(of_kind(&unlimited, EventKind::LogFull).is_empty());
}

/// The primary that another has replaced is its standby, by a rewind or a base backup; without
/// `failover` it serves again.
#[test]
fn a_primary_comes_back() {
    let lost = "events=[{at: 10s, fail: a, for: 5s}]";
    let sets = [
        lost,
        "workload.shop.standbys.failover=2s",
        "workload.shop.standbys.synchronous_commit=local",
        "links.ab.bandwidth=20Mbit/s",
        "links.ac.bandwidth=20Mbit/s",
    ];
    let replaced = run(&sets);
    assert!(shop(&replaced).lost > 0);
    near("back", back(&replaced).0, 20.0, 0.001);
    let copied = run(&[&sets[..], &["workload.shop.standbys.rewind=false"]].concat());
    let copy = said(&copied, EventKind::StateTransfer);
    assert!(
        copy.what.starts_with("shop: a gets a copy"),
        "{}",
        copy.what
    );
    let again = run(&[lost]);
    assert!(of_kind(&again, EventKind::Takeover).is_empty());
    assert_eq!(shop(&again).lost, 0);
    near(
        "served",
        shop(&again).stopped[0].back_s.unwrap(),
        20.0,
        0.001,
    );
}

/// Commits wait for no standby, and the links do not carry all of the log.
fn behind_thin_links(events: &str, most: &str) -> Run {
    run(&[
        events,
        "workload.shop.standbys.failover=2s",
        "workload.shop.standbys.synchronous_commit=local",
        "workload.shop.transactions.order.log=20KiB",
        "links.ab.bandwidth=20Mbit/s",
        "links.ac.bandwidth=20Mbit/s",
        most,
    ])
}

/// A standby behind a thin link is promoted, and what it lacks is lost; with a limit on what it may
/// lack nobody is, until the primary is back and serves with all.
#[test]
fn a_standby_that_is_too_far_behind_is_not_promoted() {
    let sets = |most| behind_thin_links("events=[{at: 15s, fail: a, for: 10s}]", most);
    let unlimited = sets("workload.shop.standbys.maximum_lag_on_failover=null");
    let lost = shop(&unlimited).lost;
    assert!(lost > 500, "{lost}");
    assert!(of_kind(&unlimited, EventKind::NotPromoted).is_empty());
    // At 10 s, when the primary last said how far it was, the standbys lacked all that the links
    // had not carried: far more than 1 MiB. At the loss they lack more, but less than 100 MiB.
    let limited = sets("workload.shop.standbys.maximum_lag_on_failover=1MiB");
    assert_eq!(shop(&limited).lost, 0);
    let held_back = said(&limited, EventKind::NotPromoted);
    near("held back", held_back.t_s, 17.0, 0.001);
    assert!(
        held_back
            .what
            .starts_with("shop: b is not promoted: it lacks "),
        "{}",
        held_back.what
    );
    assert!(of_kind(&limited, EventKind::Takeover).is_empty());
    assert!(shop(&limited).outage_s > shop(&unlimited).outage_s + 10.0);
    let loose = sets("workload.shop.standbys.maximum_lag_on_failover=100MiB");
    assert_eq!(shop(&loose).lost, lost);
}

/// A primary that is cut off is demoted though nobody may take over, and serves again with the
/// links.
#[test]
fn a_primary_that_is_cut_off_is_demoted_without_an_heir() {
    let least = "workload.shop.standbys.maximum_lag_on_failover=1MiB";
    let cut = "{at: 15s, cut: ab, for: 10s}, {at: 15s, cut: ac, for: 10s}";
    let alone = format!("events=[{cut}]");
    let demoted = behind_thin_links(&alone, least);
    let refuses = said(&demoted, EventKind::NoQuorum);
    near("demoted", refuses.t_s, 17.0, 0.001);
    near("serves", refuses.until_s.unwrap(), 25.0, 0.001);
    let total = shop(&demoted);
    assert_eq!(total.lost, 0);
    near("outage", total.outage_s, 8.0, 0.05);
    let group = total.replication.as_ref().unwrap();
    near("without", group.without_quorum_s, 8.0, 0.001);
    // One whose engine is lost meanwhile does not refuse, but answer nothing.
    let lost = behind_thin_links(
        &format!("events=[{cut}, {{at: 20s, fail: a, for: 20s}}]"),
        least,
    );
    let group = shop(&lost).replication.as_ref().unwrap();
    near("refused", group.without_quorum_s, 3.0, 0.001);
    let replaced = behind_thin_links(
        &alone,
        "workload.shop.standbys.maximum_lag_on_failover=null",
    );
    assert!(of_kind(&replaced, EventKind::NoQuorum).is_empty());
    assert!(shop(&replaced).lost > 0);
}
