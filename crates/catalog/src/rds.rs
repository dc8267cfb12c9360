//! What RDS makes of the storage of a database.

use std::num::NonZeroU32;

use blockyard_text::units::Size;
use serde::Deserialize;

use crate::Catalog;
use crate::db_classes::ClassRules;
use crate::source::{Source, Sources};

/// `rds.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rds {
    striping: Vec<Striping>,
    pub(crate) classes: ClassRules,
}

/// From which size on RDS stripes the storage of an engine over several volumes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Striping {
    /// How the engine's name begins, in lower case.
    engine: String,
    /// The least size of the storage.
    pub from: Size,
    /// How many volumes there are, which share size, IOPS and throughput equally.
    pub volumes: NonZeroU32,
    source: String,
}

impl Rds {
    pub(crate) fn check(&self, sources: &Sources) -> Result<(), (String, String)> {
        (self.classes.check(sources)).map_err(|error| ("classes.source".to_owned(), error))?;
        for (index, row) in self.striping.iter().enumerate() {
            let place = || format!("striping.{index}.source");
            sources
                .check(&row.source)
                .map_err(|error| (place(), error))?;
        }
        Ok(())
    }
}

impl Catalog {
    /// How RDS stripes the storage of an engine, as `postgres` or `oracle-ee`, and the source; none
    /// of an engine whose storage is always one volume.
    #[must_use]
    pub fn rds_striping(&self, engine: &str) -> Option<(&Striping, Option<&Source>)> {
        let engine = engine.to_lowercase();
        let mut rows = self.rds.striping.iter();
        let row = rows.find(|row| engine.starts_with(&row.engine))?;
        Some((row, self.sources.get(&row.source)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_is_striped_by_engine() {
        let catalog = Catalog::get().unwrap();
        let from = |engine| Some(catalog.rds_striping(engine)?.0.from.to_string());
        assert_eq!(from("postgres").as_deref(), Some("400GiB"));
        assert_eq!(from("Oracle-se2").as_deref(), Some("200GiB"));
        assert_eq!(from("sqlserver-ee"), None);
        let (mysql, source) = catalog.rds_striping("mysql").unwrap();
        assert_eq!(mysql.volumes.get(), 4);
        assert!(source.is_some());
    }
}
