//! What storage and instances cost in a region on a day.
//!
//! Prices stand in sheets: what one source said on one day. Of the sheets that have a
//! price, the newest of those seen by the day holds; for a day before all of them the
//! earliest is used, and says so. A user's own sheets come before the catalog's.

mod by_region;
mod check;
mod coverage;
mod data;
mod file;
mod list;
mod managed;
mod none;
mod sheet;
mod table;
mod term;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_by_region;

use blockyard_text::units::{Date, Money, Percent};

pub(crate) use check::Known;
pub use coverage::NothingPriced;
pub(crate) use data::{PriceData, Prices};
pub use file::PriceFile;
pub use list::{Charge, PriceList, VolumeLine};
pub use managed::ManagedStorage;
pub use none::{NoPrice, Wanted};
pub use term::Term;

use crate::grounds::Assumption;
use crate::source::Source;

/// A price, and what it rests on.
#[derive(Clone, Copy, Debug)]
pub struct Price<'a> {
    /// Dollars for one unit: an hour of an instance; a month of a GiB, of an IO a second, of
    /// a MiB a second; a GiB of traffic; a million IO requests.
    pub amount: Money,
    /// Who says so.
    pub source: PriceSource<'a>,
    /// The day on which it was seen.
    pub observed: Date,
    /// What was taken off the price that the source states.
    pub discount: Option<Percent>,
    /// What the source does not say and is assumed.
    assumed: Option<&'a str>,
    /// The day that was asked for, if it is before all sightings.
    early_for: Option<Date>,
}

/// Who states a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceSource<'a> {
    /// A source of the catalog.
    Catalog(&'a Source),
    /// The user, in a price file, with the words of its `source`.
    User(&'a str),
}

impl<'a> Price<'a> {
    /// What must be assumed for the price to hold, if anything.
    pub fn assumptions(&self) -> impl Iterator<Item = Assumption<'a>> {
        let observed = self.observed;
        let early = (self.early_for).map(|day| Assumption::EarlyPrice { observed, day });
        let undocumented = self.assumed.map(Assumption::Undocumented);
        undocumented.into_iter().chain(early)
    }
}
