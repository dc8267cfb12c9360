//! What an observation saw: devices, who used them, and how much tasks waited.

use blockyard_record::result::{
    LatencyUs, Observed, ObservedDevice, ObservedOp, ObservedProcess, RunResult,
};

use super::observed_calls;
use super::observed_ebs::{by_ebs, held};
use super::outcome::Outcome;
use super::phrases::{counted, in_bytes, listed, share};
use crate::text::format::{capital, duration, grouped, latency, number, rate};
use crate::text::table::{Said, Table};

/// Processes that a summary names.
const FEW: usize = 3;

/// Pressure below this share of the time is not worth a line.
const NOTED: f64 = 0.01;

/// What the busiest device did and who used the storage, in a clause.
pub(crate) fn seen(result: &RunResult, observed: &Observed) -> String {
    let whole = Outcome::of(&result.totals);
    let figures = |outcome: &Outcome<'_>| {
        let (iops, moved) = (rate(outcome.iops()), number(outcome.mib_per_s()));
        format!("{iops} IOPS, {moved} MiB/s")
    };
    let active: Vec<_> = observed.devices.iter().filter(has_io).collect();
    let load = |one: &&&ObservedDevice| one.queue_depth;
    let busiest = active
        .iter()
        .max_by(|one, other| load(one).total_cmp(&load(other)));
    let Some(busiest) = busiest else {
        // A trace may have no ends.
        return match whole.iops() > 0.0 {
            true => format!("{}; when IO ended is not known", figures(&whole)),
            false => "no IO completed".into(),
        };
    };
    let own = |device: &ObservedDevice| {
        let ops: Vec<_> = device.ops.iter().filter(|op| op.mean_bytes > 0.0).collect();
        let ops = ops.into_iter().map(|op| operation(result, device, op));
        let ops: Vec<_> = ops.collect();
        let ops = if ops.is_empty() {
            String::new()
        } else {
            format!(": {}", listed(&ops))
        };
        let utilised = share(device.utilisation);
        format!("{ops}; IO in flight {utilised} of the time")
    };
    let name = &busiest.name;
    let said = if active.len() == 1 {
        format!("{} on {name}{}", figures(&whole), own(busiest))
    } else {
        let of_it = result.totals.iter().filter(|total| total.device == *name);
        let devices = counted(active.len() as u64, "device");
        format!(
            "{} on {devices}, the busiest {name} with {}{}",
            figures(&whole),
            figures(&Outcome::of(of_it)),
            own(busiest)
        )
    };
    let most = observed.processes.first().filter(|one| moved(one) > 0);
    let most = most.map_or_else(String::new, |one| format!("; most by {}", process(one)));
    said + &held(result, observed).unwrap_or_default() + &most
}

/// What a summary says, line by line.
pub(crate) fn lines(observed: &Observed) -> Vec<String> {
    let mut said: Vec<_> = observed.devices.iter().map(device).collect();
    for device in &observed.devices {
        let parts: Vec<_> = device.ops.iter().filter_map(parts).collect();
        if !parts.is_empty() {
            said.push(format!("{}: {}", device.name, parts.join("; ")));
        }
    }
    said.extend(observed.devices.iter().filter_map(by_ebs));
    let moved = observed.processes.iter().filter(|one| moved(one) > 0);
    let names: Vec<_> = moved.clone().take(FEW).map(process).collect();
    let more = moved.count().saturating_sub(FEW);
    if !names.is_empty() {
        let more = if more > 0 {
            format!("; and {more} more")
        } else {
            String::new()
        };
        said.push(format!("processes: {}{more}", names.join("; ")));
    }
    said.extend(observed_calls::lines(observed));
    said.extend(pressure(observed));
    said
}

/// Tables of devices and processes, and a sentence on pressure.
pub(crate) fn told(result: &RunResult) -> Vec<Said> {
    let Some(observed) = &result.observed else {
        return Vec::new();
    };
    let calls = observed_calls::tables(result, observed);
    let tables = [devices(observed), processes(observed)]
        .into_iter()
        .chain(calls);
    let tables = tables.filter(|table| !table.rows.is_empty());
    let volumes = observed.devices.iter().filter_map(by_ebs);
    let at_once = observed.calls.as_ref().and_then(observed_calls::at_once);
    let sentences = volumes.chain(at_once).chain(pressure(observed));
    let sentences = sentences.map(|said| Said::from(format!("{}.", capital(&said))));
    tables.map(Said::from).chain(sentences).collect()
}

