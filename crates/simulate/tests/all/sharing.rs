//! Who gets tokens that are scarce.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::run_with;
use blockyard_simulate::Options;

/// A shallow reader on one volume, and a writer that asks another for more than it gives,
/// behind a small instance: an r5.large's 3,600 IOPS.
const OVERLOAD: &str = "
name: overload
as_of: 2026-11-01
duration: 20s
host: {instance: r5.xlarge, burst_balance: 0%}
storage:
  data: {type: gp3, size: 200GiB}
  log: {type: gp3, size: 200GiB, tokens: 0%}
workload:
  readers: {kind: access_spec, on: data, file_size: 100GiB, pattern: 4k-random-read, rate: 500/s}
  writers: {kind: access_spec, on: log, file_size: 100GiB, pattern: 4k-random-write, rate: 20000/s, max_outstanding: 4096}
";

#[test]
fn an_overloaded_volume_takes_nothing_of_its_host_from_others() {
    let run = run_with(OVERLOAD, &[], Options::default());
    let (reads, writes) = (
        run.total("readers.data.read"),
        run.total("writers.log.write"),
    );
    assert!((reads.iops - 500.0).abs() < 15.0, "{}", reads.iops);
    assert!((writes.iops - 3000.0).abs() < 60.0, "{}", writes.iops);
    // Nothing throttled the readers, whatever the writers wait for.
    let mean = reads.latency_us.as_ref().unwrap().mean;
    assert!(mean < 1500.0, "{mean}");
}

/// Eight readers with one IO in flight each beside a writer with 64, on 3,000 IOPS.
const SHARED: &str = "
name: shared
as_of: 2026-11-01
duration: 20s
storage:
  data: {type: gp3, size: 200GiB, tokens: 0%}
workload:
  readers: {kind: access_spec, on: data, file_size: 100GiB, pattern: 4k-random-read, outstanding: 1, processes: 8}
  writer: {kind: access_spec, on: data, file_size: 100GiB, pattern: 4k-random-write, outstanding: 64, processes: 1}
";

/// Reads and writes a second under a discipline.
fn shared(discipline: &str, outstanding: u32) -> (f64, f64) {
    let discipline = format!("storage.data.discipline={discipline}");
    let outstanding = format!("workload.writer.outstanding={outstanding}");
    let run = run_with(SHARED, &[&discipline, &outstanding], Options::default());
    let iops = |name| run.total(name).iops;
    (iops("readers.data.read"), iops("writer.data.write"))
}

fn about(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 0.04 * expected,
        "{found}, not {expected}"
    );
}

#[test]
fn first_come_first_served_starves_the_shallow() {
    // Of those in flight 8 in 72 are reads, less those whose latency is not over.
    let (reads, writes) = shared("fifo", 64);
    about(reads, 334.0);
    about(reads + writes, 3000.0);
    about(shared("fifo", 256).0, 90.0);
}

#[test]
fn classes_share_evenly_between_reads_and_writes_at_any_depth() {
    for outstanding in [8, 64, 256] {
        let (reads, writes) = shared("per_direction", outstanding);
        about(reads, 1500.0);
        about(writes, 1500.0);
    }
}

#[test]
fn queues_share_evenly_between_processes_at_any_depth() {
    for outstanding in [8, 256] {
        let (reads, writes) = shared("per_submitter", outstanding);
        about(reads, 3000.0 * 8.0 / 9.0);
        about(reads + writes, 3000.0);
    }
}

/// The same two jobs on a volume each, which want more than the instance lets through. The
/// volumes themselves take no time, so that all in flight wait for the instance.
const BEHIND_A_HOST: &str = "
name: behind-a-host
as_of: 2026-11-01
duration: 20s
host: {instance: r5.xlarge, burst_balance: 0%}
storage:
  data: {type: gp3, size: 200GiB, iops: 16000, latency: zero}
  log: {type: gp3, size: 200GiB, iops: 16000, latency: zero}
workload:
  readers: {kind: access_spec, on: data, file_size: 100GiB, pattern: 4k-random-read, outstanding: 1, processes: 8}
  writer: {kind: access_spec, on: log, file_size: 100GiB, pattern: 4k-random-write, outstanding: 64, processes: 1}
";

/// What passes one host takes nothing from another, and its jobs draw what they would alone.
#[test]
fn a_second_host_changes_nothing_for_the_first() {
    const HOSTS: &str =
        "hosts: {a: {instance: r5.xlarge, burst_balance: 0%}, b: {instance: r5.large}}";
    let alone = BEHIND_A_HOST.replace(
        "host: {instance: r5.xlarge, burst_balance: 0%}",
        "hosts: {a: {instance: r5.xlarge, burst_balance: 0%}}",
    );
    let beside = BEHIND_A_HOST.replace("host: {instance: r5.xlarge, burst_balance: 0%}", HOSTS);
    let more = [
        "storage.other={type: gp3, size: 200GiB, iops: 16000, latency: zero, host: b}",
        "workload.others={kind: ranread, on: other, file_size: 100GiB, processes: 64}",
    ];
    let alone = run_with(&alone, &[], Options::default());
    let beside = run_with(&beside, &more, Options::default());
    for total in &alone.result.totals {
        assert!(beside.result.totals.contains(total), "{total:?}");
    }
    assert_eq!(beside.result.hosts[0], alone.result.hosts[0]);
    let names: Vec<_> = beside.result.hosts.iter().map(|host| &host.name).collect();
    assert_eq!(names, ["a", "b"]);
    let owners: Vec<_> = beside
        .result
        .limits
        .iter()
        .map(|limit| &limit.owner)
        .collect();
    assert!(owners.iter().any(|owner| *owner == "a"), "{owners:?}");
    // Its own 16,000: the volume, not the instance that it shares with nobody.
    assert!(owners.iter().any(|owner| *owner == "other"), "{owners:?}");
}

/// An r5.xlarge's 6,000 IOPS are shared as a volume's are, over all of its volumes.
#[test]
fn a_host_shares_its_tokens_by_its_own_discipline() {
    const HOST: f64 = 6000.0;
    for (discipline, reads) in [
        ("fifo", HOST * 8.0 / 72.0),
        ("per_direction", HOST / 2.0),
        ("per_submitter", HOST * 8.0 / 9.0),
    ] {
        let discipline = format!("host.discipline={discipline}");
        let run = run_with(BEHIND_A_HOST, &[&discipline], Options::default());
        let (read, written) = (
            run.total("readers.data.read").iops,
            run.total("writer.log.write").iops,
        );
        about(read, reads);
        about(read + written, HOST);
        // Nothing else throttles them.
        let limit = &run.result.limits[0];
        assert!(limit.owner == "host" && limit.share > 0.99, "{limit:?}");
    }
}
