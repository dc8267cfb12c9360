//! What is wrong with a trace, and where.

use std::fmt;
use std::io;

use blockyard_text::said;

use crate::trace::Failure;

/// Where in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Of a text, from 1.
    Line(u64),
    /// Of a binary file, from 0.
    Byte(u64),
    /// Of a table, from 1.
    #[cfg(not(target_family = "wasm"))]
    Row(u64),
    /// The file as a whole.
    Whole,
}

/// A trace that cannot be read on: one line that names the file and the place.
#[derive(Debug)]
pub struct Error {
    file: String,
    place: Place,
    message: String,
}

impl Error {
    pub(crate) fn new(file: &str, place: Place, message: String) -> Self {
        let file = file.to_owned();
        Self {
            file,
            place,
            message,
        }
    }

    /// Why a file cannot be read on.
    pub(crate) fn of(file: &str, failure: Failure) -> Self {
        match failure {
            Failure::Io(place, error) => Self::io(file, place, &error),
            Failure::Wrong(place, wrong) => Self::new(file, place, wrong),
        }
    }

    pub(crate) fn io(file: &str, place: Place, error: &io::Error) -> Self {
        Self::new(file, place, format!("cannot be read: {}", said(error)))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, message, .. } = self;
        match self.place {
            Place::Line(line) => write!(f, "{file}:{line}: {message}"),
            Place::Byte(byte) => write!(f, "{file}: byte {byte}: {message}"),
            #[cfg(not(target_family = "wasm"))]
            Place::Row(row) => write!(f, "{file}: row {row}: {message}"),
            Place::Whole => write!(f, "{file}: {message}"),
        }
    }
}

impl std::error::Error for Error {}
