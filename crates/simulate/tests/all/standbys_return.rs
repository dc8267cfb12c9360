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
