//! The scenario as a user writes it. These types are the schema: the JSON
//! Schema for editors is generated from them, field descriptions included.

mod cluster;
mod demand;
mod device;
mod event;
mod galera;
mod host;
mod job;
mod journal_mirror;
mod link;
mod load;
mod mirror;
mod name_or;
mod oltp;
mod one_or_many;
mod ranwrite;
mod replay;
mod skew;
mod standbys;
mod tables;

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Date, Duration, Percent};

pub use blockyard_catalog::Pattern;
pub use cluster::Cluster;
pub use demand::Demand;
pub use device::{Device, Discipline, Linear, Stripe, StripeLayout, Volume};
pub use event::{
    Add, Cut, Degrade, Event, Fail, Grow, Modify, Pause, Reconnect, Restore, Resume, Return, Switch,
};
pub use galera::{EngineNode, Galera, SstMethod};
pub use host::{Host, Zones};
pub use job::{AccessSpec, Job, RanRead};
pub use journal_mirror::{Dejournal, JournalAcknowledge, JournalMirror, MirrorMember};
pub use link::{Link, PacketCost, QueuedUntil, Transport};
pub use load::{Arrivals, ScheduleStep};
pub use mirror::{
    Acknowledge, AfterSplitBrain, DirtyRegionLog, Fencing, Mirror, MirrorLayout, ReadPolicy, Resync,
};
pub use name_or::NameOr;
pub use oltp::{Oltp, OltpRoles, PageFlush, RedoLog, TransactionKind};
pub use one_or_many::OneOrMany;
pub use ranwrite::{Journal, RanWrite, Roles, Wij, WriteDaemons};
pub use replay::{Beyond, Replay, ReplayLoop};
pub use skew::{Hot, Skew};
pub use standbys::{Rejoin, SemiSync, Standbys, SynchronousCommit, SynchronousMethod};
pub use tables::{Items, NuRandRows, PoolStart, Table, TableUse};

pub(crate) use load::Load;

/// A test of block storage under a database: storage, load, duration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Short name, under which results are filed.
    pub name: String,
    /// What the test shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The publication it reproduces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What the source leaves open: each value's name, and why it was chosen.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub assumptions: IndexMap<String, String>,
    /// The day whose limits apply; default: the newest known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Date>,
    /// The region whose prices apply, such as `us-east-1`; default: that of the hosts' zones, else
    /// us-east-1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Seed of all random streams.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Beginning of the run, left out of totals.
    #[serde(default = "default_warmup")]
    pub warmup: Duration,
    /// Length of the run, warmup included. Without it `emulate` serves until stopped; other
    /// commands need it.
    #[serde(default = "unstated", skip_serializing_if = "is_unstated")]
    pub duration: Duration,
    /// Length of one row of the time series, at least 1ms.
    #[serde(default = "default_interval")]
    pub interval: Duration,
    /// Number of runs, each with the next seed.
    #[serde(default = "default_repeats")]
    pub repeats: NonZeroU32,
    /// An instance that volumes are attached to; without it only the volumes' own limits apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// Several instances by name, in place of `host`. Each device names its host.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub hosts: IndexMap<String, Host>,
    /// Distances between the hosts' zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<Zones>,
    /// A network between two hosts, for mirrors and cluster nodes.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub links: IndexMap<String, Link>,
    /// Hosts that share disks as nodes of a cluster (Veritas Cluster Server, Pacemaker). The active
    /// node has the disks and runs the jobs on them; when it fails, another takes over. Times
    /// default to assumptions, except `detection`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub clusters: IndexMap<String, Cluster>,
    /// The account's provisioned IOPS per volume type in the region, such as `{io2: 100000}`; a
    /// larger layout is refused.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub quotas: IndexMap<String, u64>,
    /// Whether load is carried through limits interval by interval, in place of IO by IO, which
    /// takes `demand` jobs alone and gives means without percentiles. Default: from a `duration`
    /// of an hour on, where jobs, storage and events allow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_interval: Option<bool>,
    /// Devices by name.
    pub storage: IndexMap<String, Device>,
    /// Jobs by name, all at the same time; optional for `emulate`, which serves its clients.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub workload: IndexMap<String, Job>,
    /// Failures, pauses, modifications and the like.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// What the run must achieve, such as `readers.latency.p99 < 2ms`.
    #[serde(default, skip_serializing_if = "OneOrMany::is_empty")]
    pub goals: OneOrMany<String>,
}

fn default_seed() -> u64 {
    1
}

/// No duration is 0, so 0 means that none was stated.
fn unstated() -> Duration {
    Duration::new(0)
}

fn is_unstated(duration: &Duration) -> bool {
    *duration == unstated()
}

fn default_warmup() -> Duration {
    Duration::new(0)
}

fn default_interval() -> Duration {
    Duration::new(1_000_000_000)
}

fn default_repeats() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// A default count, which is at least 1.
const fn count(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(count) => count,
        None => NonZeroU32::MIN,
    }
}

fn full() -> Percent {
    Percent::new(1000)
}
