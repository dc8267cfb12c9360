//! The one error of this crate: where, which field, and what is wrong.

use std::fmt;

use crate::tree::Origin;

/// Bad input: one line that names the place, the field, the value and what was
/// expected.
///
/// ```text
/// b080.yaml:14: storage.data.of.iop: unknown key; did you mean `iops`?
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    place: Origin,
    path: String,
    message: String,
}

impl Error {
    /// An error at a place; `path` is the field's path from the top of the
    /// document, `workload.readers.on`, and empty for the document itself.
    /// Line breaks and other control characters in the input become spaces.
    #[must_use]
    pub fn new(place: Origin, path: impl AsRef<str>, message: impl AsRef<str>) -> Self {
        Self {
            place,
            path: one_line(path.as_ref()),
            message: one_line(message.as_ref()),
        }
    }

    /// Where the offending text stands.
    #[must_use]
    pub fn place(&self) -> &Origin {
        &self.place
    }

    /// The field's path from the top of the document; empty for the document
    /// itself.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong and what was expected, without place and path.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

fn one_line(text: &str) -> String {
    // The separators of lines and paragraphs are no control characters.
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.replace(breaks, " ")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
