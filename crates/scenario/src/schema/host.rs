//! The instances that volumes are attached to, and the zones that they are in.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Discipline, full};
use crate::units::{Bandwidth, Duration, Percent};

/// An instance that volumes are attached to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The instance type, such as `r5n.24xlarge`.
    pub instance: String,
    /// How full the instance's 30-minute burst balances are at the start.
    #[serde(default = "full")]
    pub burst_balance: Percent,
    /// The order in which IOs that wait for the instance's limits are served; by default `fifo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discipline: Option<Discipline>,
    /// The bandwidth of its network in each direction; by default the most that is published of
    /// the instance type. No wire of a link is faster. Where the instance is not EBS-optimised, as
    /// t2, and this is stated, its volumes and its links share it, reads and writes together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Bandwidth>,
    /// The name of the zone that it is in, such as `us-east-1a`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

/// How far the zones of the hosts are from each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zones {
    /// The round-trip time between two hosts in one zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<Duration>,
    /// The round-trip time between two zones, `us-east-1a/us-east-1b`, as it is measured from
    /// the first. It also holds from the second, unless the pair is stated the other way round
    /// too.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub round_trip: IndexMap<String, Duration>,
}
