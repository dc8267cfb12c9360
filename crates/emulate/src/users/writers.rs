//! Who else writes to a file, by whatever name they found it.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use blockyard_sys::loops;
use rustix::fs::makedev;

use super::{NAMED, called, entries, processes};
use crate::mounts;

/// A file, whichever name it goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    /// The number of the device that it lies on.
    on: u64,
    inode: u64,
}

impl Identity {
    fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(Self::of)
    }

    fn of(metadata: &fs::Metadata) -> Self {
        Self {
            on: metadata.dev(),
            inode: metadata.ino(),
        }
    }
}

/// Loop devices over a file, swapping to it, and other processes that have it
/// open for writing or mapped so, as far as this user can see them.
///
/// # Errors
/// If the file cannot be looked at.
pub(crate) fn of(file: &File) -> io::Result<Vec<String>> {
    let file = Identity::of(&file.metadata()?);
    let writers = processes().filter(move |process| writes(process, file));
    let all = looped(file).chain(swapped(file));
    Ok(all
        .chain(writers.map(|process| called(&process)))
        .take(NAMED)
        .collect())
}

fn looped(file: Identity) -> impl Iterator<Item = String> {
    let devices = entries("/sys/class/block".as_ref()).filter_map(move |place| {
        // Only those that have a file have this.
        let path = fs::read_to_string(place.join("loop/backing_file")).ok()?;
        let device = Path::new("/dev").join(place.file_name()?);
        let found = match File::open(&device).and_then(|device| loops::store(&device)) {
            Ok(store) => Some(Identity {
                on: store.on,
                inode: store.inode,
            }),
            // Not root: the path is all there is.
            Err(_) => Identity::at(Path::new(path.trim_end())),
        };
        (found == Some(file)).then_some(device)
    });
    devices.map(|device| match mounts::of(&device).as_slice() {
        [] => device.display().to_string(),
        [on, ..] => format!("{}, mounted on {}", device.display(), on.display()),
    })
}

fn swapped(file: Identity) -> Option<String> {
    let swaps = fs::read_to_string("/proc/swaps").ok()?;
    let mut places = swaps
        .lines()
        .skip(1)
        .filter_map(|line| line.split(' ').next());
    let found = places.any(|place| Identity::at(Path::new(place)) == Some(file));
    found.then(|| "the kernel, for swap".into())
}

/// Whether a process in procfs has the file open for writing, in any thread,
/// or mapped so.
fn writes(process: &Path, file: Identity) -> bool {
    let threads = entries(&process.join("task"));
    threads.into_iter().any(|thread| opened(&thread, file)) || mapped(process, file)
}

/// Threads can have descriptors of their own.
fn opened(thread: &Path, file: Identity) -> bool {
    entries(&thread.join("fd")).any(|handle| {
        let number = handle.file_name().unwrap_or_default();
        Identity::at(&handle) == Some(file) && is_writable(&thread.join("fdinfo").join(number))
    })
}

/// Whether an open file's description says that it may be written to.
fn is_writable(description: &Path) -> bool {
    let text = fs::read_to_string(description).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    // The two lowest bits are the access mode: 0 is read-only.
    flags.is_some_and(|flags| flags & 0o3 != 0)
}

/// What is mapped stays so when the descriptor is closed.
fn mapped(process: &Path, file: Identity) -> bool {
    let Ok(maps) = File::open(process.join("maps")) else {
        return false;
    };
    let mut lines = BufReader::new(maps).lines().map_while(Result::ok);
    lines.any(|line| is_mapping(process, &line, file).unwrap_or(false))
}

/// Fields: addresses, rights, offset, major:minor, inode, path.
fn is_mapping(process: &Path, line: &str, file: Identity) -> Option<bool> {
    let mut fields = line.split_ascii_whitespace();
    let (addresses, rights) = (fields.next()?, fields.next()?);
    let (on, inode) = (fields.nth(1)?, fields.next()?);
    if !rights.contains('w') || !rights.contains('s') || inode.parse() != Ok(file.inode) {
        return Some(false);
    }
    // Some file systems (btrfs) have other numbers there than `stat` gives.
    let link = process.join("map_files").join(addresses);
    if let Some(found) = Identity::at(&link) {
        return Some(found == file);
    }
    let (major, minor) = on.split_once(':')?;
    let hex = |digits| u32::from_str_radix(digits, 16).ok();
    Some(makedev(hex(major)?, hex(minor)?) == file.on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_writable_mappings_of_the_file_count() {
        let file = Identity {
            on: makedev(0xfe, 0x10),
            inode: 77,
        };
        let line = |rights, on, inode| format!("1000-2000 {rights} 00000000 {on} {inode} /a b");
        let nobody = Path::new("/none");
        for (rights, on, inode, counts) in [
            ("rw-s", "fe:10", 77, true),
            ("rw-p", "fe:10", 77, false),
            ("r--s", "fe:10", 77, false),
            ("rw-s", "fe:11", 77, false),
            ("rw-s", "fe:10", 78, false),
        ] {
            let line = line(rights, on, inode);
            assert_eq!(is_mapping(nobody, &line, file), Some(counts), "{line}");
        }
        assert_eq!(is_mapping(nobody, "", file), None);
    }
}
