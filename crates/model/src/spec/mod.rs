//! What a storage is built from: plain data, resolved by the scenario crate
//! from a scenario and the catalog.

mod group;
mod journal_mirror;
mod layout;
mod link;
mod region;

use alloc::string::String;
use alloc::vec::Vec;
use core::num::{NonZeroU8, NonZeroU32};

pub use self::group::{
    Connections, Fallback, GroupNode, GroupSpec, Membership, Rejoin, SendWindows, Shipped,
    Shipping, TakeOver, Wait, Which, Wire,
};
pub use self::journal_mirror::{Acknowledged, DejournalSpec, JournalMirrorSpec, MemberSpec};
pub use self::layout::{
    Acknowledge, AfterSplitBrain, Fencing, Layout, LegSpec, LogSpec, MirrorSpec, PartitionSpec,
    ReadPolicy, ResyncSpec,
};
pub use self::link::{
    Contact, FlowControl, Impairment, LinkSpec, LossSpec, ProcessorCost, QueuedUntil, Recovery,
};
pub use self::region::Region;
use crate::units::{Bytes, Nanos};

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// One token an IO, counted in the volume's units ([`VolumeSpec::io_unit`]).
    Io,
    /// One token a byte.
    Byte,
}

/// Which requests a limit applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applies {
    /// Reads and writes share the tokens.
    Both,
    /// Reads only.
    Reads,
    /// Writes only.
    Writes,
}

impl Applies {
    /// Whether it applies to writes, or without `write` to reads.
    #[inline]
    pub fn to(self, write: bool) -> bool {
        match self {
            Self::Both => true,
            Self::Reads => !write,
            Self::Writes => write,
        }
    }
}

/// In which order a stage serves the requests that wait for its tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Discipline {
    /// First come, first served.
    #[default]
    Fifo,
    /// Reads and writes in turn, counted in IOs, each in the order of their arrival.
    PerDirection,
    /// Those who submit (processes of a job, a client's device) in turn, likewise.
    PerSubmitter,
}

impl Discipline {
    /// Its name in scenarios and in the catalog.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::PerDirection => "per_direction",
            Self::PerSubmitter => "per_submitter",
        }
    }
}

/// One token bucket: tokens flow in at `rate` until `depth` lie there, and a
/// request waits until its tokens have come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSpec {
    /// Name within its volume or host: `iops`, `throughput`, `iops_credits`.
    pub name: String,
    /// What a token is.
    pub unit: Unit,
    /// Which requests it applies to.
    pub applies: Applies,
    /// Tokens a second, at least 1.
    pub rate: u64,
    /// Most tokens that can lie in the bucket, at least 1.
    pub depth: u64,
    /// Tokens in the bucket at time 0, at most `depth`.
    pub level: u64,
    /// Whether the bucket's level is a burst balance that users watch
    /// (gp2 credits, an instance's 30 minutes), not just short slack.
    pub credits: bool,
    /// Tokens that come all at once beside the flow; none if only the flow fills the bucket.
    pub top_up: Option<TopUp>,
}

/// A bucket that the flow does not fill: what is taken beyond the flow comes back all at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopUp {
    /// It comes back at every multiple of this time, at least 1.
    pub every: Nanos,
    /// How much of the flow lies ready if it is not used at once: tokens, at least 1 and at
    /// most the depth. What flows in beyond is lost.
    pub kept: u64,
}

/// Quantiles of a latency: (probability in 0..=1, latency), rising in both,
/// from probability 0 to probability 1; linear in between.
pub type QuantileTable = Vec<(f64, Nanos)>;

/// The latency of an IO that no limit delays.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencySpec {
    /// Reads of at most `base_size` bytes.
    pub read: QuantileTable,
    /// Writes of at most `base_size` bytes.
    pub write: QuantileTable,
    /// Reads and writes that continue a stream, where those take other times, as on disks that
    /// need not seek for them.
    pub sequential: Option<[QuantileTable; 2]>,
    /// The IO size that the tables were measured at.
    pub base_size: Bytes,
    /// Added for each KiB beyond `base_size`.
    pub per_kib: PerKib,
    /// How far hosts with volumes of the profile differ: the standard deviation, in 1/1000, of a
    /// factor of mean 1 that each host draws once, for all of its volumes.
    pub spread_permille: u32,
    /// How far volumes of one host differ: the same of a factor that each volume draws.
    pub volume_spread_permille: u32,
    /// The slow component: states a volume wanders between. Empty for none.
    pub slow: Vec<SlowState>,
}

