//! Which processes use a file or device.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use blockyard_sys::{is_written_elsewhere, share_files};

use super::refusal::Reason;
use crate::system::{Identity, lines, unescaped};

/// A device that just appeared is opened by the system for a moment, to see
/// what it is; who uses it stays.
const PATIENCE: Duration = Duration::from_millis(100);
const LOOKS: u32 = 5;

/// No other process may have the device open, nor share its bytes as memory.
pub(super) fn check_not_open(device: Identity) -> Result<(), Reason> {
    patiently(|| check(device))
}

/// Nothing may have the file open for writing, nor share it as memory that can
/// be written to.
pub(super) fn check_not_written(file: &File, identity: Identity) -> Result<(), Reason> {
    patiently(|| {
        check(identity)?;
        // Where the kernel cannot tell, what was seen has to do.
        match is_written_elsewhere(file) {
            Ok(true) => Err(Reason::Written),
            Ok(false) | Err(_) => Ok(()),
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
    for (pid, folder) in numbered(Path::new("/proc"))? {
        if pid != std::process::id() && uses(pid, &folder, target) {
            let name = fs::read_to_string(folder.join("comm"));
            let name = name.unwrap_or_default().trim_end().to_owned();
            return Err(Reason::Open { pid, name });
        }
    }
    Ok(())
}

/// Whether a process, of a folder in procfs, uses `target`. One that has just
/// ended, or that may not be looked into, does not.
fn uses(pid: u32, process: &Path, target: Identity) -> bool {
    // Threads share their open files, as a rule, and always their memory. Of a
    // process whose first thread has ended only the others tell.
    let threads = numbered(&process.join("task")).unwrap_or_default();
    let mut apart = threads
        .into_iter()
        .filter(|(thread, _)| *thread != pid && !share_files(pid, *thread));
    opens(process, target)
        || apart.any(|(_, thread)| opens(&thread, target))
        || maps(process, target)
}

/// Whether a thread has `target` open.
fn opens(thread: &Path, target: Identity) -> bool {
    let Ok(handles) = fs::read_dir(thread.join("fd")) else {
        return false;
    };
    handles.flatten().any(|handle| {
        let is_it = Identity::at(&handle.path()) == Some(target);
        is_it
            && match target {
                Identity::Device(_) => true,
                Identity::File { .. } => writes(&thread.join("fdinfo").join(handle.file_name())),
            }
    })
}

/// Whether an open file's description says that it may be written to.
fn writes(description: &Path) -> bool {
    let Ok(text) = fs::read_to_string(description) else {
        return false;
    };
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    // The two lowest bits are the access mode: 0 is read-only.
    flags.is_some_and(|flags| flags & 0o3 != 0)
}

/// Whether a process shares `target` as memory, which takes no open file.
fn maps(process: &Path, target: Identity) -> bool {
    let Ok(table) = fs::read(process.join("maps")) else {
        return false;
    };
    // Fields: addresses, rights, offset, major:minor, inode, path.
    lines(&table).any(|fields| {
        let [addresses, rights, _, _, inode, path, ..] = fields[..] else {
            return false;
        };
        let shared = rights.ends_with(b"s") && inode != b"0";
        let matters = matches!(target, Identity::Device(_)) || rights.contains(&b'w');
        shared && matters && {
            // The very file, which only root may follow; or what its name leads to.
            let name = String::from_utf8_lossy(addresses);
            let file = Identity::at(&process.join("map_files").join(&*name));
            file.or_else(|| Identity::at(&unescaped(path))) == Some(target)
        }
    })
}

/// The entries of a folder whose names are numbers, in order.
fn numbered(folder: &Path) -> Result<Vec<(u32, PathBuf)>, Reason> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let number = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        found.extend(number.map(|number| (number, entry.path())));
    }
    found.sort();
    Ok(found)
}
