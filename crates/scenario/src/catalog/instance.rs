//! EC2 instance types: their EBS limits and local disks.

use blockyard_model::units::MIB;
use serde::Deserialize;

use super::source::{Period, Sources};
use crate::units::{Date, Duration};

/// `instances.yaml`: what the table of instances leaves open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InstanceRules {
    /// Source of the table.
    pub(super) source: String,
    /// The table's date.
    pub(super) observed: Date,
    pub(super) sightings: Vec<Sighting>,
    /// How much of a host's limit lies ready after rest.
    pub(crate) short: HostDepth,
    /// How long full credits last at the maximum.
    pub(crate) burst: HostDepth,
}

/// An older document with the same EBS limits.
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
pub(crate) struct HostDepth {
    pub(crate) time: Duration,
    source: String,
    inferred: String,
}

impl HostDepth {
    /// What the figure rests on.
    pub(crate) fn note(&self, sources: &Sources) -> String {
        let source = sources.cite(&self.source);
        format!("depth inferred: {} ({source})", self.inferred)
    }
}

impl InstanceRules {
    pub(super) fn check(&self, sources: &Sources) -> Result<(), String> {
        let sightings = self.sightings.iter().map(|sighting| &sighting.source);
        [&self.source, &self.short.source, &self.burst.source]
            .into_iter()
            .chain(sightings)
            .try_for_each(|key| sources.check(key))
    }
}

/// An instance type.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(super) name: String,
    pub(super) vcpu: u64,
    pub(super) memory_mib: u64,
    pub(super) platform: Platform,
    pub(super) ebs: Option<(EbsRate, EbsRate)>,
    pub(super) disks: Option<Disks>,
    /// Reads and writes of 4 KiB a second over all local disks.
    pub(super) store_iops: Option<(u64, u64)>,
    pub(super) observed: Date,
    /// Key of the source that observed it.
    pub(super) source: String,
}

/// What runs the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Platform {
    Nitro,
    /// Bare metal, which EC2 builds on the Nitro System.
    Metal,
    Xen,
}

/// A level of an instance's EBS limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EbsRate {
    /// IOs of 16 KiB a second.
    pub(crate) iops: u64,
    /// Mbit/s.
    pub(crate) mbps: u64,
    /// Bytes a second; published in MB/s of 10^6 bytes.
    pub(crate) throughput: u64,
}

/// Equal local disks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Disks {
    /// How many.
    pub(crate) count: u64,
    /// Size of each in GB of 10^9 bytes, as published.
    pub(crate) gb: u64,
    /// `ssd` or `hdd`.
    pub(crate) kind: String,
}

impl Disks {
    /// Bytes of one, in whole MiB.
    pub(crate) fn size(&self) -> u64 {
        let bytes = self.gb.saturating_mul(1_000_000_000);
        bytes - bytes % MIB
    }
}

impl Instance {
    /// `r5n.24xlarge`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// `r5n`.
    pub(crate) fn family(&self) -> &str {
        self.name.split('.').next().unwrap_or(&self.name)
    }

    /// Whether it runs on the Nitro System.
    pub(crate) fn is_nitro(&self) -> bool {
        self.platform != Platform::Xen
    }

    /// Baseline and maximum of its EBS limits, where they are published.
    pub(crate) fn ebs(&self) -> Option<(EbsRate, EbsRate)> {
        self.ebs
    }

    /// Its local disks, if it has any.
    pub(crate) fn disks(&self) -> Option<&Disks> {
        self.disks.as_ref()
    }

    /// Reads and writes of 4 KiB a second of one local disk, where they are
    /// published.
    pub(crate) fn disk_iops(&self) -> Option<(u64, u64)> {
        let (reads, writes) = self.store_iops?;
        let count = self.disks()?.count.max(1);
        Some((reads / count, writes / count))
    }

    /// When its figures were seen first. Nothing is known of older ones.
    pub(crate) fn period(&self) -> Period {
        Period {
            observed: self.observed,
            valid_from: None,
            valid_to: None,
        }
    }

    /// The key of its source.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }
}
