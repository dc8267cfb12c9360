//! What the system uses a target for.

use std::fs;
use std::io;

use super::refusal::Reason;
use crate::system::{BlockDevice, Identity, lines, loop_on, mounts, unescaped};

/// The device must not be beneath the root file system. Another partition of
/// the same disk, or another volume on it, is not.
pub(super) fn check_not_system(device: &BlockDevice) -> Result<(), Reason> {
    let roots = mounts()?
        .into_iter()
        .filter(|mount| mount.on.as_os_str() == "/");
    let mut beneath: Vec<_> = roots
        .flat_map(|root| root.devices().collect::<Vec<_>>())
        .collect();
    while let Some(number) = beneath.pop() {
        if number == device.number() {
            return Err(Reason::System);
        }
        // What has no folder has nothing beneath it: network, memory.
        if let Ok(carrier) = BlockDevice::numbered(number) {
            beneath.extend(carrier.beneath()?);
        }
    }
    Ok(())
}

/// No file system on the device may be mounted.
pub(super) fn check_not_mounted(device: &BlockDevice) -> Result<(), Reason> {
    let number = device.number();
    let mounted = mounts()?
        .into_iter()
        .find(|mount| mount.devices().any(|other| other == number));
    match mounted {
        Some(mount) => Err(Reason::Mounted(mount.on)),
        None => Ok(()),
    }
}

/// The target must not be swapped to.
pub(super) fn check_not_swap(target: Identity) -> Result<(), Reason> {
    let swaps = match fs::read("/proc/swaps") {
        // A kernel without swap has no such table.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        swaps => swaps?,
    };
    let used = lines(&swaps).skip(1).any(|fields| {
        let path = fields.first().map(|field| unescaped(field));
        path.and_then(|path| Identity::at(&path)) == Some(target)
    });
    if used { Err(Reason::Swap) } else { Ok(()) }
}

/// No other device may be made of the device.
pub(super) fn check_no_holders(device: &BlockDevice) -> Result<(), Reason> {
    match device.holder()? {
        Some(holder) => Err(Reason::Held(holder)),
        None => Ok(()),
    }
}

/// No loop device may store its data in the target.
pub(super) fn check_not_looped(target: Identity) -> Result<(), Reason> {
    match loop_on(target)? {
        Some(device) => Err(Reason::Looped(device)),
        None => Ok(()),
    }
}
