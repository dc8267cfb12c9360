//! Flushes, file systems and read-ahead as users meet them. Rows are measurements that
//! catalog/file_systems.yaml names.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{near, run, run_with, scenario};
use blockyard_simulate::Options;

/// Writes and flushes a second, and what both take together in ms.
fn commits(run: &crate::common::Run) -> (f64, f64, f64) {
    let (writes, flushes) = (run.total("wal.data.write"), run.total("wal.data.flush"));
    let mean = |total: &blockyard_record::result::Total| total.latency_us.unwrap().mean;
    let ms = (mean(writes) + mean(flushes)) / 1000.0;
    (writes.iops, flushes.iops, ms)
}

#[test]
fn a_log_without_credits_pays_the_journal() {
    let wal = scenario("examples/wal-fsync.yaml");
    // Row mtulio-002, credits spent: 5.9 ms on average for an fdatasync of what was appended,
    // which is 2.3 of 384 IOs a second; 18.5 ms are its p99.
    for (file_system, ios) in [("xfs", 2.0), ("ext4", 3.0)] {
        let set = format!("workload.wal.file_system={file_system}");
        let run = run_with(&wal, &[&set], Options::default());
        let (writes, flushes, ms) = commits(&run);
        near("commits", writes, 384.0 / ios, 0.01);
        near("a flush each", flushes, writes, 0.01);
        near("a commit", ms, 1000.0 * ios / 384.0, 0.01);
        let volume = &run.result.volumes[0];
        near("IOs of the volume", volume.ios as f64 / 60.0, 384.0, 0.01);
        // All waits are told of the one job.
        let throttled: f64 = run.result.limits.iter().map(|it| it.throttled_s).sum();
        assert!(throttled > 25.0, "{throttled}");
        if file_system == "xfs" {
            near("row mtulio-002", ms, 5.918, 0.15);
        }
    }
    assert_eq!(run(&wal).result.notices.len(), 1);
}

#[test]
fn on_a_device_an_fsync_is_a_flush() {
    let wal = scenario("examples/wal-fsync.yaml").replace("    file_system: xfs\n", "");
    let run = run(&wal);
    let (writes, flushes, _) = commits(&run);
    near("writes", writes, 384.0, 0.01);
    near("flushes", flushes, 384.0, 0.01);
    assert_eq!(run.total("wal.data.flush").latency_us.unwrap().max, 0.0);
}

#[test]
fn fsyncs_of_many_processes_share_commits() {
    // Rows crlreport-001, 004 and 006: 608, 8,220 and 13,112 writes of 32 KiB a second with an
    // fsync each, by 1, 16 and 64 threads on ext4 on an io1 of 20,000 IOPS.
    let commits = |processes: u32| {
        let run = run(&format!(
            "{{name: group-commit, as_of: 2019-09-11, warmup: 5s, duration: 15s, \
             storage: {{data: {{type: io1, size: 1000GiB, iops: 20000}}}}, \
             workload: {{wal: {{kind: access_spec, on: data, file_size: 8GiB, \
             pattern: {{size: 32KiB, read: 0%, random: 100%}}, fsync_every: 1, \
             file_system: ext4, processes: {processes}}}}}}}"
        ));
        (
            run.total("wal.data.write").iops,
            run.result.volumes[0].ios as f64 / 10.0,
        )
    };
    let ((one, _), (many, ios)) = (commits(1), commits(64));
    assert!(many > 8.0 * one, "{many} of {one}");
    assert!(ios < 1.5 * many, "{ios} for {many} fsyncs");
}

#[test]
fn a_reader_waits_once_a_window() {
    let read = |more: &str| {
        let run = run(&format!(
            "{{name: scan, warmup: 5s, duration: 15s, \
             storage: {{data: {{type: gp3, size: 100GiB, throughput: 1000MiB/s, iops: 16000}}}}, \
             workload: {{r: {{kind: access_spec, on: data, file_size: 10GiB, processes: 1, \
             pattern: {{size: 8KiB, read: 100%, random: 0%}}{more}}}}}}}"
        ));
        run.total("r.data.read").mib_per_s
    };
    let (direct, small, large) = (
        read(""),
        read(", read_ahead: 128KiB"),
        read(", read_ahead: 1MiB"),
    );
    assert!(small > 12.0 * direct, "{small} of {direct}");
    assert!(large > 2.0 * small, "{large} of {small}");
}

#[test]
fn thousands_of_processes_may_wait_for_their_fsyncs() {
    // Each flush waits behind some 4,000 others. If each write's end looked at them all, and at
    // every request for each of them, this would take many minutes.
    let run = run(
        "{name: many, duration: 4s, storage: {data: {type: gp3, size: 100GiB, iops: 16000, tokens: 0%}}, \
         workload: {wal: {kind: access_spec, on: data, file_size: 8GiB, \
         pattern: {size: 8KiB, read: 0%, random: 100%}, fsync_every: 1, processes: 4096}}}",
    );
    let (writes, flushes, _) = commits(&run);
    near("writes", writes, 16_000.0, 0.1);
    near("flushes", flushes, writes, 0.3);
}
