//! What happened in a run.

use super::Outage;
use blockyard_scenario::EventKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An event of the scenario or, in an emulation, a change or fault from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Time from the start of the run.
    pub t_s: f64,
    /// In words.
    pub what: String,
    /// Its kind.
    #[serde(default)]
    pub kind: EventKind,
    /// The device, volume, host, cluster, limit or job; none for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Its end, past or planned, from the start of the run; none if it has none, or none by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_s: Option<f64>,
    /// A time in which no node had a cluster's disks; none for other events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outage: Option<Outage>,
    /// An event's effect on its devices' IO, of all jobs together; none for changes from outside,
    /// or if it touched no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EventEffect>,
    /// For pauses and degradations: jobs whose IOs waited in it, without the warm-up. Limits do not
    /// cause this waiting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
}

/// Extra time of a job's IOs that no limit caused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// Job.
    pub job: String,
    /// How much longer its IOs took, summed over them.
    pub waited_s: f64,
    /// How long its open-loop IOs were issued late because of it, summed, in intervals in which it
    /// delayed most of those in flight.
    pub lag_s: f64,
}

/// An event's effect on its devices' IO, of all jobs together; none for changes from outside, or if
/// it touched no device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventEffect {
    /// The longest time without a completion that began before the event was over; 0 if shorter
    /// than 0.1 s.
    pub outage_s: f64,
    /// Time from its end until IOPS were back at 90 % of before, to whole intervals; none if they
    /// were not, or for other kinds of events.
    pub recovered_s: Option<f64>,
    /// IOs that failed because of it.
    pub failed_ios: u64,
    /// IOPS without failed IOs in the minute before, or since the last event, without the first
    /// second's stored tokens; none if there was no time.
    pub iops_before: Option<f64>,
    /// IOPS until it was over; none for an instant event.
    pub iops_during: Option<f64>,
    /// IOPS in the minute after, or until the next event, likewise.
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
