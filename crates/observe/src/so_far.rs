//! What a device has done so far, for who looks on from outside.

use schemars::JsonSchema;
use serde::Serialize;

use crate::counts::OpCounts;
use crate::watched::Watched;

/// A device's counts since the run began.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SoFar {
    /// The kernel's name.
    name: String,
    /// IOs in flight at the last sample.
    in_flight: u64,
    /// Reads that completed.
    reads: u64,
    /// Writes that completed.
    writes: u64,
    /// Flushes that completed.
    flushes: u64,
    /// Trims that completed.
    trims: u64,
    /// Bytes read.
    read_bytes: u64,
    /// Bytes written.
    write_bytes: u64,
    /// Latencies of reads, summed.
    read_time_s: f64,
    /// Latencies of writes, summed.
    write_time_s: f64,
}

impl SoFar {
    pub(crate) fn of(watched: &Watched) -> Self {
        let [read, write, flush, trim] = watched.totals.whole.ops;
        let seconds = |op: OpCounts| op.ms as f64 / 1000.0;
        Self {
            name: watched.name.clone(),
            in_flight: watched.in_flight(),
            reads: read.ios,
            writes: write.ios,
            flushes: flush.ios,
            trims: trim.ios,
            read_bytes: read.bytes,
            write_bytes: write.bytes,
            read_time_s: seconds(read),
            write_time_s: seconds(write),
        }
    }
}
