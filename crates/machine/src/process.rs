//! Which processes use a file or device.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use blockyard_sys::share_files;
use rustix::fs::makedev;

use super::identity::Identity;
use super::table::{entries, unescaped};

/// A process other than this one. It may have ended since it was found; then it uses nothing.
#[derive(Debug)]
pub struct Process {
    pid: u32,
    /// Its folder in procfs.
    folder: PathBuf,
}

/// All processes but this one, by their numbers.
///
/// # Errors
/// If the kernel does not list them.
pub fn processes() -> io::Result<Vec<Process>> {
    let all = numbered(Path::new("/proc"))?.into_iter();
    let others = all.filter(|(pid, _)| *pid != std::process::id());
    Ok(others
        .map(|(pid, folder)| Process { pid, folder })
        .collect())
}

impl Process {
    /// The process with this number; none if there is none.
    #[must_use]
    pub fn numbered(pid: u32) -> Option<Self> {
        let folder = Path::new("/proc").join(pid.to_string());
        folder.exists().then_some(Self { pid, folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Its name; empty if it has ended.
    pub fn name(&self) -> String {
        let name = fs::read_to_string(self.folder.join("comm"));
        name.unwrap_or_default().trim_end().to_owned()
    }

    /// Its name, and if it calls itself something more, that: `postgres: checkpointer`. What has
    /// more than small letters is of a moment, such as the statement of a session.
    pub fn title(&self) -> String {
        let name = self.name();
        let line = fs::read(self.folder.join("cmdline")).unwrap_or_default();
        let first = line.split(|byte| *byte == 0).next().unwrap_or_default();
        let title = String::from_utf8_lossy(first);
        let role = title
            .strip_prefix(&name)
            .and_then(|rest| rest.strip_prefix(": "));
        let is_role = |role: &str| {
            let mut letters = role.chars();
            letters.all(|one| one.is_ascii_lowercase() || matches!(one, ' ' | ':'))
        };
        match role.map(str::trim_end).filter(|role| is_role(role)) {
            Some(role) if !name.is_empty() => format!("{name}: {role}"),
            _ => name,
        }
    }

    /// Whether it can change `target` or, if that is a device, has it open at all: as an open file
    /// of any of its threads, or as shared memory, which needs no open file. Only root can tell for
    /// other users' processes.
    pub fn uses(&self, target: Identity) -> bool {
        // Threads usually share their open files, and always their memory. If a process's first
        // thread has ended, only the others show what it has open.
        let threads = numbered(&self.folder.join("task")).unwrap_or_default();
        let mut apart = threads
            .into_iter()
            .filter(|(thread, _)| *thread != self.pid && !share_files(self.pid, *thread));
        opens(&self.folder, target)
            || apart.any(|(_, thread)| opens(&thread, target))
            || maps(&self.folder, target)
    }

    /// Whether it has `place`, an absolute path, or something under it open, or is in it.
    pub fn is_under(&self, place: &Path) -> bool {
        let open = entries(&self.folder.join("fd")).unwrap_or_default();
        let mut links = open.into_iter().chain([self.folder.join("cwd")]);
        links.any(|link| fs::read_link(link).is_ok_and(|file| file.starts_with(place)))
    }
}

/// Whether a thread has `target` open.
fn opens(thread: &Path, target: Identity) -> bool {
    let handles = entries(&thread.join("fd")).unwrap_or_default();
    handles.iter().any(|handle| {
        let is_it = Identity::at(handle) == Some(target);
        is_it
            && match target {
                Identity::Device(_) => true,
                Identity::File { .. } => {
                    let number = handle.file_name().unwrap_or_default();
                    is_writable(&thread.join("fdinfo").join(number))
                }
            }
    })
}

/// Whether a file description under `fdinfo` was opened for writing.
fn is_writable(description: &Path) -> bool {
    let text = fs::read_to_string(description).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    // The two lowest bits are the access mode: 0 is read-only.
    flags.is_some_and(|flags| flags & 0o3 != 0)
}

/// Whether a process shares `target` as memory.
fn maps(process: &Path, target: Identity) -> bool {
    let table = fs::read(process.join("maps")).unwrap_or_default();
    let mut lines = table.split(|byte| *byte == b'\n');
    lines.any(|line| is_mapping(process, line, target).unwrap_or(false))
}

/// Fields: addresses, rights, offset, major:minor, inode, path. Blanks in the path are not escaped.
fn is_mapping(process: &Path, line: &[u8], target: Identity) -> Option<bool> {
    let mut fields = line.splitn(6, |byte| *byte == b' ');
    let mut next = || fields.next();
    let (addresses, rights, _, on, inode) = (next()?, next()?, next()?, next()?, next()?);
    let path = next()?.trim_ascii_start();
    let shared = rights.ends_with(b"s") && inode != b"0";
    let matters = matches!(target, Identity::Device(_)) || rights.contains(&b'w');
    if !shared || !matters {
        return Some(false);
    }
    // A link to the mapped file itself, which only root may follow.
    let addresses = String::from_utf8_lossy(addresses);
    if let Some(found) = Identity::at(&process.join("map_files").join(&*addresses)) {
        return Some(found == target);
    }
    // What its name leads to or, if it no longer has one, the numbers in the table, which on some
    // file systems (btrfs) differ from those of `stat`.
    Some(Identity::at(&unescaped(path)) == Some(target) || file(on, inode) == Some(target))
}

/// The file with these numbers in a table of mappings.
fn file(on: &[u8], inode: &[u8]) -> Option<Identity> {
    let text = |field| std::str::from_utf8(field).ok();
    let (major, minor) = text(on)?.split_once(':')?;
    let hex = |digits| u32::from_str_radix(digits, 16).ok();
    Some(Identity::File {
        on: makedev(hex(major)?, hex(minor)?),
        inode: text(inode)?.parse().ok()?,
    })
}

/// The entries of a folder whose names are numbers, in order.
fn numbered(folder: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let number = |path: &Path| path.file_name()?.to_str()?.parse().ok();
    let all = entries(folder)?.into_iter();
    let mut found: Vec<_> = all
        .filter_map(|path| Some((number(&path)?, path)))
        .collect();
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_title_is_a_role_and_no_statement() {
        for (own, title) in [
            ("sleep: background writer ", "sleep: background writer"),
            ("sleep: bench bench [local] SELECT", "sleep"),
            ("postgres: checkpointer", "sleep"),
        ] {
            let mut child = Command::new("sleep").arg0(own).arg("60").spawn().unwrap();
            let process = Process::numbered(child.id()).unwrap();
            // The kernel lets its parent go on before its arguments are there.
            while fs::read(process.folder.join("cmdline")).is_ok_and(|line| line.is_empty()) {
                std::thread::yield_now();
            }
            assert_eq!(process.title(), title, "{own}");
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    #[test]
    fn shared_writable_mappings_of_the_file_count() {
        let file = Identity::File {
            on: makedev(0xfe, 0x10),
            inode: 77,
        };
        let nobody = Path::new("/none");
        for (rights, on, inode, counts) in [
            ("rw-s", "fe:10", 77, true),
            ("rw-p", "fe:10", 77, false),
            ("r--s", "fe:10", 77, false),
            ("rw-s", "fe:11", 77, false),
            ("rw-s", "fe:10", 78, false),
        ] {
            let line = format!("1000-2000 {rights} 00000000 {on} {inode}        /a b");
            let found = is_mapping(nobody, line.as_bytes(), file);
            assert_eq!(found, Some(counts), "{line}");
        }
        assert_eq!(is_mapping(nobody, b"", file), None);
    }

    #[test]
    fn a_mapping_is_known_by_the_file_that_its_name_leads_to() {
        let named = tempfile::Builder::new().prefix("a b").tempfile().unwrap();
        let file = Identity::at(named.path()).unwrap();
        for (rights, counts) in [("rw-s", true), ("r--s", false)] {
            let path = named.path().display();
            let line = format!("1000-2000 {rights} 00000000 00:00 1        {path}");
            let found = is_mapping(Path::new("/none"), line.as_bytes(), file);
            assert_eq!(found, Some(counts), "{line}");
        }
    }
}
