//! Which processes and devices use files and block devices.

use std::io;
use std::path::{Path, PathBuf};

use blockyard_machine::{
    BlockDevice, Identity, Process, is_swap, loops_on, loops_under, mounts_of, names_of, processes,
};

/// Users that are named.
const NAMED: usize = 3;

/// Other processes, and loop devices, that have `place` or something under it
/// open, as far as this user can see them. It is an absolute path.
pub(crate) fn of(place: &Path) -> Vec<String> {
    let all = processes().unwrap_or_default().into_iter();
    let here = all.filter(|process| process.is_under(place));
    let loops = loops_under(place).unwrap_or_default().into_iter();
    let loops = loops.map(|device| device.display().to_string());
    here.map(|process| called(&process))
        .chain(loops)
        .take(NAMED)
        .collect()
}

/// Where a block device is mounted, which devices are built on it and which processes have
/// it open.
pub(crate) fn of_device(device: &Path) -> Vec<String> {
    let mounts = mounts(device).into_iter();
    let mounted = mounts.map(|place| format!("mounted on {}", place.display()));
    let holders = BlockDevice::at(device).and_then(|device| device.holders());
    let holders = holders.unwrap_or_default().into_iter();
    let held = holders.map(|holder| format!("held by {}", holder.names()));
    mounted.chain(held).chain(of(device)).collect()
}

/// Loop devices over the file at `path`, swapping to it, and other processes
/// that have it open for writing or mapped so, by whatever name they found it,
/// as far as this user can see them.
///
/// # Errors
/// If the file or its users cannot be examined.
pub(crate) fn writers(path: &Path) -> io::Result<Vec<String>> {
    let mut all = Vec::new();
    for name in names_of(path)? {
        all.extend(writers_of(Identity::of(&name.metadata()?))?);
    }
    all.truncate(NAMED);
    Ok(all)
}

fn writers_of(file: Identity) -> io::Result<Vec<String>> {
    let loops = loops_on(file)?.into_iter().map(|device| looped(&device));
    let swap = is_swap(file)?.then(|| "the kernel, for swap".into());
    let all = processes()?.into_iter();
    let writers = all.filter(|process| process.uses(file));
    Ok(loops
        .chain(swap)
        .chain(writers.map(|process| called(&process)))
        .collect())
}

/// Where a device is mounted, as far as this process can see it.
pub(crate) fn mounts(device: &Path) -> Vec<PathBuf> {
    match Identity::at(device) {
        Some(Identity::Device(number)) => mounts_of(number).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// A loop device, with the place where it is mounted.
fn looped(device: &Path) -> String {
    match mounts(device).as_slice() {
        [] => device.display().to_string(),
        [on, ..] => format!("{}, mounted on {}", device.display(), on.display()),
    }
}

/// The name and number of a process.
fn called(process: &Process) -> String {
    format!("{} (process {})", process.name(), process.pid())
}
