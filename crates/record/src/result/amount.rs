//! How far a job came that has an amount to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A job that reads and writes an amount, such as a backup, and then is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AmountTotal {
    /// Job.
    pub job: String,
    /// What it was to read and write.
    pub bytes: u64,
    /// What it has read and written; what failed does not count.
    pub done_bytes: u64,
    /// When its last IO, or fsync, had completed; none if it was not done at the end of the run.
    pub done_s: Option<f64>,
    /// Throughput until then, or until the end of the run.
    pub mib_per_s: f64,
}

impl AmountTotal {
    /// Of `job`, which has done so much of `bytes` in a run of `run_s` seconds.
    pub(crate) fn new(
        job: String,
        (bytes, done_bytes): (u64, u64),
        done_s: Option<f64>,
        run_s: f64,
    ) -> Self {
        let over_s = done_s.unwrap_or(run_s);
        let mib = done_bytes as f64 / f64::from(1 << 20);
        Self {
            job,
            bytes,
            done_bytes,
            done_s,
            mib_per_s: if over_s > 0.0 { mib / over_s } else { 0.0 },
        }
    }
}
