//! Instance types: their storage limits and local disks.

use blockyard_model::units::MIB;
use blockyard_text::units::{Date, Duration, Size};
use serde::Deserialize;

use crate::amount::ByteUnit;
use crate::db_classes::PREFIX;
use crate::instance_history::Levels;
use crate::instance_store::{Store, StreamRules};
use crate::source::Sources;

/// `instances.yaml`: what the table of instances leaves open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InstanceRules {
    /// Source of the table.
    pub(super) source: String,
    /// The table's date.
    pub(super) observed: Date,
    /// Source of limits before the table's.
    pub(super) history: String,
    /// The platforms that run instances.
    pub(super) platforms: Vec<String>,
    /// The unit in which throughput is stated.
    pub(super) stated_in: ByteUnit,
    pub(super) sightings: Vec<Sighting>,
    /// The depth of a rested host's bucket.
    pub(super) short: HostDepth,
    /// How long full credits last at the maximum.
    pub(super) burst: Burst,
    pub(super) streams: StreamRules,
}

/// An older document that shows the same limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sighting {
    pub(super) source: String,
    pub(super) date: Date,
    pub(super) types: Vec<String>,
}

/// A depth of hosts' limits, as a time at the limit's rate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostDepth {
    pub(super) time: Duration,
    pub(super) source: String,
    pub(super) inferred: String,
}

/// The credits of hosts whose baseline is below their maximum.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Burst {
    /// How long full credits last at the maximum.
    pub(super) time: Duration,
    /// They come back once in this time, all together.
    pub(super) every: Duration,
    pub(super) source: String,
    pub(super) inferred: String,
    /// Where it was seen that they do.
    pub(super) seen: String,
}

impl InstanceRules {
    pub(super) fn check(&self, sources: &Sources) -> Result<(), String> {
        let sightings = self.sightings.iter().map(|sighting| &sighting.source);
        let burst = [&self.burst.source, &self.burst.seen];
        if self.burst.every.nanos() == 0 {
            return Err("burst.every: expected more than `0s`".into());
        }
        [
            &self.source,
            &self.history,
            &self.short.source,
            &self.streams.source,
        ]
        .into_iter()
        .chain(burst)
        .chain(sightings)
        .try_for_each(|key| sources.check(key))
    }
}

/// An instance type.
#[derive(Clone, Debug)]
pub struct Instance {
    pub(super) name: String,
    pub(super) vcpu: u64,
    pub(super) memory_mib: u64,
    pub(super) platform: String,
    /// Today's baseline and maximum.
    pub(super) rates: Option<(HostRate, HostRate)>,
    /// Before today's, the oldest first.
    pub(super) earlier: Vec<Levels>,
    pub(super) disks: Option<Disks>,
    pub(super) store: Option<Store>,
    pub(super) network: NetworkRate,
    pub(super) attachments: u64,
    pub(super) architecture: String,
    pub(super) generation: Generation,
    pub(super) purpose: Purpose,
    /// When today's limits were first seen.
    pub(super) observed: Date,
    /// Key of the source in which they were seen.
    pub(super) source: String,
}

/// Whether EC2 still counts a type among those of the current generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// It does.
    Current,
    /// It calls the type one of a previous generation.
    Previous,
}

/// What an instance type is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Any program.
    General,
    /// Short bursts: its processors slow down once their credits are used up.
    Burstable,
    /// What its accelerator speeds up: `GPU`, `inference`, `training`, `FPGA` or `media`.
    Accelerated(&'static str),
    /// High-performance computing, in clusters of one zone.
    HighPerformance,
    /// macOS, on a dedicated host.
    Mac,
}

/// What an instance's network carries, over all its cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkRate {
    /// Mbit/s at any time.
    pub baseline_mbps: u64,
    /// Mbit/s while network credits last.
    pub peak_mbps: u64,
}

/// The most that an instance's volumes reach together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRate {
    /// IOs of 16 KiB a second.
    pub iops: u64,
    /// Mbit/s.
    pub mbps: u64,
    /// Bytes a second; published in MB/s of 10^6 bytes.
    pub throughput: u64,
}

/// Equal local disks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disks {
    /// How many.
    pub count: u64,
    /// Size of each in GB of 10^9 bytes, as published.
    pub gb: u64,
    /// `ssd` or `hdd`.
    pub kind: String,
}

/// What one local disk does with a full queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskRates {
    /// Reads of 4 KiB a second.
    pub reads: u64,
    /// Writes of 4 KiB a second.
    pub writes: u64,
    /// Bytes a second of a stream of reads.
    pub read_bytes: u64,
    /// Bytes a second of a stream of writes.
    pub write_bytes: u64,
}

impl Disks {
    /// Size of one disk, in whole MiB.
    #[must_use]
    pub fn size(&self) -> Size {
        let bytes = self.gb.saturating_mul(1_000_000_000);
        Size::new(bytes - bytes % MIB)
    }
}

impl Instance {
    /// `r5n.24xlarge`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `r5n`, also of a DB instance class.
    #[must_use]
    pub fn family(&self) -> &str {
        let name = self.name.strip_prefix(PREFIX).unwrap_or(&self.name);
        name.split('.').next().unwrap_or(name)
    }

    /// The platform that runs it, `nitro`: one of `platforms` in
    /// `instances.yaml`.
    #[must_use]
    pub fn platform(&self) -> &str {
        &self.platform
    }

    /// Virtual CPUs.
    #[must_use]
    pub fn vcpu(&self) -> u64 {
        self.vcpu
    }

    /// Memory in MiB.
    #[must_use]
    pub fn memory_mib(&self) -> u64 {
        self.memory_mib
    }

    /// What its network carries.
    #[must_use]
    pub fn network(&self) -> NetworkRate {
        self.network
    }

    /// What its programs must be built for, `x86_64` or `arm64`.
    #[must_use]
    pub fn architecture(&self) -> &str {
        &self.architecture
    }

    /// Whether EC2 counts it among the current generation.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// What it is made for.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// How many network volumes can be attached to it at once, the root volume included.
    #[must_use]
    pub fn attachments(&self) -> u64 {
        self.attachments
    }

    /// What its volumes can sustain today, where that is published.
    #[must_use]
    pub fn baseline(&self) -> Option<HostRate> {
        self.rates.map(|(baseline, _)| baseline)
    }

    /// What its volumes reach today while burst credits last; the baseline if it does
    /// not burst.
    #[must_use]
    pub fn maximum(&self) -> Option<HostRate> {
        self.rates.map(|(_, maximum)| maximum)
    }

    /// Its local disks, if it has any.
    #[must_use]
    pub fn disks(&self) -> Option<&Disks> {
        self.disks.as_ref()
    }

    /// What one local disk does, where its IOPS are published.
    #[must_use]
    pub fn disk_rates(&self) -> Option<DiskRates> {
        let store = self.store.as_ref()?;
        let count = self.disks()?.count.max(1);
        Some(store.of_one(count))
    }

    /// Whose streams those of the local disks are taken from, if none were measured on the
    /// instance's family: a family, or `all`.
    #[must_use]
    pub fn streams_like(&self) -> Option<&str> {
        self.store.as_ref()?.streams.like.as_deref()
    }
}
