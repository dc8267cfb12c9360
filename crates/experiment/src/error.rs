//! Why there is no answer.

use std::{fmt, io};

/// Why there is no answer.
#[derive(Debug)]
pub enum Error {
    /// A variant cannot be read: the fault, with its place.
    Scenario(blockyard_scenario::Error),
    /// What was asked for is wrong: one line.
    Input(String),
    /// It could not be simulated.
    Run(io::Error),
    /// Whoever watches has stopped it.
    Stopped,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(error) => error.fmt(f),
            Self::Input(line) => line.fmt(f),
            Self::Run(error) => error.fmt(f),
            Self::Stopped => write!(f, "stopped"),
        }
    }
}

impl std::error::Error for Error {}

impl From<blockyard_scenario::Error> for Error {
    fn from(error: blockyard_scenario::Error) -> Self {
        Self::Scenario(error)
    }
}

/// A run that is stopped before any time has passed has no result.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::Interrupted => Self::Stopped,
            io::ErrorKind::InvalidInput => Self::Input(error.to_string()),
            _ => Self::Run(error),
        }
    }
}

/// The answer, or none where it was stopped: the caller who stopped it knows.
///
/// # Errors
/// All others.
pub fn unless_stopped<T>(found: Result<T, Error>) -> Result<Option<T>, Error> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::Stopped) => Ok(None),
        Err(error) => Err(error),
    }
}
