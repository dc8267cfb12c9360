//! What needs no measurement: Little's law, the bounds of a closed loop, the
//! waiting times of M/D/1 and M/M/1.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{near, run, run_with, scenario, scenarios};
use blockyard_model::random::Stream;
use blockyard_model::spec::{
    Applies, DeviceSpec, Discipline, HostSpec, LatencySpec, Layout, LimitSpec, StorageSpec, Unit,
    VolumeSpec,
};
use blockyard_model::storage::{Op, Request, Storage, Ticket};
use blockyard_model::units::GIB;
use rayon::prelude::*;

#[test]
fn littles_law_holds_on_every_run() {
    // These are long, and have the same kinds of device and job as others.
    const LONG: [&str; 4] = [
        "intersystems-2022/a006-wij-on-data.yaml",
        "intersystems-2023",
        "percona-2018/cluster.yaml",
        "percona-2018/tables.yaml",
    ];
    let is_long = |path: &str| LONG.iter().any(|long| path.starts_with(long));
    let all = scenarios().into_par_iter();
    all.filter(|path| !is_long(path))
        .for_each(|path| littles_law_holds(&path));
}

fn littles_law_holds(path: &str) {
    // The law says as much of 20 seconds as of half an hour. A write daemon writes after 80, and
    // what a resync brings up to date was written by then.
    const BRIEF: &[&str] = &["warmup=0s", "duration=20s"];
    const CYCLE: &[&str] = &[
        "duration=110s",
        "workload.readers.schedule=[{at: 0s, processes: 7}, {at: 100s, processes: 0}]",
    ];
    let shortened: [(_, &[_]); 7] = [
        ("a002.yaml", BRIEF),
        ("a006.yaml", CYCLE),
        ("b080.yaml", BRIEF),
        ("b083.yaml", BRIEF),
        ("examples/iris-mirror.yaml", BRIEF),
        ("percona-2018/single-node.yaml", BRIEF),
        ("resync-500gib.yaml", &["duration=120s"]),
    ];
    let found = shortened.iter().find(|(name, _)| path.ends_with(name));
    let sets = found.map_or(&[][..], |(_, sets)| sets);
    let run = run_with(&scenario(path), sets, Default::default());
    for (index, &key) in run.shape.series.iter().enumerate() {
        let rows = run.intervals.iter().map(|interval| &interval.rows[index]);
        let (mut in_flight, mut busy_us) = (0.0, 0.0);
        for row in rows {
            in_flight += row.queue_depth;
            busy_us += row.latency_us.map_or(0.0, |us| us.mean) * row.ios as f64;
        }
        // Queue depth counts from the issue, latency from when an IO was
        // due; they differ where an open loop lags behind.
        let open_loop = run.shape.jobs[key.job].open_loop;
        let length_us = run.result.duration_s * 1e6 / run.intervals.len() as f64;
        let area = in_flight * length_us;
        if area > 1e6 && !open_loop {
            // What is in flight at the end has no latency yet, and what failed none at all: it
            // took a millisecond.
            let name = run.shape.series_name(key);
            let failed_us = 1000.0 * run.total(&name).errors as f64;
            near(&format!("{path} {name}"), busy_us + failed_us, area, 0.01);
        }
    }
}

#[test]
fn an_open_loop_without_lag_obeys_littles_law_too() {
    let run = run_with(
        &scenario("examples/open-loop.yaml"),
        &["duration=5s"],
        Default::default(),
    );
    let total = run.total("readers.data.read");
    let depth: f64 = run
        .intervals
        .iter()
        .map(|interval| interval.rows[0].queue_depth)
        .sum();
    let mean_s = total.latency_us.unwrap().mean / 1e6;
    near(
        "depth",
        depth / run.intervals.len() as f64,
        total.iops * mean_s,
        0.002,
    );
}

#[test]
fn a_closed_loop_stays_within_its_bounds() {
    for (processes, iops) in [(1, 3000), (4, 3000), (16, 3000), (8, 16000), (64, 16000)] {
        let text = format!(
            "{{name: bounds, as_of: 2022-11-10, duration: 30s, warmup: 10s, \
             storage: {{data: {{type: gp3, size: 1TiB, iops: {iops}, throughput: 250MiB/s}}}}, \
             workload: {{r: {{kind: ranread, on: data, file_size: 1GiB, processes: {processes}}}}}}}"
        );
        let free = run_with(&text, &["storage.data.iops=16000"], Default::default());
        let run = run(&text);
        let total = run.total("r.data.read");
        let latency_s = total.latency_us.unwrap().mean / 1e6;
        // The response time law without think time, exactly.
        near(
            "N = X R",
            total.iops * latency_s,
            f64::from(processes),
            0.002,
        );
        // Asymptotic bounds: the limit, and all processes at the latency that
        // one has alone (the fastest it can be is the table's minimum).
        assert!(total.iops <= f64::from(iops) * 1.001, "{}", total.iops);
        assert!(total.iops <= f64::from(processes) / 400e-6);
        let alone = free.total("r.data.read").latency_us.unwrap().mean / 1e6;
        let reached = (f64::from(processes) / alone).min(f64::from(iops));
        assert!(total.iops >= 0.85 * reached, "{} of {reached}", total.iops);
    }
}

