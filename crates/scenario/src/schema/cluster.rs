//! Hosts that share disks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Duration;

/// Hosts that share disks as nodes of a cluster (Veritas Cluster Server, Pacemaker). The active
/// node has the disks and runs the jobs on them; when it fails, another takes over. Times default
/// to assumptions, except `detection`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// At least two hosts in one zone. The first is active at the start; the first other one that
    /// works takes over.
    pub nodes: Vec<String>,
    /// The shared devices, which fail over together.
    pub disks: Vec<String>,
    /// Whether all nodes have the disks attached at once, without `detach` and `attach` (EBS
    /// Multi-Attach: io1 and io2 on Nitro instances).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multi_attach: bool,
    /// Time without a heartbeat until a node is declared lost; default 16s, LLT's `peerinact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detection: Option<Duration>,
    /// Time to fence a lost node; default 5s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fencing: Option<Duration>,
    /// Time to stop programs and unmount on a switched node; default 5s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Duration>,
    /// Time to detach the volumes, from a lost node by force; default 10s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detach: Option<Duration>,
    /// Time to attach them to the other node; default 5s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attach: Option<Duration>,
    /// Time to import the volume group and mount; default 5s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import: Option<Duration>,
    /// Time after a loss to replay the journals of file system and database; default 10s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Duration>,
    /// Time to start programs on the node; default 5s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Duration>,
}
