//! How an engine replicates its binary log.

use blockyard_text::units::Duration;
use serde::Deserialize;

use crate::source::Sources;

/// How an engine replicates its binary log.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineReplication {
    /// Threads of a replica that apply it.
    pub appliers: u32,
    /// Whether what a replica has received counts once it is on disk.
    pub durable_relay_log: bool,
    /// When commits wait for replicas.
    pub semi_sync: EngineSemiSync,
    /// Key of the source of these values.
    source: String,
}

/// Semi-synchronous replication.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineSemiSync {
    /// After which commits wait no longer.
    pub timeout: Duration,
    /// Whether they wait even with fewer replicas connected than must answer.
    pub wait_no_replica: bool,
    /// The most replicas that can be asked to answer.
    pub most_replicas: u32,
}

impl EngineReplication {
    /// The paths of its values.
    pub(super) const STATED: [&'static str; 5] = [
        "replication.appliers",
        "replication.durable_relay_log",
        "replication.semi_sync.timeout",
        "replication.semi_sync.wait_no_replica",
        "replication.semi_sync.most_replicas",
    ];

    pub(super) fn check(&self, sources: &Sources) -> Result<(), String> {
        sources.check(&self.source)
    }
}
