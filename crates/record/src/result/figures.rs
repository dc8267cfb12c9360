//! Counts in the units of results.

use blockyard_model::units::{Nanos, SECOND};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measure::histogram::Histogram;

/// Nanoseconds as seconds.
pub(crate) fn seconds(time: Nanos) -> f64 {
    time as f64 / SECOND as f64
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
pub(super) fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Latencies in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyUs {
    /// Exact mean.
    pub mean: f64,
    /// Median; percentiles are within 0.1 %.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p99_9: f64,
    /// Exact maximum.
    pub max: f64,
}

impl LatencyUs {
    /// The figures of a histogram; none if it is empty.
    pub fn of(latencies: &Histogram) -> Option<Self> {
        if latencies.count() == 0 {
            return None;
        }
        let us = |ns: u64| ns as f64 / 1000.0;
        let [p50, p95, p99, p99_9] = latencies.quantiles([0.5, 0.95, 0.99, 0.999]);
        Some(Self {
            mean: latencies.mean() / 1000.0,
            p50: us(p50),
            p95: us(p95),
            p99: us(p99),
            p99_9: us(p99_9),
            max: us(latencies.max()),
        })
    }
}
