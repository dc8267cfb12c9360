//! Whether the system uses a target.

use blockyard_machine::{BlockDevice, Identity, is_swap, loops_on, mounts, mounts_of};

use super::refusal::Reason;

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
        // Network and memory file systems have no device beneath them.
        if let Ok(carrier) = BlockDevice::numbered(number) {
            beneath.extend(carrier.beneath()?);
        }
    }
    Ok(())
}

/// No file system on the device may be mounted.
pub(super) fn check_not_mounted(device: &BlockDevice) -> Result<(), Reason> {
    match mounts_of(device.number())?.into_iter().next() {
        Some(on) => Err(Reason::Mounted(on)),
        None => Ok(()),
    }
}

/// The target must not be swapped to.
pub(super) fn check_not_swap(target: Identity) -> Result<(), Reason> {
    match is_swap(target)? {
        true => Err(Reason::Swap),
        false => Ok(()),
    }
}

/// No other device may be made of the device.
pub(super) fn check_no_holders(device: &BlockDevice) -> Result<(), Reason> {
    match device.holders()?.first() {
        Some(holder) => Err(Reason::Held(holder.names())),
        None => Ok(()),
    }
}

/// No loop device may store its data in the target.
pub(super) fn check_not_looped(target: Identity) -> Result<(), Reason> {
    match loops_on(target)?.into_iter().next() {
        Some(device) => Err(Reason::Looped(device)),
        None => Ok(()),
    }
}
