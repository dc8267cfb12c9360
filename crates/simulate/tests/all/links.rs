//! What links hold, whose it is, and what more of a link or another mirror brings.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{BUFFER, mirrored as text, run};
use blockyard_record::result::{EngineIoTotal, EngineIoUse, LinkCause, RunResult};

/// (job, cause, seconds) of all that links held.
fn held(run: &RunResult) -> Vec<(String, LinkCause, f64)> {
    let all = run.links.iter().flat_map(|link| &link.held);
    all.flat_map(|held| {
        let jobs = held.jobs.iter();
        jobs.map(|job| (job.job.clone(), held.cause, job.waited_s))
    })
    .collect()
}

fn latency_s(run: &RunResult, job: &str) -> f64 {
    let own = run.totals.iter().filter(|total| total.job == job);
    own.map(|total| total.ios as f64 * total.latency_us.unwrap().mean / 1e6)
        .sum()
}

#[test]
fn what_a_link_holds_is_that_of_the_jobs_that_cross_it() {
    let run = run(&text('C', "local", BUFFER)).result;
    let held = held(&run);
    assert!(held.iter().all(|(job, ..)| job == "writers"), "{held:?}");
    let of_buffer = held
        .iter()
        .find(|(_, cause, _)| *cause == LinkCause::SocketBuffer);
    let share = of_buffer.unwrap().2 / latency_s(&run, "writers");
    assert!((0.75..1.0).contains(&share), "{share}");
}

#[test]
fn no_more_is_held_than_the_far_leg_is_later() {
    // The disk here takes far longer than the link adds.
    let slow = text('C', "local", "cpu: {per_packet: 1us}").replace(
        "near: {type: gp3, size: 50GiB, tokens: 0%, iops: 10000, throughput: 1000MiB/s",
        "near: {type: gp3, size: 50GiB, tokens: 0%, iops: 3000, throughput: 125MiB/s",
    );
    let run = run(&slow).result;
    let all: f64 = held(&run).iter().map(|(.., time)| time).sum();
    let waited = &run.links[0].waited_s;
    assert!(waited.processor + waited.bandwidth > 0.0);
    // Its messages take 1.6 % of the writes' time, all of it while the near leg is busy.
    assert!(all < 0.001 * latency_s(&run, "writers"), "{all}");
}

#[test]
fn what_was_acknowledged_goes_on_at_its_time() {
    // Nothing throttles one writer, so that the end of each of its writes is known at once. The
    // far leg is done before the near one is: until the next write, nothing else is to happen.
    let alone = text('A', "local", "count: 1")
        .replace("processes: 16", "processes: 1")
        .replace("round_trip: 2ms", "round_trip: 50us")
        .replace("far: {type: gp3", "far: {type: io2")
        .replace(", throughput: 1000MiB/s, host: far", ", host: far")
        .replace("tokens: 0%, ", "");
    let from = alone.find("  readers:").unwrap();
    let run = run(&alone[..from]).result;
    // What is under way is a few milliseconds of writes.
    assert!(run.mirrors[0].most_at_risk_bytes < 512 << 10);
    let [near, far] = &run.volumes[..] else {
        panic!("two legs")
    };
    assert!(far.ios as f64 > 0.98 * near.ios as f64);
}

/// What limits, events and links hold of an engine's IO, by what it was for, adds up to what they
/// hold of the job's.
#[test]
fn an_engines_waits_are_told_apart_by_what_its_io_is_for() {
    let writers = text('C', "local", "count: 1").replace("10Gbit/s", "100Mbit/s");
    let storage = writers.split("workload:").next().unwrap();
    let shop = "
workload:
  shop:
    {kind: oltp, engine: innodb, on: data, data_size: 4GiB, pool: 64MiB, cores: 8, threads: 16,
     transactions: {pay: {pages: 12, changes: 4, log: 4KiB, cpu: 1ms}}}
events: [{at: 2s, pause: data, for: 300ms}]
";
    let storage = storage.replace("iops: 10000, throughput: 1000MiB/s", "iops: 3000");
    let run = run(&format!("{storage}{shop}")).result;
    let io = &run.transactions[0].io;
    let sum = |share: fn(&EngineIoTotal) -> f64| -> f64 {
        let all = io
            .iter()
            .map(|io| io.ios as f64 * io.mean_us / 1e6 * share(io));
        all.sum()
    };
    let close = |found: f64, whole: f64| {
        assert!(
            whole > 0.5 && (found / whole - 1.0).abs() < 1e-6,
            "{found} {whole}: {run:#?}"
        );
    };
    let on_links: f64 = held(&run).iter().map(|(_, _, held_s)| held_s).sum();
    close(sum(|io| io.on_links), on_links);
    let paused = run.events.iter().find(|it| !it.held.is_empty()).unwrap();
    close(sum(|io| io.in_events), paused.held[0].waited_s);
    let throttled: f64 = run.limits.iter().map(|limit| limit.throttled_s).sum();
    close(
        sum(|io| io.throttled.iter().map(|by| by.share).sum()),
        throttled,
    );
    // Reads stay here, writes and the log go there too.
    let on_links: Vec<_> = io
        .iter()
        .map(|io| (io.purpose, io.on_links > 0.0))
        .collect();
    assert_eq!(
        on_links,
        [
            (EngineIoUse::PageRead, false),
            (EngineIoUse::PageWrite, true),
            (EngineIoUse::Log, true),
        ]
    );
}
