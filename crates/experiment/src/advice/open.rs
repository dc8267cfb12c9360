//! The other end of a replay: its IOs at their recorded times, whatever they wait for.

use blockyard_record::result::{LatencyUs, RunResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a replay does if its IOs come at their recorded times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Open {
    /// On each device, by operation.
    pub done: Vec<OpenDone>,
    /// At the end IOs that were due had not been done: the storage does less than what was
    /// recorded, so that latency grows for as long as one looks.
    pub behind: bool,
}

/// What it does of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenDone {
    /// The device.
    pub device: String,
    /// As results call operations.
    pub op: String,
    /// IOs a second.
    pub iops: f64,
    /// Their bytes.
    pub mib_per_s: f64,
    /// Their latency; none if there were none.
    pub latency_us: Option<LatencyUs>,
}

/// More than this share of the IOs due is not done at the end.
const LEFT: f64 = 0.01;

impl Open {
    pub(super) fn of(job: &str, result: &RunResult) -> Self {
        let totals = result.totals.iter().filter(|total| total.job == job);
        let done = totals.map(|total| OpenDone {
            device: total.device.clone(),
            op: total.op.clone(),
            iops: total.iops,
            mib_per_s: total.mib_per_s,
            latency_us: total.latency_us,
        });
        let mut loops = result.open_loop.iter().filter(|own| own.job == job);
        Self {
            done: done.collect(),
            behind: loops.any(|own| own.backlog as f64 > LEFT * own.offered as f64),
        }
    }
}
