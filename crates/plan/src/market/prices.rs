//! What the planner must know of prices.

use blockyard_catalog::{Charge, Instance, PriceList, Provisioned, Term};
use blockyard_text::grouped;
use blockyard_text::units::{Money, Throughput};

/// Prices in one region on one day, in millionths of a dollar a month.
///
/// A volume's price must not fall if more of anything is provisioned, on which the search for
/// the cheapest rests.
pub trait Prices: Sync {
    /// An instance.
    ///
    /// # Errors
    /// If its price is not known, with what is missing.
    fn instance(&self, instance: &Instance) -> Result<i64, String>;

    /// A volume, by what it is made up of.
    ///
    /// # Errors
    /// If its price is not known, with what is missing.
    fn volume(&self, volume_type: &str, got: &Provisioned) -> Result<Vec<Line>, String>;

    /// A GiB that goes from one zone to another, in dollars, with what is charged at both ends.
    ///
    /// # Errors
    /// If its price is not known, with what is missing.
    fn cross_zone(&self) -> Result<Money, String>;
}

/// A part of a volume's price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is for: `capacity`, `IOPS beyond 3,000`, `throughput`.
    pub what: String,
    /// Millionths of a dollar a month.
    pub amount: i64,
}

/// The catalog's prices, a user's before them.
#[derive(Clone, Copy, Debug)]
pub struct ListPrices<'a> {
    /// Of a region on a day.
    pub list: PriceList<'a>,
    /// How instances are paid for.
    pub term: Term,
}

/// Hours in a month, as the calculators of AWS have it: 8,760 / 12.
pub const HOURS_PER_MONTH: u64 = 730;

impl Prices for ListPrices<'_> {
    fn instance(&self, instance: &Instance) -> Result<i64, String> {
        let hour = self.list.instance(instance.name(), self.term);
        let hour = hour.map_err(|none| none.to_string())?.amount;
        let optimized = self.list.ebs_optimized(instance.name());
        let hour = optimized.map_or(hour, |price| hour + price.amount);
        Ok(hour.times(HOURS_PER_MONTH, 1).micros())
    }

    fn volume(&self, volume_type: &str, got: &Provisioned) -> Result<Vec<Line>, String> {
        if self.list.requests(volume_type).is_some() {
            return Err(format!(
                "{volume_type} is charged by the request, which no monthly price covers"
            ));
        }
        let lines = self.list.volume(volume_type, got);
        let lines = lines.map_err(|none| none.to_string())?.into_iter();
        Ok(lines
            .map(|line| Line {
                what: named(line.charge, line.above),
                amount: line.month.micros(),
            })
            .collect())
    }

    fn cross_zone(&self) -> Result<Money, String> {
        let price = self.list.cross_zone().map_err(|none| none.to_string())?;
        Ok(price.amount)
    }
}

/// What is charged, and what of it is not charged at this price.
fn named(charge: Charge, above: u64) -> String {
    match (charge, above) {
        (Charge::Capacity, _) => "capacity".into(),
        (Charge::Iops, 0) => "IOPS".into(),
        (Charge::Iops, above) => format!("IOPS beyond {}", grouped(above)),
        (Charge::Throughput, 0) => "throughput".into(),
        (Charge::Throughput, above) => format!("throughput beyond {}", Throughput::new(above)),
    }
}
