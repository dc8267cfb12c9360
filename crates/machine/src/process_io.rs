//! What a process reads from and writes to storage: `/proc/PID/io`.

use std::io;

use super::{Process, read_at_once};

/// Bytes since the process began, as the kernel charges them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessIo {
    /// Fetched from storage for it.
    pub read_bytes: u64,
    /// Written by it past the page cache, or made dirty in it.
    pub write_bytes: u64,
    /// Of those what was never written, as the file was deleted or cut before.
    pub cancelled_bytes: u64,
}

impl ProcessIo {
    /// Of the text of the file; none if it is no such file.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let value = |name: &str| {
            let mut lines = text.lines();
            let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            found?.trim().parse().ok()
        };
        Some(Self {
            read_bytes: value("read_bytes")?,
            write_bytes: value("write_bytes")?,
            cancelled_bytes: value("cancelled_write_bytes")?,
        })
    }
}

impl Process {
    /// What it read and wrote.
    ///
    /// # Errors
    /// If it has ended, or belongs to somebody else, or the kernel does not count.
    pub fn io(&self) -> io::Result<ProcessIo> {
        let text = read_at_once(&self.folder().join("io"))?;
        ProcessIo::parse(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Where it comes from; none if it has ended.
    #[must_use]
    pub fn origin(&self) -> Option<ProcessOrigin> {
        origin(read_at_once(&self.folder().join("stat")).ok()?.as_bytes())
    }
}

/// Where a process comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessOrigin {
    /// The number of its parent.
    pub parent: u32,
    /// When it began, in ticks since the machine did: with its number that tells it from any other.
    pub began: u64,
}

/// Fields 4 and 22 of `/proc/PID/stat`. The second is the name in brackets, which may have blanks
/// and brackets itself.
fn origin(stat: &[u8]) -> Option<ProcessOrigin> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&stat[end + 1..]).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    Some(ProcessOrigin {
        parent: fields.nth(1)?.parse().ok()?,
        began: fields.nth(17)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "rchar: 6976\nwchar: 0\nsyscr: 10\nsyscw: 0\nread_bytes: 4096\n\
                        write_bytes: 8192\ncancelled_write_bytes: 512\n";

    #[test]
    fn bytes_of_storage_are_read() {
        let expected = ProcessIo {
            read_bytes: 4096,
            write_bytes: 8192,
            cancelled_bytes: 512,
        };
        assert_eq!(ProcessIo::parse(TEXT), Some(expected));
        assert_eq!(ProcessIo::parse("read_bytes: 1\n"), None);
    }

    #[test]
    fn a_name_with_blanks_and_brackets_moves_no_field() {
        let fields: Vec<_> = (3..=52).map(|field| field.to_string()).collect();
        let stat = format!("77 (a) b (c)) {}", fields.join(" "));
        let (parent, began) = (4, 22);
        let found = Some(ProcessOrigin { parent, began });
        assert_eq!(origin(stat.as_bytes()), found);
        assert_eq!(origin(b"77 (a) S 1"), None);
        assert_eq!(origin(b""), None);
    }

    #[test]
    fn this_process_began_once() {
        let own = Process::numbered(std::process::id()).unwrap();
        assert!(own.origin().is_some());
        assert_eq!(own.origin(), own.origin());
    }

    proptest! {
        #[test]
        fn a_text_cut_anywhere_is_read_or_refused(at in 0..TEXT.len(), other in "\\PC{0,8}") {
            let _ = ProcessIo::parse(&TEXT[..at]);
            let _ = ProcessIo::parse(&(TEXT[..at].to_owned() + &other + &TEXT[at..]));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = origin(&bytes);
        }
    }
}
