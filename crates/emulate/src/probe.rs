//! What this machine itself adds to a request: measured at the start, by
//! requests that take the whole way and are held for a known time.

use std::time::Duration;

use blockyard_model::spec::{DeviceSpec, Discipline, LatencySpec, Layout, StorageSpec, VolumeSpec};
use blockyard_model::units::{KIB, MICROSECOND, Nanos, SECOND};

use crate::desk::Desk;

/// How long each is held: as long as storage in a cloud takes, so that the
/// machine sleeps and wakes as it will.
const HELD: Nanos = 400 * MICROSECOND;

/// Requests that are timed.
pub(crate) const ROUNDS: usize = 101;

/// A desk for the devices of `spec` that holds each request for [`HELD`].
pub(crate) fn desk(spec: &StorageSpec) -> Desk {
    Desk::new(&flat(&spec.devices, HELD), 0, SECOND, 0)
}

/// What is left of `times`, which requests took, without the time held: the
/// median, which a machine that is busy for a moment does not move.
pub(crate) fn floor(mut times: Vec<Duration>) -> Nanos {
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    (median.as_nanos() as Nanos).saturating_sub(HELD)
}

/// Devices like those, whose every request takes `latency`.
pub(crate) fn flat(devices: &[DeviceSpec], latency: Nanos) -> StorageSpec {
    let table = vec![(0.0, latency), (1.0, latency)];
    let volume = |device: &DeviceSpec| VolumeSpec {
        name: device.name.clone(),
        size: device.size,
        io_unit: 256 * KIB,
        whole_units: false,
        limits: Vec::new(),
        discipline: Discipline::Fifo,
        latency: LatencySpec {
            read: table.clone(),
            write: table.clone(),
            base_size: 16 * KIB,
            per_kib: 0,
            slow: Vec::new(),
        },
        reordering_permille: 0,
        behind_host: false,
    };
    let device = |(index, device): (usize, &DeviceSpec)| DeviceSpec {
        layout: Layout::Volume(index),
        ..device.clone()
    };
    StorageSpec {
        host_limits: Vec::new(),
        host_discipline: Discipline::Fifo,
        volumes: devices.iter().map(volume).collect(),
        devices: devices.iter().enumerate().map(device).collect(),
    }
}
