//! What a trace says, as the result of a run.

use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::result::{
    LatencyUs, Machine, Observed, ObservedDevice, ObservedOp, ObservedProcess, RunResult, Source,
    Target, Total,
};
use blockyard_trace::{OPS, Trace};

use super::Import;
use super::device::Device;
use super::notices::{losses, notices};
use super::survey::Survey;
use crate::outcome::{JOB, bare};

const MIB: f64 = (1 << 20) as f64;

/// The result of an import.
pub(super) fn result(
    options: &Import,
    (survey, trace): (&Survey, &Trace<'_>),
    (devices, processes): (&[Device], Vec<ObservedProcess>),
    seconds: f64,
) -> RunResult {
    let interval_s = options.interval.nanos() as f64 / SECOND as f64;
    let observed = Observed {
        source: Source::Trace,
        interval_s,
        // Without ends none is known of a device but its counts.
        devices: devices
            .iter()
            .filter(|_| survey.ends)
            .map(|device| observed(device, seconds, interval_s))
            .collect(),
        processes,
        pressure: None,
        events: None,
        lost: losses(survey, trace),
        calls: None,
    };
    let order = devices.iter().filter(|_| survey.ends);
    let order = order.filter_map(|device| device.load.notice(&device.name));
    RunResult {
        machine: Some(Machine {
            engine: format!("trace ({}): {}", trace.format().name(), options.called),
            targets: devices.iter().map(target).collect(),
            ..Machine::default()
        }),
        totals: devices
            .iter()
            .flat_map(|device| totals(device, seconds, interval_s))
            .collect(),
        notices: notices(survey, trace, options.interval)
            .into_iter()
            .chain(order)
            .collect(),
        ..bare(&options.name, seconds, observed)
    }
}

fn target(device: &Device) -> Target {
    Target {
        device: device.name.clone(),
        path: device.name.clone(),
        kind: "block device".into(),
        size_bytes: device.size,
        ..Target::default()
    }
}

fn totals(device: &Device, seconds: f64, interval_s: f64) -> impl Iterator<Item = Total> {
    let ops = OPS.iter().zip(&device.whole).enumerate();
    let done = ops.filter(|(_, (_, cell))| cell.ios > 0);
    done.map(move |(op, (name, cell))| Total {
        job: JOB.into(),
        device: device.name.clone(),
        op: (*name).into(),
        ios: cell.ios,
        bytes: cell.bytes,
        iops: cell.ios as f64 / seconds,
        mib_per_s: cell.bytes as f64 / MIB / seconds,
        peak_iops: device.peaks[op] as f64 / interval_s,
        errors: device.latencies.whole[op].failed,
        latency_us: LatencyUs::of(&device.latencies.whole[op].all),
        mean_us: None,
        expected_us: None,
        worst_second: None,
        time_above: Vec::new(),
        busy: None,
    })
}

fn observed(device: &Device, seconds: f64, interval_s: f64) -> ObservedDevice {
    let intervals = (seconds / interval_s).ceil() as u64;
    let in_flight: u64 = device.whole.iter().map(|cell| cell.in_flight).sum();
    let in_s = |time: Nanos| time as f64 / SECOND as f64;
    let ops = OPS.iter().zip(&device.whole).enumerate();
    ObservedDevice {
        ebs: None,
        load: device.load.result(intervals, interval_s),
        name: device.name.clone(),
        utilisation: (in_s(device.in_flight.in_use) / seconds).min(1.0),
        busy_s: in_s(device.in_flight.busy),
        queue_depth: in_s(in_flight) / seconds,
        in_driver: None,
        ops: ops
            .filter(|(_, (_, cell))| cell.timed > 0)
            .map(|(op, (name, cell))| {
                let seen = &device.latencies.whole[op];
                ObservedOp {
                    op: (*name).into(),
                    ios: cell.ios,
                    merged: 0,
                    mean_bytes: cell.bytes as f64 / cell.ios as f64,
                    mean_us: cell.took as f64 / cell.timed as f64 / 1000.0,
                    seen: Some(seen.all.count()),
                    queue_us: LatencyUs::of(&seen.queue),
                    device_us: LatencyUs::of(&seen.device),
                }
            })
            .collect(),
    }
}
