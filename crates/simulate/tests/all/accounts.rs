//! Attribution, open loops, steps and warm-up: the accounts add up.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use crate::common::{near, run, run_with, scenario};
use blockyard_simulate::Options;

#[test]
fn waits_are_charged_to_the_limit_that_binds() {
    let layout = |host: &str, iops: u32| {
        format!(
            "{{name: binds, as_of: 2022-11-10, duration: 20s, warmup: 5s, host: {{instance: {host}}}, \
             storage: {{data: {{stripe: {{chunk: 64KiB, width: 2}}, \
             of: {{type: gp3, size: 400GiB, iops: {iops}, throughput: 500MiB/s}}}}}}, \
             workload: {{r: {{kind: ranread, on: data, file_size: 1GiB, processes: 60}}, \
             s: {{kind: ranread, on: data, file_size: 1GiB, processes: 20}}}}}}"
        )
    };
    // r5n.8xlarge: 30,000 IOPS against two volumes of 16,000.
    let by_host = run(&layout("r5n.8xlarge", 16_000)).result;
    assert_eq!(
        (&*by_host.limits[0].owner, &*by_host.limits[0].limit),
        ("host", "iops")
    );
    assert!(by_host.limits[0].share > 0.9, "{:?}", by_host.limits);
    let by_volumes = run(&layout("r5n.24xlarge", 5000)).result;
    assert!(
        by_volumes
            .limits
            .iter()
            .all(|limit| limit.owner.starts_with("data."))
    );

    for limit in by_host.limits.iter().chain(&by_volumes.limits) {
        let took: f64 = limit.jobs.iter().map(|job| job.took).sum();
        near("tokens taken", took, 1.0, 1e-9);
        let throttled: f64 = limit.jobs.iter().map(|job| job.throttled_s).sum();
        near("time throttled", throttled, limit.throttled_s, 1e-6);
        // Three processes of four belong to the first job.
        near("its share", limit.jobs[0].took, 0.75, 0.05);
    }
    let shares: f64 = by_volumes.limits.iter().map(|limit| limit.share).sum();
    near("all limits", shares, 1.0, 1e-9);
}

#[test]
fn latency_is_the_wait_and_the_free_latency() {
    // With a latency of zero everything is wait, to the nanosecond.
    let run = run(
        "{name: waits, duration: 10s, storage: {data: {type: gp3, size: 100GiB, latency: zero}}, \
         workload: {r: {kind: ranread, on: data, file_size: 1GiB, processes: 16}}}",
    );
    let total = run.total("r.data.read");
    let latency_s = total.latency_us.unwrap().mean * total.ios as f64 / 1e6;
    near(
        "throttled",
        run.result.limits[0].throttled_s,
        latency_s,
        1e-6,
    );
}

#[test]
fn an_overloaded_open_loop_says_what_it_did_not_do() {
    let text = "{name: overload, duration: 20s, storage: {data: {type: gp3, size: 100GiB}}, \
        workload: {r: {kind: ranread, on: data, file_size: 1GiB, rate: 5000/s, arrivals: even}}}";
    let run = run(text);
    let open = &run.result.open_loop[0];
    assert_eq!(open.offered, 100_000);
    assert_eq!(open.offered, open.served + open.backlog + open.skipped);
    assert_eq!((open.late, open.skipped), (0, 0));
    near("served", open.served as f64, 63_000.0, 0.01);
    // Latency counts from when a read was due: at the end 5,000 - 3,000 a
    // second have piled up for 20 s, less the second's slack.
    let us = run.total("r.data.read").latency_us.unwrap();
    near(
        "longest",
        us.max / 1e6,
        (100_000.0 - 63_000.0) / 5000.0,
        0.05,
    );
    near("lag", open.lag_us.unwrap().max / 1e6, us.max / 1e6, 0.1);
    let deepest = run
        .intervals
        .iter()
        .map(|i| i.rows[0].queue_depth)
        .fold(0.0, f64::max);
    assert!(deepest <= 1024.0, "{deepest}");

    let limited = run_with(
        text,
        &["workload.r.latency_limit=100ms"],
        Options::default(),
    )
    .result;
    let open = &limited.open_loop[0];
    assert_eq!(open.offered, open.served + open.backlog + open.skipped);
    assert!(open.skipped > 30_000, "{open:?}");
    assert!(
        open.late > 0 && open.lag_us.unwrap().max <= 100_000.0 * 1.001,
        "{open:?}"
    );
}

#[test]
fn the_warm_up_is_left_out_and_steps_make_up_the_whole() {
    let text = scenario("intersystems-2022/b080.yaml");
    let run = run_with(&text, &["duration=50s", "warmup=5s"], Options::default());
    let total = run.total("readers.data.read");
    let after: u64 = run.ios("readers.data.read")[5..].iter().sum();
    assert_eq!(total.ios, after);
    let steps = &run.result.steps;
    assert_eq!(
        steps.iter().map(|step| step.total.ios).sum::<u64>(),
        total.ios
    );
    let times: Vec<_> = steps.iter().map(|step| (step.from_s, step.to_s)).collect();
    assert_eq!(
        times,
        [
            (5.0, 10.0),
            (10.0, 20.0),
            (20.0, 30.0),
            (30.0, 40.0),
            (40.0, 50.0)
        ]
    );
    assert_eq!(
        run.result.volumes.iter().map(|v| v.ios).sum::<u64>(),
        run.result.hosts[0].ios
    );
}

#[test]
fn a_pause_in_the_schedule_has_no_io() {
    let run = run_with(
        &scenario("intersystems-2022/a006.yaml"),
        &["workload.writers.processes=0"],
        Options::default(),
    );
    let ios = run.ios("readers.data.read");
    // The reads in flight at the pause still end.
    assert!(ios[540] <= 8 && ios[541..660].iter().all(|&ios| ios == 0));
    assert!(ios[660] > 1000);
    let busy = run.total("readers.data.read").busy.unwrap();
    near("busy", busy.share, 1081.0 / 1200.0, 1e-9);
}

/// Whoever counts the lines of `ios.csv` counts what the totals do: what a file system writes for a
/// flush is `journal` there, and no write of the job's.
#[test]
fn the_log_of_ios_has_as_many_as_the_totals() {
    let folder = std::env::temp_dir().join(format!("blockyard-accounts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut journal = 0;
    for name in ["wal-fsync", "ranwrite", "small-database", "standby"] {
        let path = folder.join(name);
        let options = Options {
            io_log: Some(path.clone()),
            ..Options::default()
        };
        let text = scenario(&format!("examples/{name}.yaml"));
        let run = run_with(&text, &["duration=4s", "warmup=0s"], options);
        let mut counted: BTreeMap<String, u64> = BTreeMap::new();
        for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
            let fields: Vec<_> = line.split(',').collect();
            if !fields[8].is_empty() {
                let key = format!("{}.{}.{}", fields[2], fields[4], fields[5]);
                *counted.entry(key).or_default() += 1;
            }
        }
        counted.retain(|key, ios| {
            let of_file_system = key.ends_with(".journal");
            journal += if of_file_system { *ios } else { 0 };
            !of_file_system
        });
        let totals = run.result.totals.iter().filter(|total| total.ios > 0);
        let totals = totals.map(|it| (format!("{}.{}.{}", it.job, it.device, it.op), it.ios));
        assert_eq!(counted, totals.collect(), "{name}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(journal > 100, "{journal}");
}
