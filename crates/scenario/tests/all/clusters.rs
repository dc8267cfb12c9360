//! Clusters that cannot be, and the messages that users get: the whole line, since its wording is
//! part of the interface.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_scenario::load;

const GOOD: &str = "\
name: c
duration: 5m
as_of: 2026-05-01
hosts:
  a: {instance: r5b.8xlarge, zone: z1}
  b: {instance: r5b.8xlarge, zone: z1}
  c: {instance: r5b.8xlarge, zone: z2}
  d: {instance: i3.2xlarge, zone: z1}
  e: {instance: i3.2xlarge, zone: z1}
clusters:
  pair: {nodes: [a, b], disks: [data]}
storage:
  data: {type: gp3, size: 100GiB}
  log: {type: gp3, size: 100GiB, host: a}
  scratch: {type: instance-store, host: d}
  spare: {type: gp3, size: 100GiB, host: c}
links:
  ac: {between: [a, c], round_trip: 1ms, bandwidth: 1Gbit/s}
workload:
  readers: {kind: ranread, on: data, file_size: 10GiB, processes: 8}
";

const MISTAKES: &[(&str, &str)] = &[
    (
        "clusters.pair.nodes=[a]",
        "clusters.pair.nodes: 1 nodes; expected at least two",
    ),
    (
        "clusters.pair.nodes=[a, a]",
        "clusters.pair.nodes.1: `a` twice; expected each host once",
    ),
    (
        "clusters.pair.nodes=[a, x]",
        "clusters.pair.nodes.1: no host is called `x`; did you mean `a`?",
    ),
    (
        "clusters.pair.nodes=[a, c]",
        "clusters.pair.nodes.1: `c` is in z2 and `a` in z1; an EBS volume can be attached in its \
         own zone only; expected nodes in one zone, or a mirror",
    ),
    (
        "clusters.pair.disks=[date]",
        "clusters.pair.disks.0: no device is called `date`; did you mean `data`?",
    ),
    (
        "clusters.pair.disks=[]",
        "clusters.pair.disks: the list is empty; expected at least one of `storage`",
    ),
    (
        "clusters.more={nodes: [a, b], disks: [data]}",
        "clusters.more.disks.0: `data` is shared by `pair` already",
    ),
    (
        "workload={shop: {kind: oltp, engine: postgres, on: data, data_size: 1GiB, pool: 64MiB,
          threads: 8, transactions: {t: {pages: 4, cpu: 1ms}}, standbys: {nodes: {c: {on: spare}}}}}",
        "workload.shop.standbys: replicated from a host, while `data` is handed over to another; \
         expected a device that stays where it is",
    ),
    (
        "clusters.pair.multi_attach=true",
        "clusters.pair.multi_attach: EBS Multi-Attach needs io1 or io2, not gp3",
    ),
    (
        "storage.data.host=b",
        "storage.data.host: `b`, but `pair` shares the device; expected none, as it is attached \
         to the active node, first `a`",
    ),
    (
        "clusters.more={nodes: [d, e], disks: [scratch]}",
        "storage.scratch: `scratch` is a disk of its host; it cannot be shared",
    ),
    (
        "workload.readers={kind: ranwrite, on: {data: data, wij: log, journal: log}, file_size: 1GiB, cache: 1GiB, processes: 4}",
        "workload.readers.on: `data` fails over with `pair`, and `log` does not; expected devices \
         of one cluster",
    ),
    (
        "events=[{at: 1m, switch: pear, to: b}]",
        "events.0.switch: no cluster is called `pear`; known are `pair`",
    ),
    (
        "events=[{at: 1m, switch: pair, to: c}]",
        "events.0.to: no node of `pair` is called `c`; did you mean `a`?",
    ),
    (
        "events=[{at: 1m, switch: pair, to: a}]",
        "events.0.to: `a` is the active node of `pair` at 1m",
    ),
    (
        "events=[{at: 1m, fail: b}, {at: 2m, switch: pair, to: b}]",
        "events.1.to: `b` has failed, and is not back at 2m",
    ),
    (
        "events=[{at: 1m, fail: a}, {at: 70s, switch: pair, to: a}]",
        "events.1.at: `pair` is being handed over at 70s, until 116s",
    ),
    (
        "events=[{at: 1m, fail: a}, {at: 2m, fail: a}]",
        "events.1.fail: `log` has failed since 1m",
    ),
    (
        "events=[{at: 1m, fail: b}, {at: 2m, fail: b}]",
        "events.1.fail: `b` has failed since 1m",
    ),
    (
        "events=[{at: 1m, return: b}]",
        "events.0.return: `b` has not failed at 1m",
    ),
];

#[test]
fn each_mistake_is_told_in_one_line_with_its_place() {
    let good = load(GOOD, "c.yaml", &[]).unwrap();
    good.resolve().unwrap();
    let mut wrong = Vec::new();
    for (set, expected) in MISTAKES {
        let loaded = load(GOOD, "c.yaml", &[(*set).to_owned()]);
        let found = loaded.and_then(|loaded| loaded.resolve().map(|_| ()));
        let message = found.expect_err(set).to_string();
        if !message.ends_with(expected) {
            wrong.push(format!("{message}, not {expected}"));
        }
        assert!(!message.contains('\n'), "{message}");
    }
    assert_eq!(wrong, [""; 0]);
}
