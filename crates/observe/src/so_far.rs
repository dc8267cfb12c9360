//! What a device has done so far, for who looks on from outside.

use serde::Serialize;

use crate::counts::OpCounts;
use crate::watched::Watched;

/// A device's counts since the observation began.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SoFar {
    name: String,
    /// IOs in flight at the last sample.
    in_flight: u64,
    reads: u64,
    writes: u64,
    flushes: u64,
    trims: u64,
    read_bytes: u64,
    write_bytes: u64,
    /// Latencies, summed.
    read_time_s: f64,
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
