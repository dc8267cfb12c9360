//! Which processes use a file or device.

use std::fs::File;
use std::thread;
use std::time::Duration;

use blockyard_machine::{Identity, processes};
use blockyard_sys::is_written_elsewhere;

use super::refusal::Reason;

/// The system opens a device that just appeared for a moment, to identify it; a real user
/// keeps it open for longer.
const PATIENCE: Duration = Duration::from_millis(100);
const LOOKS: u32 = 5;

/// No other process may have the device open, nor share its bytes as memory.
pub(super) fn check_not_open(device: Identity) -> Result<(), Reason> {
    patiently(|| check(device))
}

/// Nothing may have the file open for writing, nor share it as memory that can
/// be written to. `file` is the same by each of its names.
pub(super) fn check_not_written(file: &[File]) -> Result<(), Reason> {
    patiently(|| {
        for named in file {
            check(Identity::of(&named.metadata()?))?;
        }
        // Where the kernel cannot tell, the list of processes has to suffice.
        match file
            .iter()
            .any(|named| matches!(is_written_elsewhere(named), Ok(true)))
        {
            true => Err(Reason::Written),
            false => Ok(()),
        }
    })
}

fn patiently(check: impl Fn() -> Result<(), Reason>) -> Result<(), Reason> {
    let mut checked = check();
    for _ in 1..LOOKS {
        if checked.is_ok() {
            break;
        }
        thread::sleep(PATIENCE);
        checked = check();
    }
    checked
}

fn check(target: Identity) -> Result<(), Reason> {
    match processes()?.iter().find(|process| process.uses(target)) {
        Some(process) => Err(Reason::Open {
            pid: process.pid(),
            name: process.name(),
        }),
        None => Ok(()),
    }
}
