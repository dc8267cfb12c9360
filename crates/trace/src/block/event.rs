//! What happens to a request, as the kernel tells it.

use blockyard_model::units::Nanos;

/// Something that happened to a request, or to a bio of a device without requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub time: Nanos,
    /// Of which kind.
    pub kind: Kind,
    /// The device, as the kernel numbers it: major << 20 | minor.
    pub device: u32,
    /// The first sector.
    pub sector: u64,
    /// How many.
    pub sectors: u64,
    /// Of a completion: whether it failed.
    pub failed: bool,
    /// What the request asks for.
    pub what: What,
    /// In whose name it was recorded.
    pub by: Task,
}

/// Who was running when something happened: of an arrival, who asked for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// The number of the thread.
    pub thread: u32,
    /// Its name; empty where an event has none.
    pub name: Name,
}

/// The name of a thread. It is a number, as that goes from the kernel's page to the request in
/// registers; bytes would be stored and read again on the way, for a tenth of what an event costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Name(u128);

impl Name {
    /// A name, of which the kernel keeps as much.
    #[must_use]
    pub fn of(word: &[u8]) -> Self {
        let mut name = [0; NAME];
        let length = word.len().min(NAME - 1);
        name[..length].copy_from_slice(&word[..length]);
        Self::from(name)
    }

    /// What `give` makes of its letters.
    pub fn with<T>(self, give: impl FnOnce(&[u8]) -> T) -> T {
        let name = self.0.to_ne_bytes();
        let end = name.iter().position(|byte| *byte == 0);
        give(&name[..end.unwrap_or(NAME)])
    }
}

impl From<[u8; NAME]> for Name {
    /// Of a name that is filled up with 0.
    #[inline]
    fn from(filled: [u8; NAME]) -> Self {
        Self(u128::from_ne_bytes(filled))
    }
}

/// The kernel cuts names of threads to one byte less.
pub const NAME: usize = 16;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It came, and began to count.
    Arrival,
    /// A bio became the new beginning of a request that waits.
    FrontMerge,
    /// It became a part of the request before it.
    Merge,
    /// The driver got it.
    Issue,
    /// The driver gave it back, to be issued again.
    Requeue,
    /// It ended, or a part of it.
    Completion,
}

/// What a request asks for, of the letters that the kernel calls RWBS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct What {
    /// Index into [`crate::OPS`].
    pub op: usize,
    /// The device is to be flushed first.
    pub preflush: bool,
    /// It ends only when it is durable.
    pub fua: bool,
}

const READ: usize = 0;
pub(super) const WRITE: usize = 1;
/// The device's own flush, which the kernel sends for one or several requests.
pub const FLUSH: usize = 2;
const TRIM: usize = 3;

impl What {
    /// The letters: F of a preflush, one of the operation, then F of FUA, A, S and M. FF is the
    /// flush itself, that the kernel sends to the device.
    pub fn parse(letters: &[u8]) -> Option<Self> {
        let (preflush, letters) = match letters {
            [b'F', rest @ ..] => (true, rest),
            _ => (false, letters),
        };
        let (op, rest) = letters.split_first()?;
        let op = match op {
            b'R' => READ,
            b'F' => FLUSH,
            // What blkparse calls it.
            b'N' if preflush => FLUSH,
            b'D' => TRIM,
            // Zeroes are written without a letter of their own.
            b'W' | b'N' => WRITE,
            _ => return None,
        };
        Some(Self {
            op,
            preflush,
            fua: rest
                .iter()
                .take_while(|one| **one != 0)
                .any(|one| *one == b'F'),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_told_apart_by_their_places() {
        for (letters, op, preflush, fua) in [
            ("R", READ, false, false),
            ("RAM", READ, false, false),
            ("WFS", WRITE, false, true),
            ("FWFSM", WRITE, true, true),
            ("FF", FLUSH, true, false),
            ("FN", FLUSH, true, false),
            ("N", WRITE, false, false),
            ("DS", TRIM, false, false),
        ] {
            let found = What { op, preflush, fua };
            assert_eq!(What::parse(letters.as_bytes()), Some(found), "{letters}");
        }
        for letters in ["", "F", "X"] {
            assert_eq!(What::parse(letters.as_bytes()), None, "{letters}");
        }
    }
}