fn devices(observed: &Observed) -> Table {
    let columns = [
        "device",
        "operation",
        "IOs",
        "merged",
        "mean size",
        "mean latency",
        "queued here",
        "p99",
        "in the device",
        "p99",
    ];
    let figures = |us: Option<LatencyUs>| {
        let figures = us.map(|us| [us.mean, us.p99].map(latency));
        figures.unwrap_or_default()
    };
    let rows = observed.devices.iter().flat_map(|device| {
        device.ops.iter().map(|op| {
            let mut row = vec![
                device.name.clone(),
                op.op.clone(),
                grouped(op.ios as f64, 0),
                grouped(op.merged as f64, 0),
                size(op),
                latency(op.mean_us),
            ];
            row.extend(figures(queued(op)));
            row.extend(figures(op.device_us));
            row
        })
    });
    Table::new("Devices", &columns, rows.collect(), 2).without_empty()
}

fn processes(observed: &Observed) -> Table {
    let columns = ["process", "PID", "read", "written"];
    let rows = observed.processes.iter().map(|one| {
        let ended = if one.ended { " (ended)" } else { "" };
        vec![
            format!("{}{ended}", one.name),
            one.pid.to_string(),
            in_bytes(one.read_bytes),
            in_bytes(one.write_bytes),
        ]
    });
    Table::new("Processes", &columns, rows.collect(), 1)
}

fn pressure(observed: &Observed) -> Option<String> {
    let waited = observed.pressure.filter(|waited| waited.some >= NOTED)?;
    let (some, full) = (share(waited.some), share(waited.full));
    Some(format!(
        "some task of this machine waited for IO {some} of the time, all at once {full}"
    ))
}

fn device(of: &ObservedDevice) -> String {
    let busy = if of.busy_s > 0.0 {
        format!(", {} at 90% or more", duration(of.busy_s))
    } else {
        String::new()
    };
    format!(
        "{}: IO in flight {} of the time{busy}; {} in flight in the mean",
        of.name,
        share(of.utilisation),
        counted_mean(of.queue_depth)
    )
}

fn counted_mean(ios: f64) -> String {
    format!("{} IOs", grouped(ios, if ios < 10.0 { 2 } else { 0 }))
}

fn operation(result: &RunResult, device: &ObservedDevice, op: &ObservedOp) -> String {
    let mut totals = result.totals.iter();
    let total = totals.find(|total| total.device == device.name && total.op == op.op);
    let at = match total.and_then(|total| total.latency_us) {
        Some(us) => format!("{} (p99 {})", latency(us.mean), latency(us.p99)),
        None => latency(op.mean_us),
    };
    format!("{} of {} at {at}", plural(op), size(op))
}

/// Where the time of an operation went; none where that is not known.
fn parts(op: &ObservedOp) -> Option<String> {
    let both = |us: LatencyUs| format!("{} (p99 {})", latency(us.mean), latency(us.p99));
    let many = plural(op);
    let device = format!("{} in the device", both(op.device_us?));
    Some(match queued(op) {
        Some(queue) => format!("{many} {} in this machine's queues, {device}", both(queue)),
        None => format!("{many} {device}"),
    })
}

/// The time in this machine's queues; none where all of it is 0, as of a trace of modelled storage.
fn queued(op: &ObservedOp) -> Option<LatencyUs> {
    op.queue_us.filter(|queue| queue.max > 0.0)
}

fn plural(op: &ObservedOp) -> &str {
    match op.op.as_str() {
        "read" => "reads",
        "write" => "writes",
        "flush" => "flushes",
        _ => "trims",
    }
}

fn size(op: &ObservedOp) -> String {
    if op.mean_bytes > 0.0 {
        in_bytes(op.mean_bytes.round() as u64)
    } else {
        String::new()
    }
}

fn process(one: &ObservedProcess) -> String {
    let parts = [("read", one.read_bytes), ("wrote", one.write_bytes)];
    let parts = parts.iter().filter(|(_, bytes)| *bytes > 0);
    let parts: Vec<_> = parts
        .map(|(what, bytes)| format!("{what} {}", in_bytes(*bytes)))
        .collect();
    format!("{} ({}) {}", one.name, one.pid, listed(&parts))
}

fn moved(one: &ObservedProcess) -> u64 {
    one.read_bytes + one.write_bytes
}

fn has_io(device: &&ObservedDevice) -> bool {
    !device.ops.is_empty()
}
