//! An engine's standbys.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EngineNode;

/// Log shipping (PostgreSQL's streaming replication), for an engine whose log is a write-ahead
/// log. What a write of the log has made durable is sent to every standby. Each writes it to its
/// own log and replays it in one process, with an engine of its own like the job's: it reads the
/// pages that were changed if they are not in its buffer pool, changes them and writes them out.
/// Standbys take no transactions of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Standbys {
    /// The standbys by their hosts, of `hosts`. Each is reached by the link of `links` between its
    /// host and the job's.
    pub nodes: IndexMap<String, EngineNode>,
    /// What a commit waits for. By default `on`, and `off` where `log` is not `durable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synchronous_commit: Option<SynchronousCommit>,
    /// How many standbys a commit waits for, whichever are first (`ANY n` of
    /// `synchronous_standby_names`, with all of them named).
    #[serde(default = "one")]
    pub synchronous: NonZeroU32,
}

/// What a commit waits for, as PostgreSQL's setting of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SynchronousCommit {
    /// For nothing, not even the job's own log.
    Off,
    /// Until it is in the job's own log.
    Local,
    /// Also until standbys have received it.
    RemoteWrite,
    /// Also until standbys have it in their logs, on their devices.
    On,
    /// Also until standbys have replayed it.
    RemoteApply,
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}
