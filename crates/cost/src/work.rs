//! The cost of a run's work, per transaction and per IO.

use blockyard_model::units::SECOND;
use blockyard_scenario::units::Money;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Pace;

/// A run's work at its pace after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// Reads and writes per second, of all jobs.
    pub iops: f64,
    /// Dollars a month per 1,000 of these; none without any.
    pub per_1000_iops: Option<Money>,
    /// Transactions per second; none where no job has any.
    pub tps: Option<f64>,
    /// Dollars a month per transaction a second.
    pub per_tps: Option<Money>,
    /// Dollars per million transactions.
    pub per_million_transactions: Option<Money>,
}

impl Work {
    /// The cost of work at this pace; none for a run without work.
    pub(crate) fn of(pace: &Pace, per_month: Money, hours_per_month: u32) -> Option<Self> {
        if pace.measured == 0 || pace.ios + pace.transactions == 0 {
            return None;
        }
        let rate = |count: u64| count as f64 * 1e9 / pace.measured as f64;
        // The price of `of` a second, where `count` were done.
        let each = |count: u64, of: u64| {
            let cost = per_month.times(
                pace.measured.saturating_mul(of),
                SECOND.saturating_mul(count),
            );
            (count > 0).then_some(cost)
        };
        // A million at this pace take this share of a month. Rounded once, at the end: of a short
        // run the share alone is a few millionths of a dollar.
        let million = |count: u64| {
            let month = u128::from(hours_per_month) * 3_600 * u128::from(SECOND);
            per_month.share(
                u128::from(pace.measured) * 1_000_000,
                month * u128::from(count),
            )
        };
        let transactions = (pace.transactions > 0).then_some(pace.transactions);
        Some(Self {
            iops: rate(pace.ios),
            per_1000_iops: each(pace.ios, 1000),
            tps: transactions.map(rate),
            per_tps: transactions.and_then(|count| each(count, 1)),
            per_million_transactions: transactions.map(million),
        })
    }
}
