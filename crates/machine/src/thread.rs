//! Threads: whose they are, and what their open files are.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use super::process::Process;

/// A thread, by its number, which no other one has while it lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The number of its process.
    pub pid: u32,
    /// Its name, which the kernel cuts to 15 bytes.
    pub name: String,
}

impl Thread {
    /// The thread with a number; none if it has ended.
    #[must_use]
    pub fn numbered(thread: u32) -> Option<Self> {
        let status = fs::read_to_string(folder(thread).join("status")).ok()?;
        let field = |name| {
            let mut lines = status.lines();
            lines.find_map(|line| line.strip_prefix(name).map(str::trim))
        };
        Some(Self {
            pid: field("Tgid:")?.parse().ok()?,
            name: field("Name:")?.to_owned(),
        })
    }
}

impl Process {
    /// The numbers of its threads.
    #[must_use]
    pub fn threads(&self) -> Vec<u32> {
        let all = fs::read_dir(self.folder().join("task"));
        let names = all.into_iter().flatten().flatten();
        names
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .collect()
    }
}

/// Whether what a thread has open under a number holds data: a file or a block device, but no pipe,
/// socket or terminal. None if it has nothing open there by now, or that must not be seen.
#[must_use]
pub fn holds_data(thread: u32, number: u32) -> Option<bool> {
    let kind = fs::metadata(folder(thread).join("fd").join(number.to_string()));
    let kind = kind.ok()?.file_type();
    Some(kind.is_file() || kind.is_block_device())
}

fn folder(thread: u32) -> PathBuf {
    Path::new("/proc").join(thread.to_string())
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn a_thread_has_a_process_and_its_open_files() {
        let own = std::process::id();
        assert_eq!(Thread::numbered(own).unwrap().pid, own);
        assert!(Process::numbered(own).unwrap().threads().contains(&own));
        let file = fs::File::open("/proc/self/exe").unwrap();
        let (end, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        let holds = |number: i32| holds_data(own, number as u32);
        assert_eq!(holds(file.as_raw_fd()), Some(true));
        assert_eq!(holds(end.as_raw_fd()), Some(false));
        assert_eq!(holds(i32::MAX), None);
        assert_eq!(Thread::numbered(u32::MAX), None);
    }
}
