//! The scenario as a user writes it. These types are the schema: the JSON
//! Schema for editors is generated from them, field descriptions included.

mod cluster;
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
mod skew;
mod standbys;

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Date, Duration, Percent};

pub use blockyard_catalog::Pattern;
pub use cluster::Cluster;
pub use device::{Device, Discipline, Linear, Stripe, StripeLayout, Volume};
pub use event::{
    Add, Cut, Degrade, Event, Fail, Grow, Modify, Pause, Restore, Resume, Return, Switch,
};
pub use galera::{EngineNode, Galera};
pub use host::{Host, Zones};
pub use job::{AccessSpec, Job, RanRead};
pub use journal_mirror::{Dejournal, JournalAcknowledge, JournalMirror, MirrorMember};
pub use link::{Link, PacketCost, QueuedUntil, Transport};
pub use load::{Arrivals, ScheduleStep};
pub use mirror::{Acknowledge, DirtyRegionLog, Mirror, MirrorLayout, ReadPolicy, Resync};
pub use name_or::NameOr;
pub use oltp::{Oltp, OltpRoles, PageFlush, RedoLog, TransactionKind};
pub use one_or_many::OneOrMany;
pub use ranwrite::{Journal, RanWrite, Roles, Wij, WriteDaemons};
pub use skew::{Hot, Skew};
pub use standbys::{Standbys, SynchronousCommit};

pub(crate) use load::Load;

/// A test of block storage under a database: what storage, what load, how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Short name; results are filed under it.
    pub name: String,
    /// What the test shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The publication that it reproduces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What the source leaves open: the name of each value and why it was chosen.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub assumptions: IndexMap<String, String>,
    /// The day whose limits hold; by default the newest known limits hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Date>,
    /// The region whose prices hold, such as `us-east-1`; by default that of the hosts' zones, and
    /// without those us-east-1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Seed of all random streams.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// The beginning of the run, which is left out of the totals.
    #[serde(default = "default_warmup")]
    pub warmup: Duration,
    /// Length of the run, warmup included. Only `emulate` can do without it: it then serves until
    /// it is stopped.
    #[serde(default = "unstated", skip_serializing_if = "is_unstated")]
    pub duration: Duration,
    /// Length of one row of the time series, at least 1ms.
    #[serde(default = "default_interval")]
    pub interval: Duration,
    /// Number of runs, each with the next seed.
    #[serde(default = "default_repeats")]
    pub repeats: NonZeroU32,
    /// The instance that the volumes are attached to; without it only the volumes' own limits hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// In place of `host`, several instances by name. Each device says by `host` which of them
    /// its volumes are attached to.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub hosts: IndexMap<String, Host>,
    /// How far the zones of the hosts are from each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<Zones>,
    /// What the hosts reach each other by, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub links: IndexMap<String, Link>,
    /// Hosts that share disks, by the cluster's name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub clusters: IndexMap<String, Cluster>,
    /// The account's provisioned IOPS for each volume type in the region, to
    /// check the layout against.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub quotas: IndexMap<String, u64>,
    /// The devices by name.
    pub storage: IndexMap<String, Device>,
    /// The jobs by name. All run at the same time. Only `emulate` can do without jobs: it serves
    /// its clients.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub workload: IndexMap<String, Job>,
    /// What happens while it runs: volumes fail and return, pause, degrade and are modified, a
    /// device grows, a cluster is switched to another node, a job gets more processes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// What the run must achieve, such as `readers.latency.p99 < 2ms` or
    /// `readers.step 5.iops > 60000`.
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

/// The JSON Schema of a scenario, pretty-printed, ending in a newline. The
/// same types always give the same text.
#[must_use]
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(Scenario);
    format!("{:#}\n", schema.as_value())
}
