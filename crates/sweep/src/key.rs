//! What identifies a run: equal keys have equal rows, on any machine.

use std::fmt;

use blockyard_catalog::Catalog;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The SHA-256 of what all runs of a combination share, or of one of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// Of the version, the catalog, and what is `asked` of every run.
    pub(crate) fn of_sweep(asked: &impl Serialize) -> Result<Self, serde_json::Error> {
        let all = serde_json::to_vec(&(Catalog::texts(), env!("CARGO_PKG_VERSION"), asked))?;
        Ok(Self::of([&all[..]].into_iter()))
    }

    /// Of a combination: the scenario with all its defaults and overrides.
    pub(crate) fn of_combination(self, effective: &str) -> Self {
        Self::of([&self.0[..], effective.as_bytes()].into_iter())
    }

    /// Of a combination's run with a seed, in hexadecimal digits: 128 bits of it.
    pub(crate) fn of_run(self, seed: u64) -> String {
        let whole = Self::of([&self.0[..], &seed.to_le_bytes()].into_iter());
        whole.to_string()[..32].to_owned()
    }

    fn of<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            // Its length keeps a part from running into the next one.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
