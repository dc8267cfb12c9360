//! Sequential IO: how it is counted, and how long it takes, against published runs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, near, run_with};
use blockyard_simulate::Options;

/// One sequential process for a minute, by size of its IOs and how many are in flight.
fn stream(device: &str, size: &str, read: &str, outstanding: u32) -> Run {
    let text = format!(
        "{{name: stream, as_of: 2024-02-08, duration: 60s, warmup: 2s, storage: {{data: {device}}}, \
         workload: {{s: {{kind: access_spec, on: data, file_size: 15GiB, processes: 1, \
         outstanding: {outstanding}, pattern: {{size: {size}, read: {read}, random: 0%}}}}}}}}"
    );
    run_with(&text, &[], Options::default())
}

#[test]
fn small_sequential_ios_are_counted_one_by_one_at_any_depth() {
    // longhorn-002, 004: 10,000 reads and 10,100 writes a second.
    let gp3 = "{type: gp3, size: 1000GiB, iops: 10000, throughput: 360MiB/s, tokens: 0%}";
    for (read, of) in [("100%", "s.data.read"), ("0%", "s.data.write")] {
        let run = stream(gp3, "4KiB", read, 64);
        near("gp3", run.total(of).iops, 10_000.0, 0.01);
    }
    // dyu-029, 030: 3,069 and 3,070 a second at a depth of 4.
    let gp2 = "{type: gp2, size: 100GiB, tokens: 0%}";
    let run = stream(gp2, "4KiB", "100%", 4);
    near("gp2", run.total("s.data.read").iops, 3_000.0, 0.01);
}

#[test]
fn large_sequential_writes_are_counted_by_256_kib_beside_other_reads() {
    // diskplorer-001, cells of 30 s on a rested volume: beside 16,000 reads of 512 bytes a
    // second, writes of 128 KiB saturate it between 100 and 150 MB/s; beside 15,200 reads,
    // between 350 and 400 MB/s.
    let lags = |reads: u32, mb_per_s: f64| {
        let writes = (mb_per_s * 1e6 / 131_072.0).round();
        let text = format!(
            "{{name: map, as_of: 2021-11-15, duration: 30s, \
             storage: {{data: {{type: gp3, size: 1000GiB, iops: 16000, throughput: 1000MiB/s}}}}, \
             workload: {{reads: {{kind: access_spec, on: data, file_size: 100GiB, rate: {reads}/s, \
             pattern: {{size: 512B, read: 100%, random: 100%}}}}, \
             writes: {{kind: access_spec, on: data, file_size: 100GiB, rate: {writes}/s, \
             arrivals: even, pattern: {{size: 128KiB, read: 0%, random: 0%}}}}}}}}"
        );
        let run = run_with(&text, &[], Options::default());
        run.total("reads.data.read").latency_us.unwrap().p99 > 10_000.0
            || run.total("writes.data.write").latency_us.unwrap().p99 > 10_000.0
    };
    assert_eq!((lags(16_000, 100.0), lags(16_000, 150.0)), (false, true));
    assert_eq!((lags(15_200, 330.0), lags(15_200, 400.0)), (false, true));
}

#[test]
fn a_stream_on_a_hard_disk_type_needs_no_seeks() {
    // kx-006: 468 MiB/s for one process with read-ahead, where 500 are allowed.
    let st1 = "{type: st1, size: 12.5TiB, tokens: 0%}";
    let run = stream(st1, "128KiB", "100%", 2);
    let rate = run.total("s.data.read").mib_per_s;
    assert!((400.0..=500.0).contains(&rate), "{rate}");
    // diskracer-040: sc1 is held by its 39.1 MiB/s, of which it gave 14 % more.
    let sc1 = "{type: sc1, size: 500GiB, tokens: 0%}";
    let run = stream(sc1, "128KiB", "100%", 2);
    near("sc1", run.total("s.data.read").mib_per_s, 39.06, 0.01);
    // Random places still seek.
    let text = "{name: random, duration: 60s, storage: {data: {type: st1, size: 12.5TiB}}, \
        workload: {r: {kind: ranread, on: data, file_size: 100GiB, processes: 1}}}";
    let random = run_with(text, &[], Options::default());
    assert!(random.total("r.data.read").latency_us.unwrap().p50 > 5_000.0);
}

#[test]
fn small_writes_on_a_hard_disk_type_take_whole_units_each() {
    // diskracer-033, 041: a sync write of 8 KiB takes 2.4 to 2.7 MiB of tokens, of 64 KiB 1.9,
    // journal included: small ones count by themselves, those of 64 KiB hardly.
    let sc1 = "{type: sc1, size: 500GiB, tokens: 0%}";
    let counted = |size| {
        let run = stream(sc1, size, "0%", 1);
        run.result.volumes[0].ios as f64 / run.total("s.data.write").ios as f64
    };
    near("8 KiB", counted("8KiB"), 1.0, 0.01);
    near("64 KiB", counted("64KiB"), 1.0 / 16.0, 0.01);
}
