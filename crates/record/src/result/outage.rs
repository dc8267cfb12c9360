//! What a cluster's outage consisted of.

use blockyard_model::units::Nanos;
use blockyard_scenario::{ResolvedOutage, StepKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::seconds;

/// A time without a node that had a cluster's disks; its parts add up to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// The node that was active.
    pub from_node: String,
    /// The node that was active afterwards; none if there was none any more.
    pub to_node: Option<String>,
    /// How long it lasted, in seconds; to the end of the run if that came first.
    pub total_s: f64,
    /// What it consisted of, up to the end of the run.
    pub parts: Vec<OutagePart>,
}

/// A part of an outage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutagePart {
    /// What was done.
    pub step: StepKind,
    /// When it began, in seconds from the start of the run.
    pub t_s: f64,
    /// How long it took, in seconds.
    pub length_s: f64,
    /// Whether the scenario left that open, and no source states it.
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
