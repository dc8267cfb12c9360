//! An engine's standbys.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EngineNode;
use crate::units::{Duration, Size};

/// Log shipping to standbys, which replay it with engines like the job's: PostgreSQL's
/// write-ahead log, or the binary log of MySQL or MariaDB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Standbys {
    /// The standbys by host, each with a link to the job's host: the first that carries nothing
    /// else.
    pub nodes: IndexMap<String, EngineNode>,
    /// PostgreSQL: what a commit waits for. Default `on`, or `off` where `log` is not `durable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synchronous_commit: Option<SynchronousCommit>,
    /// PostgreSQL: how many standbys a commit waits for, default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synchronous: Option<NonZeroU32>,
    /// PostgreSQL: which these are (`synchronous_standby_names`), default `any`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<SynchronousMethod>,
    /// PostgreSQL: silence after which a standby is taken for gone, so that `first` takes the next,
    /// up to 1h; default 60s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wal_sender_timeout: Option<Duration>,
    /// MySQL, MariaDB: commits wait for replicas, up to a timeout; without it replication is
    /// asynchronous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semi_sync: Option<SemiSync>,
    /// MySQL, MariaDB: threads of a replica that apply (`replica_parallel_workers`,
    /// `slave_parallel_threads`); default: the engine's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appliers: Option<NonZeroU32>,
    /// MySQL, MariaDB: whether what a replica has received counts once it is on disk
    /// (`sync_relay_log` 1); default: the engine's. Otherwise the relay log is written each second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable_relay_log: Option<bool>,
    /// Time after the host of a node is back, or after its log is kept no more, until its engine is
    /// started again, up to 24h: a standby goes on with the log, PostgreSQL's primary serves again,
    /// or follows the one that has taken over. Without it nobody starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<Duration>,
    /// PostgreSQL: whether the primary keeps the log for standbys that are away (replication
    /// slots), at worst until its disk is full and it stops. Otherwise what a checkpoint needs is
    /// kept, and `wal_keep_size` more.
    #[serde(default = "yes")]
    pub slots: bool,
    /// PostgreSQL: most log that a slot keeps (`max_slot_wal_keep_size`); by default there is no
    /// limit. A standby that needs more is to get a base backup (`restart`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_slot_wal_keep_size: Option<Size>,
    /// PostgreSQL: log that is kept without slots (`wal_keep_size`), default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wal_keep_size: Option<Size>,
    /// PostgreSQL: whether a primary that another has replaced goes back to where that began
    /// (`pg_rewind`), which takes no time here; otherwise it gets a base backup.
    #[serde(default = "yes")]
    pub rewind: bool,
    /// MySQL, MariaDB: how a source that another has replaced follows it once `restart` has started
    /// it. Without it nobody makes it a replica.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejoin: Option<Rejoin>,
    /// Time from the loss of the primary until a standby is promoted, up to 1h: the one with most
    /// of the log. It needs a link between any two nodes. Without it the service ends with the
    /// primary. Patroni waits 30s by default (`ttl`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failover: Option<Duration>,
    /// PostgreSQL: most log that a standby may lack and be promoted, of what the primary had when
    /// it last said so, every 10s (Patroni, `loop_wait`; there 1MiB by default). Without it
    /// there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum_lag_on_failover: Option<Size>,
}

/// How a replaced source becomes a replica: MySQL Shell's `recoveryMethod`. Transactions that no
/// replica had are errant: it cannot follow with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rejoin {
    /// By GTIDs; with errant transactions it stays away (MaxScale's `auto_rejoin`).
    Incremental,
    /// By GTIDs; with errant transactions it gets a copy of all data (MySQL's clone plugin).
    Clone,
}

fn yes() -> bool {
    true
}

/// Semi-synchronous replication of MySQL and MariaDB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SemiSync {
    /// Replicas that must have a commit in their relay log
    /// (`rpl_semi_sync_source_wait_for_replica_count`), default 1; MariaDB takes no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<NonZeroU32>,
    /// Once a commit has waited for so long, all go on, and replication is asynchronous until
    /// enough replicas have caught up (`rpl_semi_sync_source_timeout`); default: the engine's, 10s.
    /// With `0s` no commit waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// Whether commits wait even with fewer replicas connected than must answer
    /// (`rpl_semi_sync_source_wait_no_replica`); default: the engine's, `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_no_replica: Option<bool>,
}

/// What a commit waits for: PostgreSQL's setting of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SynchronousCommit {
    /// Nothing, not even the job's own log.
    Off,
    /// The job's own log.
    Local,
    /// Also standbys' receipt.
    RemoteWrite,
    /// Also standbys' logs, on their devices.
    On,
    /// Also standbys' replay.
    RemoteApply,
}

/// On which standbys a commit waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SynchronousMethod {
    /// The fastest (`ANY n`).
    #[default]
    Any,
    /// The first of `nodes` that are not gone (`FIRST n`).
    First,
}
