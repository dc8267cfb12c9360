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
fn on_a_small_host_what_the_volume_does_not_take_enters_out_of_turn() {
    // miz-006, 002, 010: of 256 in flight 122 are in the volume.
    assert_within(
        load("r5b.large", GP3_4000, 16, 16),
        [0.85, 2.17, 2.85],
        0.08,
    );
    // nvmestat-002: p99 alone is known, of 4 x 64 with 60 in the volume.
    let gp3 = "{type: gp3, size: 100GiB}";
    let [.., p99] = load("t3.medium", gp3, 4, 64);
    assert!((p99 / 3.7 - 1.0).abs() < 0.08, "{p99}");
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
    // miz-001, 013, 017, 021: 256 over two volumes of a small host, for ten seconds.
    let small = load("r5b.large", &of_two, 16, 16);
    assert_within(small, [0.87, 2.84, 3.98], 0.12);
    // On a larger host nothing but the volumes' queues is uneven.
    let [_, p95, p99] = load("r5b.4xlarge", &of_two, 16, 16);
    assert!(p95 > 1.5 && p99 < 2.1, "{p95} {p99}");
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
fn a_deep_writer_on_a_small_host_does_not_keep_readers_out() {
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
    assert!(reads("fifo") < 150.0, "{}", reads("fifo"));
}
