//! What this machine still holds in memory of a device, written back before
//! the device goes.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::mounts;

/// How long it may take. What is served answers without the model then, so
/// this is the machine's own speed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Has the kernel write back what it holds of block devices, and of file
/// systems on them or on what is made of them. An error if it could not, or
/// not within [`PATIENCE`].
pub(crate) fn sync(devices: &[PathBuf]) -> io::Result<()> {
    let (done, finished) = channel();
    let devices = devices.to_vec();
    // Nothing interrupts a sync: one that takes too long is left to itself.
    thread::Builder::new().name("sync".into()).spawn(move || {
        let synced = devices.iter().try_for_each(|device| sync_one(device));
        // Nobody waits any more if it took too long.
        let _ = done.send(synced);
    })?;
    let late = |_| Err(io::ErrorKind::TimedOut.into());
    finished.recv_timeout(PATIENCE).unwrap_or_else(late)
}

fn sync_one(device: &Path) -> io::Result<()> {
    let mut all = Vec::new();
    stacked(device.file_name().unwrap_or_default(), &mut all);
    // From the top: what a file system writes back goes to the device below.
    for name in all.iter().rev() {
        let device = Path::new("/dev").join(name);
        for place in mounts::of(&device) {
            rustix::fs::syncfs(File::open(place)?)?;
        }
        File::open(device)?.sync_all()?;
    }
    Ok(())
}

/// A device, its partitions and what is made of them (LVM, RAID), each after
/// what it lies on.
fn stacked(name: &OsStr, all: &mut Vec<OsString>) {
    if all.iter().any(|known| known == name) {
        return;
    }
    all.push(name.into());
    let place = Path::new("/sys/class/block").join(name);
    let inside = entries(&place).filter(|entry| entry.join("partition").exists());
    for above in inside.chain(entries(&place.join("holders"))) {
        stacked(above.file_name().unwrap_or_default(), all);
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}
