//! What makes a job issue its next IO: a process that waited for the last one,
//! or the clock.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OneOrMany, count};
use crate::units::{Duration, Rate};

/// A step of a schedule: either `processes` (closed loop) or `rate` (open loop), the same in all
/// steps. 0 is a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleStep {
    /// Begin of the step. The first begins at `0s`.
    pub at: Duration,
    /// Closed loop: processes from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Open loop: arrivals per second from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
}

/// How gaps between arrivals are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Exponential, like those of many independent users.
    Poisson,
    /// Equal.
    Even,
}

/// The load fields of a job, whatever its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load<'a> {
    pub(crate) processes: Option<&'a OneOrMany<u32>>,
    pub(crate) rate: Option<&'a OneOrMany<Rate>>,
    pub(crate) schedule: Option<&'a [ScheduleStep]>,
    pub(crate) outstanding: Option<NonZeroU32>,
    pub(crate) arrivals: Option<Arrivals>,
    pub(crate) max_outstanding: Option<NonZeroU32>,
    pub(crate) latency_limit: Option<Duration>,
}

impl Load<'_> {
    /// How an open loop draws gaps if not stated.
    pub(crate) const ARRIVALS: Arrivals = Arrivals::Poisson;

    /// Most IOs in flight of an open loop if not stated.
    pub(crate) const MAX_OUTSTANDING: NonZeroU32 = count(1024);

    /// IOs in flight of each process if not stated.
    pub(crate) const OUTSTANDING: NonZeroU32 = count(1);

    /// Whether IOs come due by the clock.
    pub(crate) fn is_open(&self) -> bool {
        let scheduled = self.schedule.and_then(|steps| steps.first());
        self.rate.is_some() || scheduled.is_some_and(|step| step.rate.is_some())
    }

    /// Number of load steps.
    pub(crate) fn steps(&self) -> usize {
        let processes = self.processes.map(|list| list.len());
        let rate = self.rate.map(|list| list.len());
        let schedule = self.schedule.map(<[_]>::len);
        processes.or(rate).or(schedule).unwrap_or(0)
    }
}
