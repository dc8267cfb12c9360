//! What changes of a cluster cost.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_capacity::{Change, what_if};
use blockyard_cost::{Bill, Item, Pace, Terms};
use blockyard_experiment::Threads;
use blockyard_simulate::Options;

use crate::asking::{asked, given};
use crate::clusters::{GALERA, of_replication, tried};

/// Each write set goes to one more node, in a zone of its own.
#[test]
fn a_further_node_costs_its_traffic_too() {
    let sets = [
        "events=[{at: 10s, cut: ac, for: 8s}, {at: 10s, cut: ab, for: 8s}]",
        // The rate is that of the threads: a layout that serves more sends more.
        "workload.shop.rate=null",
        "workload.shop.transactions.pay.binlog=64KiB",
        "duration=20s",
    ];
    let found = tried(GALERA, &sets);
    let own = of_replication(&found).into_iter();
    let mut nodes = own.filter(|row| matches!(row.change, Change::Node { .. }));
    let node = nodes.next().unwrap();
    let bill = |more: &[String], with_traffic: bool| {
        let opened = given(GALERA, &sets).with(more.to_vec()).open().unwrap();
        let run = opened.simulate(Options::default(), &mut ()).unwrap();
        let pace = with_traffic.then(|| Pace::of(&run, 0.0));
        let terms = Terms::default();
        let bill = Bill::of(opened.scenario(), &opened.resolved, &terms, pace.as_ref()).unwrap();
        let tps = run.transactions[0].tps;
        let traffic = bill
            .lines
            .iter()
            .filter(|line| line.item == Item::CrossZone);
        let traffic: f64 = traffic.map(|line| line.per_month.dollars()).sum();
        (bill.per_month.dollars(), traffic, tps)
    };
    let (now, traffic, tps) = bill(&[], true);
    assert_eq!(found.now.bill.as_ref().unwrap().per_month.dollars(), now);
    let (then, more_traffic, more_tps) = bill(&node.sets, true);
    let same_work = then - more_traffic + more_traffic * tps / more_tps;
    let dollars = node.dollars.unwrap();
    assert!(
        (dollars / (same_work - now) - 1.0).abs() < 0.001,
        "{dollars}"
    );
    let layouts = bill(&node.sets, false).0 - bill(&[], false).0;
    assert!(
        dollars > layouts + 0.4 * traffic,
        "{dollars} {layouts} {traffic}"
    );
    // What sends as much for its work costs what it did.
    let settings = of_replication(&found).into_iter();
    let mut settings = settings.filter(|row| matches!(row.change, Change::Setting { .. }));
    assert!(settings.all(|row| row.dollars == Some(0.0)));
}

/// A stripe has as many requests to pay for as one volume, for the same work.
#[test]
fn requests_are_paid_for_the_same_work() {
    let text = "\
name: magnetic
as_of: 2026-11-01
duration: 10s
storage: {data: {type: standard, size: 100GiB}}
workload: {reads: {kind: access_spec, on: data, file_size: 10GiB, pattern: {size: 16KiB, read: 100%, random: 100%}, rate: 150/s}}
";
    let asked = asked(given(text, &[]), 200_000);
    let found = what_if(&asked, &Threads::of(2), &mut ()).unwrap().unwrap();
    let bill = found.now.bill.as_ref().unwrap();
    let requests = bill.lines.iter().filter(|line| line.item == Item::Requests);
    let requests: f64 = requests.map(|line| line.per_month.dollars()).sum();
    assert!(requests > 10.0, "{requests}");
    // As much again of what the GiB cost, five dollars; gp2 costs twice that, and has no requests.
    for (part, expected) in [("stripe", 5.0), ("gp2", 5.0 - requests)] {
        let rows = found.changes.iter();
        let mut own = rows.filter(|row| row.sets.concat().contains(part));
        let is_it = |dollars: f64| (dollars - expected).abs() < 0.02;
        assert!(own.any(|row| row.dollars.is_some_and(is_it)), "{part}");
    }
}
