//! Why a run on this machine did not happen.

use std::fmt::{self, Display};
use std::io;

use blockyard_text::said;

/// What prevented a run: nothing was measured or served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The input asks for something impossible: a target that holds data or is
    /// too small, a device that is not mapped, an address in use.
    Input(String),
    /// The machine lacks something: a kernel feature, a permission, memory.
    Lacks(String),
    /// It was tried and failed: a full file system, an IO error.
    Failed(String),
    /// Nothing can be written into the run directory: the system's error number, and what it says.
    Unwritten(Option<i32>, String),
    /// It was stopped before anything was measured.
    Stopped,
}

impl Error {
    /// What kept the run directory from being written.
    #[must_use]
    pub fn unwritten(error: &io::Error) -> Self {
        Self::Unwritten(error.raw_os_error(), said(error))
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(message) | Self::Lacks(message) | Self::Failed(message) => {
                f.write_str(message)
            }
            Self::Unwritten(_, said) => write!(f, "the run directory: {said}"),
            Self::Stopped => f.write_str("stopped before anything was measured"),
        }
    }
}

impl std::error::Error for Error {}
