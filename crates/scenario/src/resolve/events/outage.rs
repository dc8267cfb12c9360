//! The outage of a cluster as results tell of it.

use blockyard_model::cluster::Step;
use blockyard_model::units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an outage of a cluster consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// The loss of the active node was noticed.
    Detection,
    /// What ran on the active node was stopped.
    Stop,
    /// No node was there that could take over.
    NoNode,
    /// The lost node was kept from writing.
    Fencing,
    /// The disks were detached.
    Detach,
    /// The disks were attached to another node.
    Attach,
    /// The volume group was imported and mounted.
    Import,
    /// The journals of file system and database were applied.
    Recovery,
    /// What runs on the node was started.
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
    /// The node that was active.
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
