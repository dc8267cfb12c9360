//! A line of a bill.

use blockyard_catalog::{Charge, Price, PriceSource};
use blockyard_model::units::{GIB, MIB};
use blockyard_scenario::units::Money;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// By the hour.
    Instance,
    /// EBS optimization of an instance that does not include it; by the hour.
    EbsOptimized,
    /// By the GiB and month.
    Capacity,
    /// By the month.
    Iops,
    /// By the MiB/s and month.
    Throughput,
    /// By the million, at the run's pace.
    Requests,
    /// By the GiB, at the run's pace.
    CrossZone,
    /// By the GiB and month.
    Snapshots,
}

impl From<Charge> for Item {
    fn from(charge: Charge) -> Self {
        match charge {
            Charge::Capacity => Self::Capacity,
            Charge::Iops => Self::Iops,
            Charge::Throughput => Self::Throughput,
        }
    }
}

impl Item {
    /// What one price is for, in what amounts are counted in: bytes, IOs, hours.
    fn per(self) -> u64 {
        match self {
            Self::Instance | Self::EbsOptimized | Self::Iops => 1,
            Self::Capacity | Self::CrossZone | Self::Snapshots => GIB,
            Self::Throughput => MIB,
            Self::Requests => 1_000_000,
        }
    }

    /// The unit of amounts, and that of the price.
    fn units(self) -> (&'static str, &'static str) {
        match self {
            Self::Instance | Self::EbsOptimized => ("", "hour"),
            Self::Capacity | Self::Snapshots => ("GiB", "GiB-month"),
            Self::Iops => ("IOPS", "IOPS-month"),
            Self::Throughput => ("MiB/s", "MiB/s-month"),
            Self::Requests => ("million", "million"),
            Self::CrossZone => ("GiB", "GiB"),
        }
    }
}

/// A line of a bill: an amount of something at one price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BillLine {
    /// What it is for: hosts or a device by name, `links`, `snapshots`.
    pub of: String,
    /// What is charged.
    pub item: Item,
    /// What is bought: `r4.2xlarge`, `gp3`.
    pub what: String,
    /// Number of equal instances or volumes.
    pub count: u64,
    /// Amount charged for all of them; for traffic and requests, in a month.
    pub amount: f64,
    /// Its unit: `GiB`, `IOPS`, `MiB/s`, `million`; empty for instances.
    pub unit: String,
    /// Amount of each that a lower tier charges or that is included.
    pub above: f64,
    /// Dollars per unit.
    pub price: Money,
    /// Unit of the price: `hour`, `GiB-month`, `IOPS-month`, `MiB/s-month`, `GiB`, `million`.
    pub price_unit: String,
    /// Dollars an hour.
    pub per_hour: Money,
    /// Dollars a month.
    pub per_month: Money,
    /// Source of the price; from a user's price file, its words.
    pub source: String,
    /// Day on which it was seen.
    pub observed: String,
    /// Whether it is from the user's price file.
    pub users: bool,
    /// What was taken off the price that the source states, as `12%`; none if nothing was.
    pub discount: Option<String>,
    /// Assumptions about the price; usually empty.
    pub assumed: Vec<String>,
}

/// What is bought on a line.
pub(crate) struct Bought<'a> {
    pub(crate) of: String,
    pub(crate) item: Item,
    pub(crate) what: &'a str,
    /// Equal instances or volumes.
    pub(crate) count: u64,
    /// Of all of them: instances, bytes, IOs a second, bytes a second; of a month, IOs or bytes.
    pub(crate) amount: u64,
    /// Of one of them, what is not charged at this price.
    pub(crate) above: u64,
}

impl BillLine {
    /// The line for what is bought at a price, with months of this length.
    pub(crate) fn new(bought: Bought<'_>, price: &Price<'_>, hours: u32) -> Self {
        let Bought { item, amount, .. } = bought;
        let (hours, per) = (u64::from(hours), item.per());
        let (per_hour, per_month) = match item {
            Item::Instance | Item::EbsOptimized => {
                let in_month = amount.saturating_mul(hours);
                (
                    price.amount.times(amount, 1),
                    price.amount.times(in_month, 1),
                )
            }
            // Months have less than 1,000 hours, and units less than 2^31.
            _ => (
                price.amount.times(amount, per * hours),
                price.amount.times(amount, per),
            ),
        };
        let (source, users) = in_words(price.source);
        let (unit, price_unit) = item.units();
        let in_units = |amount: u64| amount as f64 / per as f64;
        Self {
            of: bought.of,
            item,
            what: bought.what.to_owned(),
            count: bought.count,
            amount: in_units(amount),
            unit: unit.to_owned(),
            above: in_units(bought.above),
            price: price.amount,
            price_unit: price_unit.to_owned(),
            per_hour,
            per_month,
            source,
            observed: price.observed.to_string(),
            users,
            discount: price.discount.map(|off| off.to_string()),
            assumed: price.assumptions().map(|it| it.to_string()).collect(),
        }
    }
}

/// The source of a price in words, and whether that is the user's price file.
pub(crate) fn in_words(source: PriceSource<'_>) -> (String, bool) {
    match source {
        PriceSource::Catalog(source) => (source.title.clone(), false),
        PriceSource::User(words) => (words.to_owned(), true),
    }
}
