//! Why nothing was served.

use std::fmt::{self, Display};

/// What kept a scenario from being served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The input asks for what cannot be: an address in use, a device that
    /// the scenario does not have, an image of another size.
    Input(String),
    /// The machine lacks something: a kernel feature, a right.
    Lacks(String),
    /// It was tried and failed: a full file system, an IO error.
    Failed(String),
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(message) | Self::Lacks(message) | Self::Failed(message) => {
                f.write_str(message)
            }
        }
    }
}

impl std::error::Error for Error {}