/// What an IO takes longer for each KiB beyond the profile's base size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerKib {
    /// A read.
    pub read: Nanos,
    /// A write.
    pub write: Nanos,
}

/// The same for reads and writes.
impl From<Nanos> for PerKib {
    fn from(both: Nanos) -> Self {
        Self {
            read: both,
            write: both,
        }
    }
}

/// One state of a volume's slow latency component. From each state the volume
/// moves to the next in the list, and from the last to the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowState {
    /// What drawn latencies are multiplied with, in 1/1000.
    pub multiplier_permille: u32,
    /// Mean of the exponentially distributed time spent in the state.
    pub mean: Nanos,
}

/// The hardware queues that a guest's driver has for a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queues {
    /// How many.
    pub count: NonZeroU8,
    /// Tags of each: how many requests it has in the volume at most.
    pub tags: NonZeroU32,
}

/// One volume, as a cloud provider sells it.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeSpec {
    /// Name in results: `data.0` is the first volume of device `data`.
    pub name: String,
    /// Usable size.
    pub size: Bytes,
    /// An IO is counted once for each started unit (256 KiB on EBS SSDs); a
    /// power of two.
    pub io_unit: Bytes,
    /// Whether a counted IO takes a whole unit's bytes from byte limits, as on
    /// st1 and sc1, rather than its own size.
    pub whole_units: bool,
    /// The volume's own limits.
    pub limits: Vec<LimitSpec>,
    /// In which order requests that wait for these are served.
    pub discipline: Discipline,
    /// Latency without any limit.
    pub latency: LatencySpec,
    /// The hardware queues of the guest's driver. What they have no tags for waits in the guest
    /// and enters out of turn. None where the volume takes all, in turn.
    pub queues: Option<Queues>,
    /// The host that it is attached to, by its index in [`StorageSpec::hosts`].
    pub host: usize,
    /// The other hosts that it can be attached to in its place, as nodes of a cluster.
    pub standby: Vec<usize>,
    /// Whether its IO passes the host's limits (network volumes do, instance
    /// store does not).
    pub behind_host: bool,
}

/// A named device that workloads run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSpec {
    /// Name in the scenario's `storage`.
    pub name: String,
    /// Usable size.
    pub size: Bytes,
    /// Where its bytes lie.
    pub layout: Layout,
}

/// A machine that volumes are attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSpec {
    /// Name in results: `host` where a scenario does not name its host.
    pub name: String,
    /// Its limits over all volumes behind it; empty for none.
    pub limits: Vec<LimitSpec>,
    /// In which order requests that wait for these are served.
    pub discipline: Discipline,
    /// The factor, in 1/1000, of latencies of the volumes behind it; none where it is drawn.
    pub latency_permille: Option<u32>,
    /// Bits a second that its links carry together in each direction, at least 1; none for no
    /// bound but their own.
    pub network: Option<u64>,
}

impl HostSpec {
    /// The name of the limit that a host's network is where storage and links share it.
    pub const NETWORK: &str = "network";

    /// Whether its storage is reached over the network that its links take from too.
    pub fn shares_network(&self) -> bool {
        self.limits.iter().any(|limit| limit.name == Self::NETWORK)
    }

    /// The host of a scenario that names none: it is called `host` and has no limits.
    pub fn unnamed() -> Self {
        Self {
            name: "host".into(),
            limits: Vec::new(),
            discipline: Discipline::Fifo,
            latency_permille: None,
            network: None,
        }
    }
}

/// Hosts with the devices they reach.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageSpec {
    /// The hosts, at least 1.
    pub hosts: Vec<HostSpec>,
    /// All volumes of all devices.
    pub volumes: Vec<VolumeSpec>,
    /// The devices, in the scenario's order.
    pub devices: Vec<DeviceSpec>,
    /// What its hosts reach each other by.
    pub links: Vec<LinkSpec>,
}
