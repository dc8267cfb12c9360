//! What file systems do in an fsync.

use blockyard_text::units::Size;
use serde::Deserialize;

use crate::source::{Source, Sources};
use crate::{Catalog, Named, Unknown};

/// What a file system writes to its journal in an fsync that has metadata to write.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSystem {
    /// How much of a device the journal takes.
    pub journal: Size,
    /// The writes of a commit, one after another, at least one: each a multiple of 512 bytes
    /// and no larger than the journal.
    pub commit: Vec<Size>,
    /// Key of the source.
    source: String,
    /// The measurements that the number of writes rests on, by their ids.
    pub rows: Vec<String>,
    /// What was inferred from them, and what is assumed.
    pub inferred: String,
}

impl FileSystem {
    /// Where its figures come from.
    #[must_use]
    pub fn source<'a>(&self, catalog: &'a Catalog) -> Option<&'a Source> {
        catalog.sources.get(&self.source)
    }

    pub(super) fn check(&self, sources: &Sources) -> Result<(), String> {
        let fits = |write: &Size| {
            (1..=self.journal.bytes()).contains(&write.bytes()) && write.bytes().is_multiple_of(512)
        };
        if self.commit.is_empty() || !self.commit.iter().all(fits) {
            let journal = self.journal;
            return Err(format!(
                "commit: expected writes of a multiple of 512B, at most the journal's {journal}"
            ));
        }
        sources.check(&self.source)
    }
}

impl Catalog {
    /// A file system.
    ///
    /// # Errors
    /// If there is none with this name; suggests the nearest one.
    pub fn file_system(&self, name: &str) -> Result<&FileSystem, Unknown> {
        self.file_systems.get(name).ok_or_else(|| {
            let names = self.file_systems.keys().map(String::as_str);
            Unknown::new(Named::FileSystem, name, names)
        })
    }
}
