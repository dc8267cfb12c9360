//! An engine's standbys.

use std::num::NonZeroU32;

use blockyard_model::units::SECOND;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EngineNode;
use crate::units::Duration;

/// Log shipping (PostgreSQL's streaming replication) from an engine with a write-ahead log to
/// standbys, which replay it with engines like the job's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Standbys {
    /// The standbys by host, each with a link to the job's host.
    pub nodes: IndexMap<String, EngineNode>,
    /// What a commit waits for. Default `on`, or `off` where `log` is not `durable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synchronous_commit: Option<SynchronousCommit>,
    /// How many standbys a commit waits for.
    #[serde(default = "one")]
    pub synchronous: NonZeroU32,
    /// Which these are (`synchronous_standby_names`).
    #[serde(default)]
    pub method: SynchronousMethod,
    /// Silence after which a standby is taken for gone, so that `first` takes the next, up to 1h.
    #[serde(default = "wal_sender_timeout")]
    pub wal_sender_timeout: Duration,
    /// Time from the loss of the primary until a standby is promoted, up to 1h: the one with most
    /// of the log. It needs a link between any two nodes. Without it the service ends with the
    /// primary. Patroni waits 30s by default (`ttl`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failover: Option<Duration>,
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

fn wal_sender_timeout() -> Duration {
    Duration::new(60 * SECOND)
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}
