//! The outage of a cluster as results tell of it.

use blockyard_model::cluster::Step;
use blockyard_model::units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Steps of a cluster's outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Noticing the loss of the active node.
    Detection,
    /// Stopping programs on the active node.
    Stop,
    /// No node could take over.
    NoNode,
    /// Keeping the lost node from writing.
    Fencing,
    /// Detaching the disks.
    Detach,
    /// Attaching them to another node.
    Attach,
    /// Importing and mounting the volume group.
    Import,
    /// Replaying the journals of file system and database.
    Recovery,
    /// Starting programs on the node.
    Start,
}

impl From<Step> for StepKind {
    fn from(step: Step) -> Self {
        match step {
            Step::Detection => Self::Detection,
            Step::Stop => Self::Stop,
            Step::NoNode => Self::NoNode,
            Step::Fencing => Self::Fencing,
            Step::Detach => Self::Detach,
            Step::Attach => Self::Attach,
            Step::Import => Self::Import,
            Step::Recovery => Self::Recovery,
            Step::Start => Self::Start,
        }
    }
}

/// A cluster's disks from node to node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedOutage {
    /// The node active before.
    pub from: String,
    /// The node that is active afterwards; none if there is none any more.
    pub to: Option<String>,
    /// Its steps, one after another.
    pub steps: Vec<OutageStep>,
}

/// A step of an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutageStep {
    /// Which.
    pub step: StepKind,
    /// When it begins.
    pub at: Nanos,
    /// How long it takes; none if it has no end.
    pub length: Option<Nanos>,
    /// Whether that is assumed, not stated.
    pub assumed: bool,
}

impl ResolvedOutage {
    /// What becomes of the cluster, in words that go on after its name.
    pub(super) fn words(&self) -> String {
        let from = &self.from;
        match &self.to {
            None => format!("has lost {from}, its last node"),
            Some(to) if to == from => format!("has lost {from} and waits for its return"),
            Some(to) => format!("fails over from {from} to {to}"),
        }
    }
}
