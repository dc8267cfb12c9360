//! Storage for tests of what is around the model.

use blockyard_model::spec::{DeviceSpec, Layout, StorageSpec};
use blockyard_model::units::{Nanos, SECOND};

use crate::desk::Desk;
use crate::disk::Disk;
use crate::pacer::Pacer;
use crate::probe;
use crate::store::Store;

impl Disk {
    /// A disk in memory whose model holds nothing back.
    pub(crate) fn in_memory(name: &str, size: u64) -> Self {
        disk(name, size, 0)
    }
}

/// One device whose every request takes `latency`.
pub(crate) fn one(name: &str, size: u64, latency: Nanos) -> StorageSpec {
    let device = DeviceSpec {
        name: name.into(),
        size,
        layout: Layout::Volume(0),
    };
    probe::flat(&[device], latency)
}

/// A disk in memory whose every request takes `latency`.
pub(crate) fn disk(name: &str, size: u64, latency: Nanos) -> Disk {
    let desk = Desk::new(&one(name, size, latency), 0, SECOND, 0);
    let (pacer, sending) = Pacer::start(desk, 0).expect("a thread");
    // The thread ends with the test.
    std::mem::forget(sending);
    Disk::start(name, 0, Store::ram(size), pacer).expect("a thread")
}
