//! What a cluster's outage consisted of.

use blockyard_model::units::Nanos;
use blockyard_scenario::{ResolvedOutage, StepKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::seconds;

/// A time in which no node had a cluster's disks; none for other events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// The node active before.
    pub from_node: String,
    /// The node active after; none if there was none.
    pub to_node: Option<String>,
    /// Its length, to the end of the run if that came first.
    pub total_s: f64,
    /// A part of an outage, up to the end of the run; the parts add up to it.
    pub parts: Vec<OutagePart>,
}

/// A part of an outage, up to the end of the run; the parts add up to it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutagePart {
    /// The step.
    pub step: StepKind,
    /// Its begin, from the start of the run.
    pub t_s: f64,
    /// Its length.
    pub length_s: f64,
    /// Whether the length is assumed: neither the scenario nor a source states it.
    pub assumed: bool,
}

impl Outage {
    /// An outage that began at `at`, in a run that ended at `end`.
    pub(crate) fn of(resolved: ResolvedOutage, at: Nanos, end: Nanos) -> Self {
        let begun = resolved.steps.iter().filter(|step| step.at < end);
        let parts = begun.map(|step| {
            let over = step
                .length
                .map_or(end, |length| (step.at + length).min(end));
            OutagePart {
                step: step.step,
                t_s: seconds(step.at),
                length_s: seconds(over - step.at),
                assumed: step.assumed,
            }
        });
        let last = resolved.steps.last();
        let until = last.map_or(Some(at), |step| Some(step.at + step.length?));
        Self {
            parts: parts.collect(),
            total_s: seconds(until.unwrap_or(end).min(end) - at),
            from_node: resolved.from,
            to_node: resolved.to,
        }
    }
}
