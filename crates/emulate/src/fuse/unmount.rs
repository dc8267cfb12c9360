//! The end of a mount, also while it is in use.

use std::fs;
use std::path::{Path, PathBuf};

use fuser::BackgroundSession;
use rustix::mount::{UnmountFlags, unmount as unmount_at};

use crate::error::Error;

/// Processes that are named of those in the way.
const NAMED: usize = 3;

/// Unmounts `dir`. Who still uses it is an error, but no hindrance: then the
/// folder is detached, and its files fail once the server is gone.
pub(super) fn unmount(dir: &Path, session: BackgroundSession) -> Result<(), Error> {
    if unmount_at(dir, UnmountFlags::empty()).is_ok() {
        // It is unmounted, so that the session has ended.
        let _ = session.umount_and_join();
        return Ok(());
    }
    let users = users(dir);
    // Without root the session's own way is the only one, by fusermount3.
    let detached = unmount_at(dir, UnmountFlags::DETACH).is_ok();
    if !detached {
        let ended = session.umount_and_join();
        return match (ended, users.as_slice()) {
            (Ok(()), []) => Ok(()),
            (Ok(()), _) => Err(in_use(dir, &users)),
            (Err(error), _) => Err(Error::Failed(format!("{}: {error}", dir.display()))),
        };
    }
    // The kernel ends the session when the last file is closed, which may be
    // never: it is left behind.
    std::mem::forget(session);
    Err(in_use(dir, &users))
}

fn in_use(dir: &Path, users: &[String]) -> Error {
    let by = match users {
        [] => String::new(),
        users => format!(" by {}", users.join(", ")),
    };
    let place = dir.display();
    Error::Failed(format!("{place}: was in use{by}; detached all the same"))
}

/// Processes with a file open under `dir`, as far as this user can see them.
fn users(dir: &Path) -> Vec<String> {
    let own = std::process::id().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = processes.filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy()
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            && name != *own
    });
    processes
        .filter(|process| open_files(&process.path()).any(|file| file.starts_with(dir)))
        .map(|process| {
            let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            format!("{} ({})", name.trim(), process.file_name().display())
        })
        .take(NAMED)
        .collect()
}

fn open_files(process: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(process.join("fd"))
        .into_iter()
        .flatten()
        .flatten();
    let open = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
    open.chain(fs::read_link(process.join("cwd")))
}
