//! Why a layout cannot be written in a form.

use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// What stands at a place of a scenario, and why it has no meaning in a form: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    path: String,
    why: String,
}

impl Refused {
    pub(crate) fn new(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            why: why.into(),
        }
    }
}

impl Display for Refused {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.why)
    }
}

impl Error for Refused {}
