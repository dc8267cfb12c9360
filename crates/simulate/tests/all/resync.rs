//! What bounds the resync of a mirror: more of that makes it shorter, more of anything else does
//! not.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{near, run_with};
use blockyard_record::result::{MirrorTotal, ResyncBound};
use blockyard_simulate::Options;

const TEXT: &str = "\
name: resync
duration: 170s
hosts: {near: {instance: m5.8xlarge, zone: x}, far: {instance: m5.8xlarge, zone: y}}
zones: {round_trip: {x/y: 1ms}}
links: {replication: {between: [near, far], bandwidth: 4Gbit/s, mtu: 9001, timeout: 3s}}
storage:
  data:
    mirror:
      legs:
        near: {type: gp3, size: 8GiB, iops: 3000, throughput: 500MiB/s, tokens: 0%, host: near}
        far: {type: gp3, size: 8GiB, iops: 3000, throughput: 500MiB/s, tokens: 0%, host: far}
      link: replication
      acknowledge: C
      resync: {request: 1MiB, depth: 16, rate: 400MiB/s, full: true}
workload:
  writers: {kind: access_spec, on: data, file_size: 1GiB, pattern: {size: 16KiB, read: 0%, random: 100%}, rate: 10/s}
events: [{at: 2s, cut: replication, for: 8s}]
";

/// What each stage may do, as the scenario has it, and twice as much.
const STAGES: [(ResyncBound, &str, [&str; 3]); 4] = [
    (
        ResyncBound::Rate,
        "storage.data.mirror.resync.rate",
        ["400MiB/s", "60MiB/s", "120MiB/s"],
    ),
    (
        ResyncBound::Reads,
        "storage.data.mirror.legs.near.throughput",
        ["500MiB/s", "125MiB/s", "250MiB/s"],
    ),
    (
        ResyncBound::Link,
        "links.replication.bandwidth",
        ["4Gbit/s", "500Mbit/s", "1Gbit/s"],
    ),
    (
        ResyncBound::Writes,
        "storage.data.mirror.legs.far.throughput",
        ["500MiB/s", "125MiB/s", "250MiB/s"],
    ),
];

fn resync(sets: &[String]) -> MirrorTotal {
    let sets: Vec<_> = sets.iter().map(String::as_str).collect();
    let run = run_with(TEXT, &sets, Options::default());
    let mirror = run.result.mirrors[0].clone();
    assert_eq!((mirror.resyncs, mirror.state.as_str()), (1, "in sync"));
    mirror
}

#[test]
fn the_slowest_stage_bounds_a_resync() {
    for (bound, slow, [_, little, twice]) in STAGES {
        let slowed = format!("{slow}={little}");
        let base = resync(std::slice::from_ref(&slowed));
        assert_eq!(base.resync_bound, Some(bound), "{base:?}");
        let faster = resync(&[format!("{slow}={twice}")]);
        let name = format!("{bound:?}");
        near(&name, faster.resync_s, base.resync_s / 2.0, 0.1);
        for (_, other, [usual, ..]) in STAGES.iter().filter(|it| it.0 != bound) {
            let (amount, unit) = usual.split_at(usual.find(|c: char| c.is_alphabetic()).unwrap());
            let more = format!("{other}={}{unit}", 2 * amount.parse::<u32>().unwrap());
            let mut sets = vec![slowed.clone(), more];
            if other.contains("throughput") {
                sets.push(other.replace("throughput", "iops=4000"));
            }
            let same = resync(&sets);
            near(other, same.resync_s, base.resync_s, 0.05);
            assert_eq!(same.resync_bound, Some(bound), "{other}: {same:?}");
        }
    }
}

/// Few copies at a time over a long way: the link's, however much it carries.
#[test]
fn a_long_way_bounds_a_resync_of_few_copies() {
    let far = resync(&[
        "zones.round_trip={x/y: 20ms}".into(),
        "storage.data.mirror.resync={request: 1MiB, depth: 4, full: true}".into(),
    ]);
    assert_eq!(far.resync_bound, Some(ResyncBound::Link), "{far:?}");
}

/// What waits at its sender for buffers of a slow disk's host waits for the disk.
#[test]
fn few_buffers_leave_it_to_the_disk() {
    let slow = resync(&[
        "storage.data.mirror.max_buffers=1MiB".into(),
        "storage.data.mirror.resync={request: 256KiB, depth: 64, full: true}".into(),
        "storage.data.mirror.legs.far.throughput=125MiB/s".into(),
    ]);
    assert_eq!(slow.resync_bound, Some(ResyncBound::Writes), "{slow:?}");
}

#[test]
fn without_a_resync_nothing_bound_it() {
    let run = run_with(TEXT, &["events=[]"], Options::default());
    assert_eq!(run.result.mirrors[0].resync_bound, None);
}
