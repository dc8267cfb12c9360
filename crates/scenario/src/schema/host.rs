//! The instances that volumes are attached to, and the zones that they are in.

use blockyard_catalog::Factor;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Discipline, full};
use crate::units::{Bandwidth, Duration, Percent};

/// An instance that volumes are attached to; without it only the volumes' own limits apply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The instance type, such as `r5n.24xlarge`, or a DB instance class of RDS, such as
    /// `db.r5.large`.
    pub instance: String,
    /// Initial fill of the instance's 30-minute burst balances.
    #[serde(default = "full")]
    pub burst_balance: Percent,
    /// Queueing at the instance's limits; default `fifo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<Discipline>,
    /// Bandwidth in each direction, shared by its links; default: the highest published for the
    /// instance type. Where an instance that is not EBS-optimised, such as t2, states it, volumes
    /// share it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Bandwidth>,
    /// Factor of the latencies of its network volumes, such as 1.18 where it is known to be slower
    /// than the middle of those measured; default: drawn by the `spread` of each profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_factor: Option<Factor>,
    /// Its zone, such as `us-east-1a`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

/// Distances between the hosts' zones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zones {
    /// Round-trip time between two hosts in one zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<Duration>,
    /// Round-trip time by pair, `us-east-1a/us-east-1b`, measured from the first. It applies in
    /// both directions unless the reverse pair is stated.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub round_trip: IndexMap<String, Duration>,
}
