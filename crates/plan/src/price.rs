//! What the planner must know of prices.

use blockyard_catalog::{Instance, Provisioned};

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
}

/// A part of a volume's price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is for: `capacity`, `IOPS`, `throughput`.
    pub what: String,
    /// Millionths of a dollar a month.
    pub amount: i64,
}
