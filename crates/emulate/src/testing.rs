//! Storage for tests of what is around the model.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use blockyard_model::spec::{
    DeviceSpec, Discipline, HostSpec, LatencySpec, Layout, StorageSpec, VolumeSpec,
};
use blockyard_model::units::{KIB, Nanos};

use crate::disk::Disk;
use crate::emulator::Emulator;
use crate::store::Store;

impl Disk {
    /// A disk in memory whose model holds nothing back.
    pub(crate) fn in_memory(name: &str, size: u64) -> Self {
        disk(name, size, 0)
    }
}

/// One device, a volume whose every request takes `latency`.
pub(crate) fn one(name: &str, size: u64, latency: Nanos) -> StorageSpec {
    StorageSpec {
        hosts: vec![HostSpec::unnamed()],
        volumes: vec![volume(name, size, latency)],
        devices: vec![DeviceSpec {
            name: name.into(),
            size,
            layout: Layout::Volume(0),
        }],
        links: Vec::new(),
    }
}

/// A volume without limits whose every request takes `latency`.
pub(crate) fn volume(name: &str, size: u64, latency: Nanos) -> VolumeSpec {
    let table = vec![(0.0, latency), (1.0, latency)];
    VolumeSpec {
        name: name.into(),
        size,
        io_unit: 256 * KIB,
        whole_units: false,
        limits: Vec::new(),
        discipline: Discipline::Fifo,
        latency: LatencySpec {
            read: table.clone(),
            write: table,
            sequential: None,
            base_size: 16 * KIB,
            per_kib: 0.into(),
            spread_permille: 0,
            volume_spread_permille: 0,
            slow: Vec::new(),
        },
        queues: None,
        host: 0,
        standby: Vec::new(),
        behind_host: false,
    }
}

/// A limit of `rate` IOPS, of which `depth` pass at once.
#[cfg(test)]
pub(crate) fn iops(rate: u64, depth: u64) -> blockyard_model::spec::LimitSpec {
    use blockyard_model::spec::{Applies, LimitSpec, Unit};

    LimitSpec {
        name: "iops".into(),
        unit: Unit::Io,
        applies: Applies::Both,
        rate,
        depth,
        level: depth,
        credits: false,
        top_up: None,
    }
}

/// A disk in memory whose every request takes `latency`.
pub(crate) fn disk(name: &str, size: u64, latency: Nanos) -> Disk {
    let (emulator, timer) = Emulator::start(one(name, size, 0), latency, 0).expect("a thread");
    // The thread ends with the test.
    std::mem::forget(timer);
    let device = emulator.devices().remove(0);
    Disk::start(name, device, Store::ram(size)).expect("a thread")
}
