//! Which processes have a file or device open.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::identity::Identity;
use super::refusal::Reason;

/// A device that just appeared is opened by the system for a moment, to see
/// what it is; who uses it stays.
const PATIENCE: Duration = Duration::from_millis(100);
const LOOKS: u32 = 5;

/// No other process may have a device open, nor a file open for writing.
pub(super) fn check_not_held(target: Identity) -> Result<(), Reason> {
    let mut held = holder(target)?;
    for _ in 1..LOOKS {
        if held.is_none() {
            break;
        }
        thread::sleep(PATIENCE);
        held = holder(target)?;
    }
    match held {
        Some((pid, name)) => Err(Reason::Open { pid, name }),
        None => Ok(()),
    }
}

fn holder(target: Identity) -> Result<Option<(u32, String)>, Reason> {
    for entry in fs::read_dir("/proc")? {
        let entry = entry?;
        let pid = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        let Some(pid) = pid.filter(|pid| *pid != std::process::id()) else {
            continue;
        };
        if holds(&entry.path(), target) {
            let name = fs::read_to_string(entry.path().join("comm"));
            let name = name.unwrap_or_default().trim_end().to_owned();
            return Ok(Some((pid, name)));
        }
    }
    Ok(None)
}

/// Whether the process of a folder in procfs holds `target`. One that has just
/// ended, or that may not be looked into, does not.
fn holds(process: &Path, target: Identity) -> bool {
    let Ok(handles) = fs::read_dir(process.join("fd")) else {
        return false;
    };
    handles.flatten().any(|handle| {
        let is_it = Identity::at(&handle.path()) == Some(target);
        is_it
            && match target {
                Identity::Device(_) => true,
                Identity::File { .. } => writes(&process.join("fdinfo").join(handle.file_name())),
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
