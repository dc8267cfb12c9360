//! A node that has missed more than is kept gets a copy of all data (Galera's SST): how long that
//! takes, what bounds it, and what it costs the node that it is copied from.

use crate::common::{Run, near, run_with};
use crate::membership::{CLUSTER, committed, of_kind, shop};
use blockyard_scenario::EventKind;
use blockyard_simulate::Options;

/// Loses `c` for long enough that 1 MiB of write sets is not enough.
const LOST: &str = "{at: 10s, fail: c, for: 10s}";

fn run(sets: &[&str], more_events: &str) -> Run {
    let events = format!("events=[{LOST}{more_events}]");
    let own = [
        events.as_str(),
        "duration=150s",
        "workload.shop.data_size=1GiB",
        "workload.shop.galera.gcache=1MiB",
        "workload.shop.galera.restart=5s",
    ];
    run_with(CLUSTER, &[&own[..], sets].concat(), Options::default())
}

/// From when to when the copy went, and what was said of it.
fn copy(run: &Run) -> (f64, Option<f64>, String) {
    let copies = of_kind(run, EventKind::StateTransfer);
    assert_eq!(copies.len(), 1, "{:?}", run.result.events);
    let copy = copies[0];
    (copy.t_s, copy.until_s, copy.what.clone())
}

/// A copy takes its bytes over the rate of whatever is slowest, which is named: what makes that
/// faster makes it faster, and nothing else does.
#[test]
fn the_slowest_part_bounds_the_copy() {
    // 1 GiB over 1 Gbit/s less headers, to a joiner that is started again 5 s after its host.
    let takes = |sets: &[&str], events: &str| {
        let run = run(sets, events);
        let (from, until, what) = copy(&run);
        near("begin", from, 25.0, 0.01);
        (until.unwrap() - from, what)
    };
    let (by_link, what) = takes(&[], "");
    assert!(what.ends_with("as fast as the link carries them"), "{what}");
    near("link", by_link, 1024.0 / 113.5, 0.03);
    let slow_writes = ", {at: 1s, degrade: data_c, to: 20%}";
    let (by_writes, what) = takes(&[], slow_writes);
    assert!(what.ends_with("as fast as c writes them"), "{what}");
    near("writes", by_writes, 1024.0 / 25.0, 0.05);
    let slow_reads = ", {at: 1s, degrade: data_a, to: 20%}";
    let (by_reads, what) = takes(&[], slow_reads);
    assert!(what.ends_with("as fast as a reads them"), "{what}");
    near("reads", by_reads, 1024.0 / 25.0, 0.05);
}

/// A backup leaves the node that it is of to its work; a copy of its files blocks it, and here, the
/// only one that is left beside the writer not being up to date, all commits.
#[test]
fn a_copy_of_files_blocks_its_donor() {
    let lost_both = ", {at: 10s, fail: b, for: 10s}";
    for (method, least, most) in [("rsync", 0, 0), ("mariabackup", 400, 620)] {
        let set = format!("workload.shop.galera.sst_method={method}");
        let weight = "workload.shop.galera.weight=3";
        let run = run(&[&set, weight], lost_both);
        let transfers = of_kind(&run, EventKind::StateTransfer);
        assert_eq!(transfers.len(), 2, "{:?}", run.result.events);
        let meanwhile = committed(&run, 27..32);
        assert!((least..=most).contains(&meanwhile), "{method} {meanwhile}");
        let nodes = &shop(&run).replication.as_ref().unwrap().nodes;
        assert!(nodes.iter().all(|node| node.queued == 0), "{nodes:?}");
    }
}

/// One that is named is the donor, which leaves the node with the load to its work.
#[test]
fn a_donor_can_be_chosen() {
    for (donor, expected, least) in [("null", "from a", 0), ("b", "from b", 400)] {
        let donor = format!("workload.shop.galera.sst_donor={donor}");
        let run = run(&["workload.shop.galera.failover=6s", &donor], "");
        let (_, _, what) = copy(&run);
        assert!(what.contains(expected), "{what}");
        let meanwhile = committed(&run, 27..32);
        assert!(
            (least..=620.min(least + 220)).contains(&meanwhile),
            "{meanwhile}"
        );
    }
}

/// A node whose donor is lost begins anew with another.
#[test]
fn a_copy_breaks_off_with_its_donor() {
    let run = run(
        &[
            "workload.shop.galera.failover=6s",
            "workload.shop.galera.sst_donor=b",
        ],
        ", {at: 28s, fail: b, for: 60s}",
    );
    let transfers = of_kind(&run, EventKind::StateTransfer);
    let said: Vec<_> = transfers.iter().map(|it| it.what.as_str()).collect();
    assert!(said[0].ends_with("breaks off"), "{said:?}");
    assert!(said[1].contains("from a"), "{said:?}");
}

/// Files cannot be replaced under an engine: one that nobody starts again stays outside.
#[test]
fn without_a_restart_it_stays_outside() {
    let cut = "events=[{at: 10s, cut: ac, for: 30s}, {at: 10s, cut: bc, for: 30s}]";
    let sets = [cut, "workload.shop.galera.gcache=1MiB"];
    let outside = run_with(CLUSTER, &sets, Options::default());
    assert_eq!(of_kind(&outside, EventKind::Outdated).len(), 1);
    assert!(of_kind(&outside, EventKind::StateTransfer).is_empty());
    assert!(of_kind(&outside, EventKind::CatchUp).is_empty());
}
