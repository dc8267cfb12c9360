//! Why a target must not be written to.

use std::fmt::{self, Display};
use std::io;
use std::path::{Path, PathBuf};

use blockyard_model::units::Bytes;
use blockyard_text::said;

/// Why a target must not be written to, as one line: the target, the reason,
/// and what is expected instead; how to write to it all the same only where the
/// bytes may be those of an earlier run.
#[derive(Debug)]
pub struct Refusal {
    target: PathBuf,
    reason: Reason,
}

impl Refusal {
    pub(super) fn new(target: &Path, reason: Reason) -> Self {
        Self {
            target: target.into(),
            reason,
        }
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = self.target.display();
        write!(f, "{target} {}", self.reason)?;
        match self.reason {
            // What an earlier run may have left.
            Reason::Unfinished | Reason::NotZero { .. } => {
                write!(f, "; to write over it all the same: --overwrite '{target}'")
            }
            // What is somebody else's: no line to be copied that would destroy it.
            Reason::Foreign | Reason::Changed => {
                f.write_str("; expected a new file, an empty one, or one as an earlier run left it")
            }
            Reason::Data(_) => f.write_str("; expected a file or device without data"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

/// Why a target must not be written to.
#[derive(Debug)]
pub(super) enum Reason {
    /// The root file system lies on it.
    System,
    /// Where it is mounted.
    Mounted(PathBuf),
    Swap,
    /// The device that it is part of.
    Held(String),
    /// The loop device that it is the store of.
    Looped(PathBuf),
    /// A process that has it open.
    Open {
        pid: u32,
        name: String,
    },
    /// The kernel lets nobody write to it.
    ReadOnly,
    /// The kernel refuses to share it, and does not say with whom.
    Busy,
    /// The kernel says that something may write to it, and not what.
    Written,
    /// Neither a file nor a block device.
    Unsuitable,
    /// One of its partitions is in use.
    Partition {
        name: String,
        reason: Box<Reason>,
    },
    /// A file among devices, and whether it is there.
    AmongDevices {
        exists: bool,
    },
    /// A file that was not made here.
    Foreign,
    /// A file that was made here and changed by another program since.
    Changed,
    /// A file that a run did not finish with.
    Unfinished,
    /// A device without a signature that is not empty.
    NotZero {
        /// Of the first byte that was found.
        offset: Bytes,
    },
    /// What is stored on it, as the rest of a sentence.
    Data(String),
    /// It could not be examined.
    Unknown(String),
}

impl Reason {
    pub(super) fn of_partition(self, name: String) -> Self {
        Self::Partition {
            name,
            reason: Box::new(self),
        }
    }
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Self {
        Self::Unknown(said(&error))
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System => f.write_str("is the system disk: / is on it"),
            Self::Mounted(on) => write!(f, "is mounted on {}", on.display()),
            Self::Swap => f.write_str("is in use as swap"),
            Self::Held(holder) => write!(f, "is held by {holder}"),
            Self::Looped(device) => write!(f, "is the store of {}", device.display()),
            Self::Open { pid, name } => {
                write!(f, "is held by another process (pid {pid}, {name})")
            }
            Self::ReadOnly => f.write_str("is a read-only device; expected one that can be written to"),
            Self::Busy => f.write_str(
                "is in exclusive use by a file system, a device or a process that cannot be seen from here",
            ),
            Self::Written => f.write_str(
                "is open for writing in a device or a process that cannot be seen from here",
            ),
            Self::AmongDevices { exists: false } => f.write_str(
                "does not exist, and a file made there would be kept in memory, not on storage",
            ),
            Self::AmongDevices { exists: true } => f.write_str(
                "is a file among devices, which is kept in memory, not on storage",
            ),
            Self::Unsuitable => f.write_str("is neither a file nor a block device"),
            Self::Partition { name, reason } => {
                write!(f, "must not be written to: its partition {name} {reason}")
            }
            Self::Foreign => f.write_str("is not empty and was not made by blockyard"),
            Self::Changed => {
                f.write_str("was made by blockyard, but something else has written to it since")
            }
            Self::Unfinished => f.write_str(
                "was left by a run that did not finish, so what it holds now is not known",
            ),
            Self::NotZero { offset } => write!(
                f,
                "is not empty: the byte at offset {offset} is not zero, which may be data or what an earlier run left"
            ),
            Self::Data(found) => f.write_str(found),
            Self::Unknown(error) => write!(f, "cannot be looked at: {error}"),
        }
    }
}
