//! The bill of a scenario, or of a run of it.

mod build;
#[cfg(test)]
mod tests;

use std::fmt;

use blockyard_catalog::{Catalog, NoPrice, PriceFile, PriceList, Term, Unknown};
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::units::{Date, Money, Size};
use blockyard_scenario::{Error, Resolved};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Pace;
use crate::copy::{FullCopy, copies};
use crate::line::BillLine;
use crate::region::{RegionFrom, region};
use crate::work::Work;

/// The schema's name, first field of every bill.
const SCHEMA: &str = "blockyard/bill/1";

/// The most hours of a month.
const MOST_HOURS: u32 = 744;

/// On which terms a bill is made out.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The region; by default the scenario's.
    pub region: Option<&'a str>,
    /// The day; by default the scenario's, and without that today.
    pub day: Option<Date>,
    /// How instances are paid for.
    pub term: Term,
    /// Hours of a month, from 1 to 744; AWS's own calculator takes 730.
    pub hours_per_month: u32,
    /// The user's own prices.
    pub prices: Option<&'a PriceFile>,
    /// How much lies in snapshots, if anything.
    pub snapshots: Option<Size>,
}

impl Default for Terms<'_> {
    fn default() -> Self {
        Self {
            region: None,
            day: None,
            term: Term::OnDemand,
            hours_per_month: 730,
            prices: None,
            snapshots: None,
        }
    }
}

/// Cost of a scenario's hosts and storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bill {
    /// `blockyard/bill/1`.
    pub schema: String,
    /// The scenario's name.
    pub scenario: String,
    /// The region of the prices.
    pub region: String,
    /// Who named the region.
    pub region_from: RegionFrom,
    /// The day of the prices; none for the newest known.
    pub as_of: Option<String>,
    /// How instances are paid for, as `--term`; advance payments are spread over the hours of the
    /// year.
    pub term: String,
    /// Hours of a month.
    pub hours_per_month: u32,
    /// Hosts, devices, traffic, snapshots.
    pub lines: Vec<BillLine>,
    /// Sum of the lines, in dollars per hour.
    pub per_hour: Money,
    /// Sum of the lines, in dollars per month.
    pub per_month: Money,
    /// A run's work for the money; none for a scenario, or a run without work.
    pub work: Option<Work>,
    /// What one copy of all data costs, which the lines do not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<FullCopy>,
    /// What the bill omits or assumes.
    pub notes: Vec<String>,
}

/// Why there is no bill; one line.
#[derive(Clone, Debug)]
pub enum NoBill {
    /// There is no such region.
    Region(Unknown),
    /// Nobody has stated a price.
    Price(Box<NoPrice>),
    /// The hours of a month are no hours of a month.
    Hours(u32),
    /// The catalog cannot be read.
    Catalog(Error),
}

impl fmt::Display for NoBill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Region(unknown) => unknown.fmt(f),
            Self::Price(none) => none.fmt(f),
            Self::Hours(hours) => write!(
                f,
                "`{hours}` are not the hours of a month; expected 1 to {MOST_HOURS}"
            ),
            Self::Catalog(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoBill {}

impl From<NoPrice> for NoBill {
    fn from(none: NoPrice) -> Self {
        Self::Price(Box::new(none))
    }
}

impl Bill {
    /// The bill of a scenario, which is `resolved`; with the `pace` of a run, that of the run:
    /// with what went from zone to zone, and with the work that it did.
    ///
    /// # Errors
    /// If the region is not known or a price is not.
    pub fn of(
        scenario: &Scenario,
        resolved: &Resolved,
        terms: &Terms<'_>,
        pace: Option<&Pace>,
    ) -> Result<Self, NoBill> {
        let hours = terms.hours_per_month;
        if !(1..=MOST_HOURS).contains(&hours) {
            return Err(NoBill::Hours(hours));
        }
        let catalog = Catalog::get().map_err(NoBill::Catalog)?;
        let stated = scenario.region.as_deref();
        let (region, region_from) = region(terms.region, stated, &resolved.zones, catalog);
        let day = terms.day.or(scenario.as_of);
        let list = catalog.prices(&region, day).map_err(NoBill::Region)?;
        let list: PriceList<'_> = match terms.prices {
            Some(file) => list.with(file),
            None => list,
        };
        let (lines, mut notes) = build::lines(&list, resolved, terms, pace)?;
        let (copies, note) = copies(&list, resolved);
        notes.extend(note);
        let per_hour = lines.iter().map(|line| line.per_hour).sum();
        let per_month = lines.iter().map(|line| line.per_month).sum();
        Ok(Self {
            schema: SCHEMA.to_owned(),
            scenario: scenario.name.clone(),
            region,
            region_from,
            as_of: day.map(|day| day.to_string()),
            term: terms.term.name().to_owned(),
            hours_per_month: hours,
            work: pace.and_then(|pace| Work::of(pace, per_month, hours)),
            lines,
            per_hour,
            per_month,
            copies,
            notes,
        })
    }
}
