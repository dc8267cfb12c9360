//! The worst second of a series, and for how long seconds were bad.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LatencyUs;

/// A second with the latencies of IOs that completed in it or, in a stall, next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorstSecond {
    /// Its begin; of several seconds without completions that of the first.
    pub t_s: f64,
    /// Completions per second, 0 in a stall.
    pub iops: f64,
    /// Their latencies; in a stall within 0.1 %, or how long IOs had been in flight if nothing
    /// completed next or before the end.
    pub latency_us: LatencyUs,
}

/// Time for which the p99 of a second exceeded a value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeAbove {
    /// The value, in microseconds.
    pub us: f64,
    /// Share of the time, without the warm-up.
    pub share: f64,
}
