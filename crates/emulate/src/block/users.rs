//! Who uses a block device.

use std::fs;
use std::path::Path;

use crate::mounts;

/// Where it is mounted, what is made of it and which processes have it open.
pub(super) fn of(device: &Path) -> Vec<String> {
    let mounts = mounts::of(device).into_iter();
    let mounted = mounts.map(|place| format!("mounted on {}", place.display()));
    let name = device.file_name().unwrap_or_default();
    let holders = Path::new("/sys/class/block").join(name).join("holders");
    let holders = fs::read_dir(holders).into_iter().flatten().flatten();
    let held = holders.map(|holder| format!("held by {}", holder.file_name().display()));
    mounted
        .chain(held)
        .chain(crate::users::of(device))
        .collect()
}
