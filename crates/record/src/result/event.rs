//! What happened in a run.

use super::Outage;
use blockyard_scenario::EventKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that happened to the storage or the jobs while they ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When, in seconds from the start of the run.
    pub t_s: f64,
    /// What, in words.
    pub what: String,
    /// Its kind.
    #[serde(default)]
    pub kind: EventKind,
    /// The device, volume, host, cluster, limit or job that it happened to; none for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// When it was over, or is to be, in seconds from the start of the run. None of what has no
    /// end, or has not by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_s: Option<f64>,
    /// What the outage of a cluster consisted of, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outage: Option<Outage>,
    /// What it did; none of what was done from outside, and of what no device was touched by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EventEffect>,
    /// Of what pauses or degrades volumes: whose IOs waited in it, without the warm-up. That is no
    /// waiting for limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
}

/// How long the IOs of a job were held by something that is no limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// Job.
    pub job: String,
    /// How much longer its IOs took, in seconds summed over them.
    pub waited_s: f64,
    /// How long IOs of an open loop waited before they were issued because of it, in seconds
    /// summed over them: in intervals in which those in flight mostly were held.
    pub lag_s: f64,
}

/// What an event did to its devices' IO, of all jobs together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventEffect {
    /// The longest time without an IO that completed, of those that began before it was over,
    /// in seconds; 0 if that was shorter than 0.1 s.
    pub outage_s: f64,
    /// How long after it was over the IOs a second were at 90 % again of what they had been
    /// before, in seconds, to whole intervals. None if they were not, or it is not that kind of
    /// event.
    pub recovered_s: Option<f64>,
    /// IOs that failed because of it.
    pub failed_ios: u64,
    /// IOs a second that did not fail in the minute before, or since the last event, without its
    /// first second, in which tokens lie ready; none if there was no time.
    pub iops_before: Option<f64>,
    /// IOs a second until it was over; none of what takes no time.
    pub iops_during: Option<f64>,
    /// IOs a second in the minute after, or until the next event, likewise.
    pub iops_after: Option<f64>,
}

impl Event {
    /// Something that happened and has no more to it than its words.
    pub fn noted(t_s: f64, kind: EventKind, on: Option<String>, what: String) -> Self {
        Self {
            t_s,
            what,
            kind,
            on,
            until_s: None,
            outage: None,
            effect: None,
            held: Vec::new(),
        }
    }
}
