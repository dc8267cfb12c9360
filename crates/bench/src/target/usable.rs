//! How much of a file can be used as it is.

use std::fs::File;
use std::io;
use std::path::Path;

use blockyard_machine::Error;
use blockyard_model::units::Bytes;
use blockyard_text::said;

use super::{Kind, length};
use crate::provenance::{self, Origin};

/// The usable content of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usable {
    /// Bytes from the start that need not be filled first. If jobs write to the file, these
    /// are the bytes that an earlier run filled; if they only read, any content will do.
    pub(super) bytes: Bytes,
    /// Whether it is as an earlier run left it.
    pub(super) ours: bool,
    /// Whether it holds what no run put there.
    pub(super) foreign: bool,
}

impl Usable {
    /// The usable content of the file at `path`, `written` if jobs write to it. Devices need
    /// not be filled.
    pub(super) fn of(path: &Path, kind: Kind, written: bool) -> Result<Self, Error> {
        if kind != Kind::File {
            return Ok(Self::default());
        }
        let found = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            file => file.and_then(|file| Ok((provenance::origin(&file), length(&file)?))),
        };
        let (origin, length) =
            found.map_err(|error| Error::Input(format!("{}: {}", path.display(), said(&error))))?;
        let bytes = match origin {
            Origin::Ours { filled } => filled,
            _ if written => 0,
            Origin::Filling => 0,
            Origin::Writing { filled } => filled,
            Origin::Foreign | Origin::Changed => length,
        };
        Ok(Self {
            bytes: bytes.min(length),
            ours: matches!(origin, Origin::Ours { .. }),
            foreign: matches!(origin, Origin::Foreign | Origin::Changed),
        })
    }
}
