//! Writes back what is cached of a device before the device goes.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use blockyard_machine::{BlockDevice, mounts_of};

/// How long it may take. Requests are answered without the model then, so
/// this is the machine's own speed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Has the kernel write back its caches of block devices, and of the file systems on them or
/// on devices built on them. An error if it could not, or not within [`PATIENCE`].
pub(crate) fn sync(devices: &[PathBuf]) -> io::Result<()> {
    let (done, finished) = channel();
    let devices = devices.to_vec();
    // Nothing interrupts a sync: one that takes too long is left to itself.
    thread::Builder::new().name("sync".into()).spawn(move || {
        let synced = devices.iter().try_for_each(|device| sync_one(device));
        // If it took too long, the receiver is gone.
        let _ = done.send(synced);
    })?;
    let late = |_| Err(io::ErrorKind::TimedOut.into());
    finished.recv_timeout(PATIENCE).unwrap_or_else(late)
}

fn sync_one(device: &Path) -> io::Result<()> {
    let mut all = Vec::new();
    stacked(BlockDevice::at(device)?, &mut all)?;
    // From the top: a file system writes back to the device below it.
    for device in all.iter().rev() {
        for place in mounts_of(device.number())? {
            rustix::fs::syncfs(File::open(place)?)?;
        }
        File::open(device.node())?.sync_all()?;
    }
    Ok(())
}

/// A device, its partitions and the devices built on them (LVM, RAID), each after those
/// below it.
fn stacked(device: BlockDevice, all: &mut Vec<BlockDevice>) -> io::Result<()> {
    if all.iter().any(|known| known.number() == device.number()) {
        return Ok(());
    }
    let above = [device.partitions()?, device.holders()?];
    all.push(device);
    let mut above = above.into_iter().flatten();
    above.try_for_each(|device| stacked(device, all))
}
