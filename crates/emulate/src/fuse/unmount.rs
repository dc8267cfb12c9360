//! The end of a mount, also while it is in use.

use std::path::Path;
use std::thread;
use std::time::Duration;

use blockyard_machine::Error;
use fuser::BackgroundSession;
use rustix::io::Errno;
use rustix::mount::{UnmountFlags, unmount as unmount_at};

use crate::users;

/// How long to wait for files that are open for a moment only: `ATTEMPTS` times `PAUSE`.
const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// Unmounts `dir`. Returns an error if something still uses it; it is unmounted regardless.
pub(super) fn unmount(dir: &Path, session: BackgroundSession) -> Result<(), Error> {
    if session.guard.is_finished() {
        // Somebody else has unmounted it.
        return Ok(());
    }
    let unmounted = patiently(dir);
    if unmounted.is_ok() {
        end(session);
        return Ok(());
    }
    let users = users::of(dir);
    match unmount_at(dir, UnmountFlags::FORCE | UnmountFlags::DETACH) {
        Ok(()) => end(session),
        // Without root: its own way, by fusermount3, which detaches as well.
        Err(_) => drop(session),
    }
    if users.is_empty() && unmounted != Err(Errno::BUSY) {
        return Ok(());
    }
    let by = match users.as_slice() {
        [] => String::new(),
        users => format!(" by {}", users.join(", ")),
    };
    let place = dir.display();
    Err(Error::Failed(format!(
        "{place}: was in use{by}; detached all the same"
    )))
}

fn patiently(dir: &Path) -> Result<(), Errno> {
    for _ in 0..ATTEMPTS {
        match unmount_at(dir, UnmountFlags::empty()) {
            Err(Errno::BUSY) => thread::sleep(PAUSE),
            other => return other,
        }
    }
    Err(Errno::BUSY)
}

/// Waits until the threads of what was unmounted have ended.
fn end(session: BackgroundSession) {
    for _ in 0..ATTEMPTS {
        if session.guard.is_finished() {
            return;
        }
        thread::sleep(PAUSE);
    }
    // Another mount namespace has a copy. It ends with this process.
    std::mem::forget(session);
}
