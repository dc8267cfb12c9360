//! A cluster of nodes that each have all of an engine's data.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::oltp::{OltpRoles, roles};
use super::{NameOr, count, full};
use crate::units::Percent;

/// Virtually synchronous replication (Galera, Percona XtraDB Cluster). All transactions are asked
/// of the job's own engine. At its commit a transaction sends its write set, which is as long as
/// its binary log, to every other node; it goes on once all have answered, and then writes its
/// logs. The others apply write sets with an engine of their own like the job's: they read the
/// pages that it changed if they are not in their buffer pool, change them, commit in the order of
/// the sender and write the pages out. They take no transactions of their own, so no write set
/// conflicts with another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Galera {
    /// The other nodes by their hosts, of `hosts`. Each is reached by the link of `links` between
    /// its host and the job's.
    pub nodes: IndexMap<String, EngineNode>,
    /// Threads of each node that apply write sets (`wsrep_slave_threads`).
    #[serde(default = "one")]
    pub appliers: NonZeroU32,
    /// Write sets in a node's receive queue beyond which it stops all from sending
    /// (`gcs.fc_limit`). The default is Galera's; that of Percona XtraDB Cluster is 100.
    #[serde(default = "fc_limit")]
    pub fc_limit: NonZeroU32,
    /// To which share of that the queue must have fallen before they go on (`gcs.fc_factor`).
    #[serde(default = "full")]
    pub fc_factor: Percent,
    /// Whether `fc_limit` holds as it is (`gcs.fc_master_slave`). By default it is multiplied by
    /// the square root of the number of nodes.
    #[serde(default)]
    pub fc_master_slave: bool,
}

/// Another node of a cluster, or a standby. Its files are as large as the job's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineNode {
    /// The device of all files, or a device for each; of this host.
    pub on: NameOr<OltpRoles>,
    /// Processor cores of the node; by default the virtual processors of its instance, and
    /// without an instance the job's `cores`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<NonZeroU32>,
}

impl EngineNode {
    /// The devices of its files, as those of a job.
    pub(crate) fn roles(&self) -> [(&'static str, &str); 4] {
        roles(&self.on)
    }
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

fn fc_limit() -> NonZeroU32 {
    count(16)
}
