//! In which order a saturated volume completes what is in flight, against published runs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::run_with;
use blockyard_simulate::Options;

/// p50, p95 and p99 of the job `load`'s IOs, as multiples of their mean.
fn shape(text: &str) -> [f64; 3] {
    let text = format!("name: shape\nas_of: 2026-11-01\nduration: 10s\nwarmup: 2s\n{text}");
    let run = run_with(&text, &[], Options::default());
    let mut totals = run.result.totals.iter();
    let latency = totals
        .find(|it| it.job == "load")
        .unwrap()
        .latency_us
        .unwrap();
    [latency.p50, latency.p95, latency.p99].map(|value| value / latency.mean)
}

/// Processes with that many IOs of 16 KiB in flight each, on a device of a host.
fn load(host: &str, device: &str, processes: u32, outstanding: u32) -> [f64; 3] {
    load_of("16KiB", host, device, processes, outstanding)
}

/// The same with IOs of another size.
fn load_of(size: &str, host: &str, device: &str, processes: u32, outstanding: u32) -> [f64; 3] {
    shape(&format!(
        "host: {{instance: {host}}}\nstorage: {{data: {device}}}\nworkload:
  load: {{kind: access_spec, on: data, file_size: 20GiB, processes: {processes},
    outstanding: {outstanding}, pattern: {{size: {size}, read: 0%, random: 100%}}}}"
    ))
}

#[track_caller]
fn assert_within(found: [f64; 3], measured: [f64; 3], tolerance: f64) {
    let near = |(found, measured): (f64, f64)| (found / measured - 1.0).abs() <= tolerance;
    assert!(
        found.into_iter().zip(measured).all(near),
        "{found:?}, not {measured:?}"
    );
}

const GP3_4000: &str = "{type: gp3, size: 100GiB, iops: 4000, throughput: 1000MiB/s}";

#[test]
fn what_the_driver_has_no_tags_for_enters_out_of_turn() {
    // Linux 6.12 on an NVMe drive held to a rate (benchmarks/queues): p50, p95 and p99.
    // 2 queues of 63 tags, 16 processes of 16.
    let r5b = load("r5b.large", GP3_4000, 16, 16);
    assert_within(r5b, [0.91, 1.84, 2.39], 0.06);
    // 2 of 31, the same.
    let m5 = load("m5.large", GP3_4000, 16, 16);
    assert_within(m5, [0.98, 1.56, 1.85], 0.06);
    // 2 of 31, 16 of 32, which liang-046 and 048 are too: 0.99, 1.40 and 1.60.
    let many = load("m5.8xlarge", GP3_4000, 16, 32);
    assert_within(many, [1.0, 1.37, 1.58], 0.06);
}

#[test]
fn processes_of_one_request_overtake_those_that_sleep() {
    // 256 processes: who is done takes the tag that it returned, and others sleep for long. In
    // Linux p99 is even 7 times the mean.
    let [p50, _, p99] = load("r5b.large", GP3_4000, 256, 1);
    assert!(p50 < 0.8 && p99 > 3.0, "{p50} {p99}");
}

#[test]
fn what_the_volume_takes_is_served_in_turn() {
    // patto-002: 16 in flight, 128 MiB/s.
    let gp2 = "{type: gp2, size: 100GiB}";
    let found = load_of("64KiB", "m5d.4xlarge", gp2, 16, 1);
    assert_within(found, [1.0, 1.04, 1.06], 0.02);
    // liang-001, 004: hosts of more processors keep their turns beyond that, too.
    let gp2 = "{type: gp2, size: 1000GiB}";
    assert_within(load("c4.xlarge", gp2, 16, 32), [1.03, 1.1, 1.18], 0.2);
}

#[test]
fn on_a_stripe_unequal_parts_are_out_of_turn_by_themselves() {
    let of_two = format!("{{stripe: {{chunk: 16KiB, width: 2}}, of: {GP3_4000}}}");
    let [_, p95, p99] = load("r6i.4xlarge", &of_two, 16, 16);
    assert!(p95 > 1.5 && p99 < 2.1, "{p95} {p99}");
}

#[test]
fn a_process_that_sleeps_for_one_volume_asks_no_other() {
    // pgconf-003: one process with 128 on four volumes of 2,000 IOPS. Were they free to pile up
    // on one of them, p99 would be 128 of its turns, and p50 next to nothing.
    let of_four = "{stripe: {chunk: 512KiB, width: 4}, of: {type: io1, size: 1000GiB, iops: 2000}}";
    let [p50, _, p99] = load_of("4KiB", "m5.xlarge", of_four, 1, 128);
    assert!(
        (0.7..1.0).contains(&p50) && (1.9..2.7).contains(&p99),
        "{p50} {p99}"
    );
}

#[test]
fn one_more_job_does_not_change_the_order() {
    let text = |more: &str| {
        format!(
            "storage: {{data: {{type: gp3, size: 100GiB, tokens: 0%}}}}\nworkload:
  load: {{kind: access_spec, on: data, file_size: 20GiB, processes: 1, outstanding: 32,
    pattern: 4k-random-read}}{more}"
        )
    };
    let more = "\n  ping: {kind: access_spec, on: data, file_size: 20GiB, rate: 1/s, pattern: 4k-random-read}";
    assert_within(shape(&text(more)), shape(&text("")), 0.02);
}

#[test]
fn a_deep_writer_does_not_keep_readers_out() {
    let text = "
name: shared
as_of: 2026-11-01
duration: 30s
host: {instance: t3.medium}
storage: {data: {type: gp3, size: 100GiB, tokens: 0%}}
workload:
  readers: {kind: ranread, on: data, file_size: 20GiB, processes: 8}
  writer: {kind: access_spec, on: data, file_size: 20GiB, pattern: 4k-random-write, outstanding: 256, processes: 1}
";
    let reads = |discipline: &str| {
        let set = format!("storage.data.discipline={discipline}");
        run_with(text, &[&set], Options::default())
            .total("readers.data.read")
            .iops
    };
    assert!(
        reads("per_direction") > 1_100.0,
        "{}",
        reads("per_direction")
    );
    // In turn, a read waits for the writes that have tags, and not for all 256.
    let fifo = reads("fifo");
    assert!((300.0..700.0).contains(&fifo), "{fifo}");
}
