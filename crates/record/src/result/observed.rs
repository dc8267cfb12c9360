//! What `observe` saw beside the IOs of each series.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LatencyUs, ObservedCalls, ObservedLoad, words};

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
    /// Events of tracepoints that were read; none of counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// Events of tracepoints that were lost, by second: latencies of IOs that went on then are
    /// missing, counts are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostEvents>,
    /// Calls by which the processes used their files, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<ObservedCalls>,
}

/// Events of tracepoints that were lost in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LostEvents {
    /// The last event before.
    pub from_s: f64,
    /// The first event after.
    pub to_s: f64,
    /// How many.
    pub events: u64,
}

/// Source of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The kernel's counters: means, no percentiles.
    Counters,
    /// Its counters, and its tracepoints for the latency of each IO.
    Tracepoints,
    /// A trace that another program recorded.
    Trace,
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
    /// Of these, in the driver: the mean of samples, 20 a second. The rest waited in this machine's
    /// queues. None of tracepoints, which tell of each IO, and where the kernel does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_driver: Option<f64>,
    /// Operations that it did.
    pub ops: Vec<ObservedOp>,
    /// What EBS itself counted meanwhile; none of other devices, and where it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ebs: Option<EbsStatistics>,
    /// Order, places and issuers of its IOs; none of counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<ObservedLoad>,
}

/// What EBS itself counted of a volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EbsStatistics {
    /// Time in which more IOPS were asked for than the volume has.
    pub volume_iops_exceeded_s: f64,
    /// Time in which more throughput was asked for than the volume has.
    pub volume_throughput_exceeded_s: f64,
    /// Time in which more IOPS were asked for than the instance has for EBS.
    pub instance_iops_exceeded_s: f64,
    /// Time in which more throughput was asked for than the instance has for EBS.
    pub instance_throughput_exceeded_s: f64,
    /// Reads and writes that the volume did.
    pub ops: Vec<EbsOp>,
}

/// An operation, as the volume counted it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EbsOp {
    /// `read` or `write`.
    #[serde(deserialize_with = "words::op")]
    #[schemars(extend("enum" = words::OPS))]
    pub op: String,
    /// IOs with a latency.
    pub ios: u64,
    /// Upper bound of the bin that the median lies in, in microseconds.
    pub p50_within_us: u64,
    /// The same of the 99th percentile.
    pub p99_within_us: u64,
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
    /// Mean latency from arrival in the kernel's queue to completion, in microseconds, by the
    /// kernel's counters, which count whole milliseconds.
    pub mean_us: f64,
    /// Of its IOs those whose latency is known one by one; none of counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// Time in the queues of this machine, before the device had an IO.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_us: Option<LatencyUs>,
    /// Time that the device had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_us: Option<LatencyUs>,
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
