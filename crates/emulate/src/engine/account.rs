//! What a device has served so far, for `steer status`.

use blockyard_model::storage::Op;
use blockyard_model::units::{Nanos, SECOND};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::request::{IoRequest, IoResult};

/// Running totals of a device.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Account {
    /// Requests in flight.
    in_flight: u64,
    /// Reads.
    reads: u64,
    /// Writes.
    writes: u64,
    /// Flushes.
    flushes: u64,
    /// Trims.
    trims: u64,
    /// Bytes that were read.
    read_bytes: u64,
    /// Bytes that were written.
    write_bytes: u64,
    /// Time that reads took, summed, in seconds.
    #[serde(rename = "read_time_s", serialize_with = "seconds")]
    #[schemars(with = "f64")]
    read_time: Nanos,
    /// Time that writes took, summed, in seconds.
    #[serde(rename = "write_time_s", serialize_with = "seconds")]
    #[schemars(with = "f64")]
    write_time: Nanos,
    /// Requests that failed.
    errors: u64,
}

impl Account {
    pub(crate) fn arrived(&mut self) {
        self.in_flight += 1;
    }

    pub(crate) fn completed(&mut self, request: &IoRequest, latency: Nanos, result: IoResult) {
        self.in_flight -= 1;
        self.errors += u64::from(result.is_err());
        match request.op {
            Op::Read => {
                self.reads += 1;
                self.read_bytes += request.len;
                self.read_time += latency;
            }
            Op::Write | Op::Zero | Op::Journal => {
                self.writes += 1;
                self.write_bytes += request.len;
                self.write_time += latency;
            }
            Op::Flush => self.flushes += 1,
            Op::Trim => self.trims += 1,
        }
    }
}

fn seconds<S: Serializer>(time: &Nanos, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(*time as f64 / SECOND as f64)
}
