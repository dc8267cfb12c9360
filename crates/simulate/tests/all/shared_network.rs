//! Instances that are not EBS-optimised: storage and links share a network.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, near, run_with};
use blockyard_simulate::Options;

const MIRROR: &str = "\
name: t2
duration: 20s
warmup: 5s
as_of: 2026-05-01
hosts: {a: {instance: t2.large, network: 40Mbit/s}, b: {instance: t2.large, network: 40Mbit/s}}
links: {llt: {between: [a, b], round_trip: 0.25ms}}
storage:
  data:
    mirror:
      legs: {a: {type: gp3, size: 50GiB, host: a}, b: {type: gp3, size: 50GiB, host: b}}
      link: llt
  alone: {type: gp3, size: 50GiB, host: a}
workload:
  writers: {kind: access_spec, on: data, file_size: 10GiB, pattern: {size: 64KiB, read: 0%, random: 100%}, outstanding: 16, processes: 1}
";

/// What the volumes and the links of a host moved in a second, with all headers, in bytes.
fn moved(run: &Run, host: &str) -> f64 {
    let seconds = run.result.duration_s - 5.0;
    let hosts = run.result.hosts.iter();
    let storage: u64 = hosts.filter(|it| it.name == host).map(|it| it.bytes).sum();
    let links = run.result.links.iter();
    // 52 bytes of TCP and IP, 38 of Ethernet.
    let links: u64 = links.map(|link| link.bytes + 90 * link.packets).sum();
    storage as f64 / seconds + links as f64 / run.result.duration_s
}

#[test]
fn a_mirrors_messages_take_from_what_its_disks_have() {
    let run = run_with(MIRROR, &[], Options::default());
    // 40 Mbit/s, of which a second lay ready.
    for host in ["a", "b"] {
        near(host, moved(&run, host), 5e6, 0.06);
    }
    let held = run
        .result
        .limits
        .iter()
        .find(|it| it.limit == "network")
        .unwrap();
    assert!(held.throttled_s > 100.0, "{held:?}");
    let mirrored = run.total("writers.data.write").iops;
    let alone = run_with(MIRROR, &["workload.writers.on=alone"], Options::default());
    let alone = alone.total("writers.alone.write").iops;
    near("without a mirror", alone, 5e6 / 65_536.0, 0.05);
    near("with a mirror", mirrored, alone / 2.0, 0.1);
}

#[test]
fn what_a_host_receives_takes_from_what_its_disk_has() {
    let slow = ["hosts.b.network=20Mbit/s"];
    let run = run_with(MIRROR, &slow, Options::default());
    near("b", moved(&run, "b"), 2.5e6, 0.06);
}

#[test]
fn a_link_is_no_faster_than_the_networks_of_its_hosts() {
    let bandwidth = |sets: &[&str]| {
        let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).collect();
        let loaded = blockyard_scenario::load(MIRROR, "t2.yaml", &sets).unwrap();
        loaded.resolve().unwrap().storage.links[0].bandwidth
    };
    assert_eq!(bandwidth(&[]), 40_000_000);
    assert_eq!(bandwidth(&["links.llt.bandwidth=10Mbit/s"]), 10_000_000);
    assert_eq!(bandwidth(&["links.llt.bandwidth=1Gbit/s"]), 40_000_000);
    // What is published of the type.
    let published = ["hosts={a: {instance: t2.large}, b: {instance: r5.large}}"];
    assert_eq!(bandwidth(&published), 1_024_000_000);
}

const STANDBY: &str = "\
name: t2-standby
duration: 20s
warmup: 5s
as_of: 2026-05-01
hosts: {a: {instance: t2.large, network: 40Mbit/s}, b: {instance: m5.large}}
links: {near: {between: [a, b], round_trip: 0.25ms}}
storage:
  data: {type: gp3, size: 50GiB, host: a}
  copy: {type: gp3, size: 50GiB, host: b}
workload:
  shop:
    kind: oltp
    engine: postgres
    on: data
    data_size: 10GiB
    pool: 4GiB
    threads: 64
    transactions: {order: {pages: 1, changes: 1, log: 64KiB, cpu: 60us}}
    standbys: {nodes: {b: {on: copy}}, synchronous_commit: local}
";

#[test]
fn what_an_engine_sends_its_standby_takes_from_what_its_disk_has() {
    let run = run_with(STANDBY, &[], Options::default());
    near("a", moved(&run, "a"), 5e6, 0.06);
    let sent: u64 = run.result.links.iter().map(|link| link.bytes).sum();
    assert!(sent > 20_000_000, "{sent} bytes were sent");
}
