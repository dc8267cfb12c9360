//! What `observe` saw beside the IOs of each series.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words;

/// Observation: how it was made, the devices, who used them; none of other modes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// Source of the figures.
    pub source: Source,
    /// Length of an interval.
    pub interval_s: f64,
    /// A block device: those that had IO, and those that were named.
    pub devices: Vec<ObservedDevice>,
    /// A process that read or wrote, most bytes first.
    pub processes: Vec<ObservedProcess>,
    /// Share of the time in which tasks of this machine waited for IO; none if the kernel does not
    /// keep it.
    pub pressure: Option<IoPressure>,
}

/// Source of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The kernel's counters: means, no percentiles.
    Counters,
}

/// A block device: those that had IO, and those that were named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservedDevice {
    /// The kernel's name.
    pub name: String,
    /// Share of the time with IO in flight. A device that serves IOs in parallel is not full at 1.
    pub utilisation: f64,
    /// Seconds in which this share was at least 0.9.
    pub busy_s: f64,
    /// IOs in flight, time-weighted mean.
    pub queue_depth: f64,
    /// Operations that it did.
    pub ops: Vec<ObservedOp>,
}

/// An operation that a device did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservedOp {
    /// `read`, `write`, `flush` or `trim`.
    #[serde(deserialize_with = "words::op")]
    #[schemars(extend("enum" = words::OPS))]
    pub op: String,
    /// IOs that completed.
    pub ios: u64,
    /// IOs that were merged into one of these before.
    pub merged: u64,
    /// Mean size.
    pub mean_bytes: f64,
    /// Mean latency from arrival in the kernel's queue to completion, in microseconds.
    pub mean_us: f64,
}

/// A process that read or wrote, most bytes first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservedProcess {
    /// Its number.
    pub pid: u32,
    /// Its name, which the kernel cuts to 15 bytes.
    pub name: String,
    /// Bytes fetched from storage for it, from any device.
    pub read_bytes: u64,
    /// Bytes written by it or made dirty in the page cache, to any device.
    pub write_bytes: u64,
    /// Whether it ended before the observation did.
    pub ended: bool,
}

/// Share of the time in which tasks of this machine waited for IO.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoPressure {
    /// At least one task waited.
    pub some: f64,
    /// All tasks that were not idle waited.
    pub full: f64,
}
