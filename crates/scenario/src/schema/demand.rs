//! Load that lasts: what comes due in each interval.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arrivals, Load, count};
use crate::units::Size;

/// IOs that come due by interval, for hours or months: random ones, of one size in each interval.
/// From an hour on, a scenario with nothing else is simulated by interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// The device of the file.
    pub on: String,
    /// Its host: of a device, by default the first; of a job, that of its devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Size of the file.
    pub file_size: Size,
    /// A CSV file, relative to the scenario's, or the text of one: a line each interval with the
    /// columns `at` (seconds, `5m`, or a time such as `2026-11-02T01:00:00Z`), `reads` and
    /// `writes` (IOs a second) and `size` (bytes of an IO, or `16KiB`). Each lasts until the next.
    pub intervals: String,
    /// How much of it, in percent.
    #[serde(default = "all")]
    pub percent: NonZeroU32,
    /// IO by IO: how gaps are drawn; default `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Maximum IOs in flight, default 1024. Further arrivals wait, and their wait counts as
    /// latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_outstanding: Option<NonZeroU32>,
}

fn all() -> NonZeroU32 {
    count(100)
}

impl Demand {
    /// Its load, apart from the intervals.
    pub(crate) fn load(&self) -> Load<'_> {
        Load {
            processes: None,
            rate: None,
            schedule: None,
            outstanding: None,
            arrivals: self.arrivals,
            max_outstanding: self.max_outstanding,
            latency_limit: None,
        }
    }
}
