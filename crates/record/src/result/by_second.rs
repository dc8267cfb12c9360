//! The worst second of a series, and for how long seconds were bad.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LatencyUs;

/// A second of a run, with the latencies of what completed in it or, in a stall, next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorstSecond {
    /// Its begin, in seconds from the start of the run; of several seconds without a completion
    /// that of the first.
    pub t_s: f64,
    /// IOs a second that completed in it: 0 where none did.
    pub iops: f64,
    /// Latencies. All are within 0.1 % where nothing completed in it; where what was in flight had
    /// not even completed next, or by the end of the run, how long it had taken until then.
    pub latency_us: LatencyUs,
}

/// For how long the p99 of a second was above a value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeAbove {
    /// The value, in microseconds.
    pub us: f64,
    /// The share of the time, warm-up aside, in seconds whose p99 was above it.
    pub share: f64,
}
