//! Hosts that share disks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Duration;

/// Hosts as nodes of a cluster that share disks (Veritas Cluster Server, Pacemaker). One node at a
/// time is active: it has the disks, and the jobs on them run there. When it fails, another takes
/// over. The times are those of the steps of that outage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Its hosts, at least two of `hosts`, in one zone. The first is active at the start; the first
    /// other one that works takes over.
    pub nodes: Vec<String>,
    /// The shared disks, of `storage`. They fail over together.
    pub disks: Vec<String>,
    /// Whether the disks are attached to all nodes at once, so that none is detached and attached
    /// (EBS Multi-Attach: io1 and io2, on Nitro instances).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multi_attach: bool,
    /// How long no heartbeat comes until a node is taken for lost; by default 16s, LLT's
    /// `peerinact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detection: Option<Duration>,
    /// How long it takes to keep a lost node from writing: SCSI-3 persistent reservations, or
    /// turning it off (STONITH). By default 5s, which is assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fencing: Option<Duration>,
    /// How long it takes to stop what runs on a node that is switched, and to unmount. What is in
    /// flight then fails. By default 5s, which is assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Duration>,
    /// How long it takes to detach the volumes, from a lost node by force. By default 10s, which
    /// is assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detach: Option<Duration>,
    /// How long it takes to attach them to the other node. By default 5s, which is assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attach: Option<Duration>,
    /// How long it takes to import the volume group and to mount. By default 5s, which is assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import: Option<Duration>,
    /// How long it takes after a loss to apply the journals of file system and database. By
    /// default 10s, which is assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Duration>,
    /// How long it takes to start what runs on the node. By default 5s, which is assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Duration>,
}
