//! A run as the question sees it whether it was the drive.

use std::collections::BTreeMap;

use blockyard_explain::{
    Busy, Moved, Parts, Seen, SeenDevice, SeenInterval, Verdict, was_it_the_drive,
};
use blockyard_record::result::{LatencyUs, ObservedDevice, ObservedOp};

use crate::Run;

/// What the load of a run waited for.
#[must_use]
pub fn verdict(run: &Run) -> Verdict {
    let known = run.storage.as_ref();
    let storage = known.map(|base| &base.opened().resolved.storage);
    was_it_the_drive(&seen(run), storage)
}

/// What a device is called in a scenario, whose names have letters, digits, `_` and `-` alone.
fn called(device: &str) -> String {
    let allowed = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
    let parts = device.split(|letter| !allowed(letter));
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

fn seen(run: &Run) -> Seen {
    let rows = &run.tables.intervals;
    let mut devices: BTreeMap<usize, BTreeMap<usize, SeenInterval>> = BTreeMap::new();
    let mut last = 0;
    for (row, start_s) in rows.t_s.iter().enumerate() {
        let place = (start_s / run.interval_s).round() as usize;
        last = last.max(place);
        let own = devices.entry(rows.device.index[row]).or_default();
        let own = own.entry(place).or_default();
        let moved = match rows.op.names[rows.op.index[row]].as_str() {
            "read" => &mut own.reads,
            "write" => &mut own.writes,
            "flush" => &mut own.flushes,
            _ => continue,
        };
        add(
            moved,
            rows.ios[row],
            rows.bytes[row],
            rows.latency_mean_us[row],
        );
    }
    for (name, place, counted) in counted(run) {
        let index = rows.device.names.iter().position(|own| own == name);
        let own = index.and_then(|index| devices.get_mut(&index));
        if let Some(own) = own.and_then(|own| own.get_mut(&place)) {
            own.counted = Some(counted);
        }
    }
    let observed = run.result.observed.as_ref();
    // Modelled storage and EBS tell their own latencies, other programs those of the kernel.
    let elsewhere = |name: &str| match run.foreign {
        Some(_) if !run.ebs.contains_key(name) => Parts::Together,
        _ => Parts::DeviceAlone,
    };
    let devices = devices.into_iter().map(|(index, mut own)| {
        let name = &rows.device.names[index];
        let devices = observed.map_or(&[][..], |observed| &observed.devices);
        let device = devices.iter().find(|device| device.name == *name);
        SeenDevice {
            name: called(name),
            intervals: (0..=last)
                .map(|place| own.remove(&place).unwrap_or_default())
                .collect(),
            busy: device.map(|device| Busy {
                share: device.utilisation,
                full_s: device.busy_s,
            }),
            parts: match device {
                Some(device) => parts(device, run.result.duration_s),
                None => elsewhere(name),
            },
            ebs: match device {
                Some(device) => device.ebs.clone(),
                None => run.ebs.get(name).cloned(),
            },
        }
    });
    Seen {
        interval_s: run.interval_s,
        devices: devices.collect(),
    }
}

/// By device and interval, what a volume counts of IOs that were each seen.
fn counted(run: &Run) -> impl Iterator<Item = (&str, usize, u64)> {
    let rows = &run.tables.volumes.served;
    let each = rows.volume.index.iter().zip(&rows.t_s).zip(&rows.ios);
    each.map(|((&volume, start_s), &ios)| {
        let place = (start_s / run.interval_s).round() as usize;
        (rows.volume.names[volume].as_str(), place, ios)
    })
}

fn add(moved: &mut Moved, ios: u64, bytes: u64, mean_us: f64) {
    moved.ios += ios;
    moved.bytes += bytes;
    if ios > 0 {
        moved.us += mean_us * ios as f64;
    }
}

/// Where the time of a device's reads and writes went.
fn parts(device: &ObservedDevice, seconds: f64) -> Parts {
    let moved = |op: &&ObservedOp| matches!(op.op.as_str(), "read" | "write");
    let moved = device.ops.iter().filter(moved);
    let mean = |of: fn(&ObservedOp) -> Option<LatencyUs>| {
        let each = moved.clone().filter_map(|op| {
            let ios = op.seen? as f64;
            Some((ios, ios * of(op)?.mean))
        });
        let (ios, us) = each.fold((0.0, 0.0), |(ios, us), one| (ios + one.0, us + one.1));
        (ios > 0.0).then(|| us / ios)
    };
    match (mean(|op| op.queue_us), mean(|op| op.device_us)) {
        (Some(queue_us), Some(device_us)) => Parts::Apart {
            queue_us,
            device_us,
        },
        _ => sampled(device, seconds).unwrap_or(Parts::Together),
    }
}

/// By Little's law: how many there are in the mean is how often they come times how long they stay.
fn sampled(device: &ObservedDevice, seconds: f64) -> Option<Parts> {
    let moved = |op: &&ObservedOp| matches!(op.op.as_str(), "read" | "write");
    let ios: u64 = device.ops.iter().filter(moved).map(|op| op.ios).sum();
    let device_us = device.in_driver? * seconds * 1e6 / ios as f64;
    (ios > 0).then_some(Parts::Sampled { device_us })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_called_as_a_scenario_may() {
        let names = ["nvme1n1", "dm-0", "/dev/vg0/data", "cciss!c0d0"];
        assert_eq!(
            names.map(called),
            ["nvme1n1", "dm-0", "dev-vg0-data", "cciss-c0d0"]
        );
    }
}
