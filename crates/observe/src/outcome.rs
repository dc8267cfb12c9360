//! What an observation found, as the result of a run.

use blockyard_machine::{kernel, processor, processors};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::result::{
    LatencyUs, Machine, Mode, Observed, ObservedDevice, ObservedOp, RunResult, SCHEMA, Source,
    Status, Target, Tool, Total,
};

use crate::Options;
use crate::counts::OPS;
use crate::totals::Totals;
use crate::watched::Watched;

/// The job of IO whose issuer is not told apart.
pub(crate) const JOB: &str = "observed";

const MIB: f64 = (1 << 20) as f64;

/// The result, without how it ended and what is known of processes.
pub(crate) fn result(
    options: &Options,
    devices: &[Watched],
    seconds: f64,
    interval: Nanos,
) -> RunResult {
    let named = !options.device.is_empty();
    let shown = devices
        .iter()
        .filter(|watched| named || watched.totals.had_io());
    let seen = devices.iter().any(|watched| watched.latencies.is_some());
    let interval_s = interval as f64 / SECOND as f64;
    let observed = Observed {
        source: if seen {
            Source::Tracepoints
        } else {
            Source::Counters
        },
        interval_s,
        devices: shown
            .clone()
            .map(|watched| device(watched, seconds, interval_s))
            .collect(),
        processes: Vec::new(),
        pressure: None,
        events: None,
        calls: None,
        lost: Vec::new(),
    };
    RunResult {
        machine: Some(Machine {
            started: options.started.clone(),
            kernel: kernel(),
            processor: processor(),
            processors: processors(),
            engine: if seen {
                "/sys/block/*/stat, block tracepoints".into()
            } else {
                "/sys/block/*/stat".into()
            },
            targets: shown.map(target).collect(),
            ..Machine::default()
        }),
        totals: devices
            .iter()
            .flat_map(|watched| totals(watched, seconds, interval_s))
            .collect(),
        ..bare(&options.name, seconds, observed)
    }
}

/// A result that has nothing but what was observed.
pub(crate) fn bare(name: &str, seconds: f64, observed: Observed) -> RunResult {
    RunResult {
        schema: SCHEMA.into(),
        mode: Mode::Observe,
        tool: Tool {
            name: "blockyard".into(),
            version: env!("CARGO_PKG_VERSION").into(),
        },
        scenario: name.into(),
        seed: 0,
        random: String::new(),
        duration_s: seconds,
        by_interval_s: None,
        status: Status::Complete,
        reason: None,
        machine: None,
        totals: Vec::new(),
        observed: Some(observed),
        resolved: Vec::new(),
        rests_on: Vec::new(),
        notices: Vec::new(),
        steps: Vec::new(),
        cycles: Vec::new(),
        amounts: Vec::new(),
        transactions: Vec::new(),
        open_loop: Vec::new(),
        volumes: Vec::new(),
        hosts: Vec::new(),
        links: Vec::new(),
        host_networks: Vec::new(),
        packet_cpu: Vec::new(),
        mirrors: Vec::new(),
        journal_mirrors: Vec::new(),
        limits: Vec::new(),
        lateness_us: None,
        events: Vec::new(),
        goals: Vec::new(),
        by_seed: None,
        recordings: Vec::new(),
    }
}

fn target(watched: &Watched) -> Target {
    let device = &watched.device;
    let number = |text: Option<String>| text.and_then(|text| text.parse::<u64>().ok());
    let node = device.node().display().to_string();
    let scheduler = device.queue("scheduler");
    let chosen = scheduler
        .as_deref()
        .and_then(|all| all.split(['[', ']']).nth(1));
    Target {
        device: watched.name.clone(),
        path: node.clone(),
        kind: "block device".into(),
        // sysfs counts sectors of 512 bytes.
        size_bytes: number(device.attribute("size")).unwrap_or(0) * 512,
        block_device: Some(node),
        model: device.model(),
        scheduler: chosen.map(str::to_owned).or(scheduler),
        queue_requests: number(device.queue("nr_requests")),
        logical_block_bytes: number(device.queue("logical_block_size")),
        rotational: device.queue("rotational").map(|text| text == "1"),
        ..Target::default()
    }
}

fn totals(watched: &Watched, seconds: f64, interval_s: f64) -> impl Iterator<Item = Total> {
    let Totals { whole, peaks, .. } = &watched.totals;
    let ops = OPS.iter().zip(&whole.ops).zip(peaks).enumerate();
    let done = ops.filter(|(_, ((_, counts), _))| counts.ios > 0);
    done.map(move |(place, ((op, counts), peak))| {
        let seen = watched.seen(place);
        let latency_us = seen.and_then(|seen| LatencyUs::of(&seen.all));
        Total {
            job: JOB.into(),
            device: watched.name.clone(),
            op: (*op).into(),
            ios: counts.ios,
            bytes: counts.bytes,
            iops: counts.ios as f64 / seconds,
            mib_per_s: counts.bytes as f64 / MIB / seconds,
            peak_iops: *peak as f64 / interval_s,
            errors: seen.map_or(0, |seen| seen.failed),
            latency_us,
            mean_us: counts.mean_us().filter(|_| latency_us.is_none()),
            expected_us: None,
            worst_second: None,
            time_above: Vec::new(),
            busy: None,
        }
    })
}

fn device(watched: &Watched, seconds: f64, interval_s: f64) -> ObservedDevice {
    let totals = &watched.totals;
    let ops = OPS.iter().zip(&totals.whole.ops).enumerate();
    let intervals = (seconds / interval_s).ceil() as u64;
    let (used_s, busy_s) = totals.in_use_s(watched.used);
    let in_flight_ms: u64 = totals.whole.ops.iter().map(|op| op.ms).sum();
    ObservedDevice {
        ebs: None,
        load: watched.load.result(intervals, interval_s),
        name: watched.name.clone(),
        utilisation: (used_s / seconds).min(1.0),
        busy_s,
        queue_depth: in_flight_ms as f64 / 1000.0 / seconds,
        in_driver: watched.in_driver(),
        ops: ops
            .filter_map(|(place, (op, counts))| {
                let seen = watched.seen(place);
                Some(ObservedOp {
                    op: (*op).into(),
                    ios: counts.ios,
                    merged: counts.merged,
                    mean_bytes: counts.bytes as f64 / counts.ios as f64,
                    mean_us: seen
                        .and_then(|seen| seen.mean_us())
                        .or_else(|| counts.mean_us())?,
                    seen: seen.map(|seen| seen.all.count()),
                    queue_us: seen.and_then(|seen| LatencyUs::of(&seen.queue)),
                    device_us: seen.and_then(|seen| LatencyUs::of(&seen.device)),
                })
            })
            .collect(),
    }
}
