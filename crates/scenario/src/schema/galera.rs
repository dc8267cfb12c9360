//! A cluster of nodes that each have all of an engine's data.

use std::num::NonZeroU32;

use blockyard_model::units::{MIB, SECOND};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::oltp::{OltpRoles, roles};
use super::{NameOr, count, full};
use crate::units::{Duration, Percent, Size};

/// Virtually synchronous replication (Galera, Percona XtraDB Cluster). The job's engine takes all
/// transactions; the other nodes apply their write sets with engines like the job's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Galera {
    /// The other nodes by host, with a link between any two of all: the first that carries nothing
    /// else.
    pub nodes: IndexMap<String, EngineNode>,
    /// Apply threads per node (`wsrep_slave_threads`).
    #[serde(default = "one")]
    pub appliers: NonZeroU32,
    /// Length of a node's receive queue beyond which it stops all senders (`gcs.fc_limit`). The
    /// default is Galera's; Percona XtraDB Cluster's is 100.
    #[serde(default = "fc_limit")]
    pub fc_limit: NonZeroU32,
    /// Share of that limit at which they resume (`gcs.fc_factor`).
    #[serde(default = "full")]
    pub fc_factor: Percent,
    /// Whether `fc_limit` applies as it is (`gcs.fc_master_slave`); otherwise it is multiplied by
    /// the square root of the number of nodes.
    #[serde(default)]
    pub fc_master_slave: bool,
    /// Messages of a node on their way, one of which may be sent as soon as there is a write set
    /// (`evs.user_send_window`): more go together in the next. The default is Galera's; Percona
    /// XtraDB Cluster's is 4.
    #[serde(default = "user_send_window")]
    pub user_send_window: NonZeroU32,
    /// Messages of a node on their way in all (`evs.send_window`), at least `user_send_window`.
    /// The default is Galera's; Percona XtraDB Cluster's is 10.
    #[serde(default = "send_window")]
    pub send_window: NonZeroU32,
    /// Silence after which a node is given up (`evs.suspect_timeout`), up to 1h. Galera starts with
    /// less than 3s only if `evs.keepalive_period` is at most a third of it.
    #[serde(default = "suspect_timeout")]
    pub suspect_timeout: Duration,
    /// Bytes of write sets kept for nodes that come back (`gcache.size`). One that has missed more
    /// gets a copy of all data (SST), started again for it (`restart`).
    #[serde(default = "gcache")]
    pub gcache: Size,
    /// How all data is copied (`wsrep_sst_method`). The default is Galera's; Percona XtraDB
    /// Cluster's is `xtrabackup-v2`.
    #[serde(default)]
    pub sst_method: SstMethod,
    /// Another node that all data is copied from, if it is up to date (`wsrep_sst_donor`). Galera's
    /// own choice may be the node with the load, which is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sst_donor: Option<String>,
    /// Time from the return of a node's host, or from the end of an engine that needs a copy of all
    /// data, until its engine joins or serves, started again and recovered; without it nobody
    /// starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<Duration>,
    /// Time after which a proxy sends the load to another node when its own is lost or has no
    /// quorum, up to 1h: the first of `nodes` that has one. Without it the load stays. HAProxy's
    /// checks take 6s by default (`inter` 2s, `fall` 3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failover: Option<Duration>,
    /// Votes of the job's node (`pc.weight`), at most 255.
    #[serde(default = "weight")]
    pub weight: u8,
}

/// How all data is copied from one node of a Galera cluster to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SstMethod {
    /// `rsync`: the node that it is copied from takes no writes meanwhile.
    #[default]
    Rsync,
    /// `mariabackup`: a backup, beside the work of the node that it is copied from.
    Mariabackup,
    /// `xtrabackup-v2`: likewise.
    #[serde(rename = "xtrabackup-v2")]
    XtrabackupV2,
}

/// Another node of a cluster, or a standby. File sizes are the job's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineNode {
    /// The device of all files, or a device for each, on this host.
    pub on: NameOr<OltpRoles>,
    /// Processor cores; default: the instance's vCPUs, or without an instance the job's `cores`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<NonZeroU32>,
    /// Votes of a Galera node (`pc.weight`), at most 255; default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u8>,
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

fn user_send_window() -> NonZeroU32 {
    count(2)
}

fn send_window() -> NonZeroU32 {
    count(4)
}

fn suspect_timeout() -> Duration {
    Duration::new(5 * SECOND)
}

fn gcache() -> Size {
    Size::new(128 * MIB)
}

fn weight() -> u8 {
    1
}