/// One volume with one limit of depth one token and no latency of its own: a
/// single server.
fn server(unit: Unit, rate: u64, depth: u64) -> Storage {
    let none = vec![(0.0, 0), (1.0, 0)];
    let latency = LatencySpec {
        read: none.clone(),
        write: none,
        sequential: None,
        base_size: 1,
        per_kib: 0.into(),
        spread_permille: 0,
        volume_spread_permille: 0,
        slow: vec![],
    };
    let applies = Applies::Both;
    let limit = LimitSpec {
        name: "server".into(),
        unit,
        applies,
        rate,
        depth,
        level: depth,
        credits: false,
        top_up: None,
    };
    let volume = VolumeSpec {
        name: "data".into(),
        size: GIB,
        io_unit: 1 << 30,
        whole_units: false,
        limits: vec![limit],
        discipline: Discipline::Fifo,
        latency,
        queues: None,
        host: 0,
        standby: Vec::new(),
        behind_host: false,
    };
    let device = DeviceSpec {
        name: "data".into(),
        size: GIB,
        layout: Layout::Volume(0),
    };
    let spec = StorageSpec {
        hosts: vec![HostSpec::unnamed()],
        volumes: vec![volume],
        devices: vec![device],
        links: Vec::new(),
    };
    Storage::new(&spec, 1)
}

/// Mean time from arrival to grant in seconds, of Poisson arrivals at `rate`
/// whose sizes `size` draws.
fn mean_wait(mut storage: Storage, rate: f64, mut size: impl FnMut(&mut Stream) -> u64) -> f64 {
    let (mut gaps, mut sizes) = (Stream::new(1, "gaps"), Stream::new(1, "sizes"));
    let count = 2_000_000;
    // More tickets than requests ever wait.
    let mut arrivals = vec![0; 1 << 16];
    let (mut now, mut waited) = (0, 0);
    for number in 0..count {
        now += gaps.exponential_of((1e9 / rate) as u64);
        // Every other block, so that nothing continues what came before.
        let offset = u64::from(number % 2 == 0) * (GIB / 2);
        let len = size(&mut sizes);
        let request = Request {
            device: 0,
            op: Op::Read,
            offset,
            len,
            requester: 0.into(),
            submitter: 0,
        };
        storage.advance(now, &mut |ticket: Ticket, reply| {
            waited += reply.at - arrivals[ticket as usize];
        });
        let ticket = number % arrivals.len() as u32;
        arrivals[ticket as usize] = now;
        if let Some(reply) = storage.submit(now, ticket, &request) {
            waited += reply.at - now;
        }
    }
    waited as f64 / 1e9 / f64::from(count)
}

#[test]
fn a_bucket_of_one_token_is_an_m_d_1_queue() {
    // A request is granted when its token has come: it waits for the queue and
    // not for its own service. W = rho / (2 mu (1 - rho)).
    let mu = 10_000.0;
    for (rho, tolerance) in [(0.3, 0.01), (0.6, 0.01), (0.9, 0.04)] {
        let wait = mean_wait(server(Unit::Io, mu as u64, 1), rho * mu, |_| 512);
        near(
            &format!("rho {rho}"),
            wait,
            rho / (2.0 * mu * (1.0 - rho)),
            tolerance,
        );
    }
}

#[test]
fn exponential_sizes_on_a_byte_limit_are_an_m_m_1_queue() {
    // With a depth of one byte a request above it is granted when the bucket
    // is full and leaves a debt: the next one waits for this one's service.
    // W = rho / (mu (1 - rho)), sizes of mean 100,000 at 10^9 bytes a second.
    let mu = 10_000.0;
    for (rho, tolerance) in [(0.3, 0.02), (0.6, 0.02), (0.9, 0.06)] {
        let exponential = |sizes: &mut Stream| sizes.exponential_of(100_000).max(1);
        let wait = mean_wait(server(Unit::Byte, 1_000_000_000, 1), rho * mu, exponential);
        near(
            &format!("rho {rho}"),
            wait,
            rho / (mu * (1.0 - rho)),
            tolerance,
        );
    }
}
