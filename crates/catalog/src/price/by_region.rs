//! Tables of instances' prices with a column for each region.

use blockyard_text::units::{Date, Money};

use super::data::PriceData;
use super::sheet::{InstancePrice, Sheet};
use super::term::Term;

/// The key of each table's source, and what its prices are for.
pub(super) const TABLES: [(&str, Term); 2] = [
    ("AWSPRICE", Term::OnDemand),
    ("NETFLIX3Y", Term::AllUpfront3y),
];

/// A table that was not read yet, but for when it was seen.
#[derive(Clone, Debug)]
pub(super) struct RegionTable {
    source: String,
    observed: Date,
    assumed: Option<String>,
    term: Term,
    text: String,
}

impl RegionTable {
    /// The catalog's tables, which `data` was checked to describe.
    pub(super) fn all(data: &PriceData, texts: [&str; 2]) -> Vec<Self> {
        let tables = TABLES.into_iter().zip(texts);
        let read = tables.map(|((source, term), text)| Self {
            source: source.to_owned(),
            observed: data.tables[source].observed,
            assumed: data.tables[source].assumed.clone(),
            term,
            text: text.to_owned(),
        });
        read.collect()
    }

    /// The regions that have a column.
    #[cfg(test)]
    pub(super) fn regions(&self) -> Vec<&str> {
        let header = self.lines().next().unwrap_or_default();
        header.split(',').skip(1).collect()
    }

    /// The column of a region, if it has one. A test reads all columns; in a released program there
    /// is no cell that is no price.
    pub(super) fn sheet(&self, region: &str) -> Option<Sheet> {
        let mut lines = self.lines();
        let column = lines.next()?.split(',').position(|name| name == region)?;
        let instances = lines.filter_map(|line| {
            let mut cells = line.split(',');
            let name = cells.next()?;
            let price: Money = cells.nth(column - 1)?.parse().ok()?;
            Some(InstancePrice::at(name, self.term, price))
        });
        Some(Sheet {
            assumed: self.assumed.clone(),
            instances: instances.collect(),
            ..Sheet::empty(region, self.observed, &self.source)
        })
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter(|line| !line.starts_with('#'))
    }
}
