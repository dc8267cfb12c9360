//! What must not be written to.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

/// A target that is safe to write to.
#[derive(Debug)]
pub struct Claim;

/// Why a target must not be written to.
#[derive(Debug)]
pub struct Refusal;

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl Claim {
    /// Takes it.
    pub fn take(_: &Path, _: &[PathBuf]) -> Result<Self, Refusal> {
        Ok(Self)
    }
}
