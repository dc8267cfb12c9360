//! IOs that were recorded.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Load, count};
use crate::units::{Percent, Size};

/// IOs that were recorded come again, once, in the order and at the places in which they came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The device of the file.
    pub on: String,
    /// Its host: of a device, by default the first; of a job, that of its devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The trace, relative to the scenario: a run's `ios.csv`, or any but xz that `import trace`
    /// takes.
    pub trace: String,
    /// Its format, where its content does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The recorded device to replay, of a trace of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// What an IO waits for. Default: `threads` if they are recorded, else `chains` if ends are,
    /// else `open`.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub pace: Option<ReplayLoop>,
    /// Speed in percent: at 200 IOs come in half the time, and threads think half as long.
    #[serde(default = "as_recorded")]
    pub speed: NonZeroU32,
    /// Share of the recorded streams to replay, at least one.
    #[serde(default = "all_streams", skip_serializing_if = "is_all")]
    pub streams: Percent,
    /// Size of the file in which the recorded device's IOs lie; default: up to the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_size: Option<Size>,
    /// What becomes of IOs beyond `file_size`; default: they are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond: Option<Beyond>,
    /// `open`: maximum IOs in flight, default 1024. Further arrivals wait, and their wait counts as
    /// latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_outstanding: Option<NonZeroU32>,
}

/// What an IO of a replay waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplayLoop {
    /// Its recorded time, however long earlier ones take.
    Open,
    /// The last end of an IO of its thread, or the issue before it if none ended since; and then as
    /// long as recorded.
    Threads,
    /// As `threads`; and after as many flushes as ended meanwhile, whoever's. Threads share these:
    /// one comes after the other while a thread waits that flushes itself.
    Commits,
    /// As `threads`, for chains that are inferred of all IOs: each follows the one that ended first
    /// and that no other has followed yet, a flush the one that ended last.
    Chains,
}

/// What becomes of IOs beyond the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Beyond {
    /// They go on at its start.
    Wrap,
    /// All places are scaled by its size, so that it is all of the recorded device.
    Scale,
}

fn all_streams() -> Percent {
    Percent::new(1000)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_all(streams: &Percent) -> bool {
    *streams == all_streams()
}

fn as_recorded() -> NonZeroU32 {
    count(100)
}

impl Replay {
    /// The share of the streams that are replayed; none if all are.
    pub(crate) fn share(&self) -> Option<Percent> {
        (!is_all(&self.streams)).then_some(self.streams)
    }

    pub(crate) fn load(&self) -> Load<'_> {
        Load {
            processes: None,
            rate: None,
            schedule: None,
            outstanding: None,
            arrivals: None,
            max_outstanding: self.max_outstanding,
            latency_limit: None,
        }
    }
}
