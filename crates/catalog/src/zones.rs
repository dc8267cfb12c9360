//! In which zones of a region instance types are offered.

use std::collections::HashMap;
use std::sync::OnceLock;

use indexmap::IndexMap;

/// Offers by region, read of the table when the first is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Zones {
    text: String,
    read: OnceLock<IndexMap<String, OfRegion>>,
}

/// The zones of each type that the table has.
type OfRegion = HashMap<String, Vec<String>>;

impl Zones {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            read: OnceLock::new(),
        }
    }

    pub(crate) fn of(&self, instance: &str, region: &str) -> Option<&[String]> {
        let read = self.read.get_or_init(|| self.table());
        Some(read.get(region)?.get(instance)?)
    }

    /// Each column is headed `us-east-1:use1-az`, and has the digits that follow the prefix.
    fn table(&self) -> IndexMap<String, OfRegion> {
        let mut lines = self.text.lines().filter(|line| !line.starts_with('#'));
        let header = lines.next().unwrap_or_default().split(',').skip(1);
        let columns: Vec<(&str, &str)> = header.filter_map(|name| name.split_once(':')).collect();
        let mut offers: IndexMap<String, OfRegion> = (columns.iter())
            .map(|(region, _)| ((*region).to_owned(), OfRegion::new()))
            .collect();
        for line in lines {
            let Some((name, cells)) = line.split_once(',') else {
                continue;
            };
            for (cell, (region, prefix)) in cells.split(',').zip(&columns) {
                let zones = cell.chars().map(|digit| format!("{prefix}{digit}"));
                if let Some(of) = offers.get_mut(*region) {
                    of.insert(name.to_owned(), zones.collect());
                }
            }
        }
        offers
    }
}
