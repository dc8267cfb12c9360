//! The catalog as rows to print.

use serde::Serialize;

use super::amount::grouped;
use super::instance::{EbsRate, Instance};
use super::volume::{Confidence, LimitRule, VolumeRow};
use super::{Catalog, unknown};
use crate::units::Date;

/// One rule of a volume type, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VolumeListing {
    /// The volume type, `gp3`.
    #[serde(rename = "type")]
    pub volume_type: String,
    /// What these hosts get, `Block Express`, where it has a name.
    pub variant: Option<String>,
    /// Which hosts the rule is for.
    pub host: String,
    /// Sizes that can be had.
    pub size: String,
    /// IOPS that can be provisioned; empty where none are.
    pub iops: String,
    /// Throughput that can be provisioned; empty where none is.
    pub throughput: String,
    /// The limits that a volume has, one each.
    pub limits: Vec<String>,
    /// Size of the unit in which IOs are counted.
    pub counted_in: String,
    /// Name of the latency profile.
    pub latency: String,
    /// What the latency profile's values rest on, one each.
    pub latency_basis: Vec<String>,
    /// The first day on which a source shows the rule.
    pub observed: Date,
    /// The day it came into force, where that is known.
    pub valid_from: Option<Date>,
    /// Its last day, where it has been replaced.
    pub valid_to: Option<Date>,
    /// Where the figures come from.
    pub sources: Vec<String>,
    /// How sure they are.
    pub confidence: Confidence,
    /// What of the rule is assumed, if anything.
    pub assumed: Option<String>,
    /// Provisioned IOPS of the type that an account may have in a region by
    /// default, with its source; absent where none is known.
    pub default_quota: Option<String>,
}

/// One instance type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InstanceListing {
    /// The instance type, `r5n.24xlarge`.
    #[serde(rename = "type")]
    pub instance_type: String,
    /// Virtual CPUs.
    pub vcpu: u64,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Whether it runs on the Nitro System, bare metal included.
    pub nitro: bool,
    /// EBS limits that always hold; absent where none are published.
    pub baseline: Option<EbsListing>,
    /// EBS limits while burst credits last; equal to the baseline on types
    /// that do not burst.
    pub maximum: Option<EbsListing>,
    /// Local disks, `2 x 1900 GB ssd`; empty for none.
    pub instance_store: String,
    /// 4 KiB reads and writes a second of one local disk, where published.
    pub disk_iops: Option<(u64, u64)>,
    /// The first day on which a source shows the EBS limits.
    pub observed: Date,
    /// That source.
    pub source: String,
    /// Whether the figures are taken for a day before they were observed.
    pub assumed: bool,
}

/// A level of an instance's EBS limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EbsListing {
    /// IOs of 16 KiB a second.
    pub iops: u64,
    /// Mbit/s.
    pub mbps: u64,
    /// MB/s of 10^6 bytes.
    pub mb_per_s: f64,
}

impl Catalog {
    /// The volume types whose name or variant contains `filter`, whatever its
    /// case: all rules, or with a day those that held.
    ///
    /// # Errors
    /// Nothing matches; names the nearest type. Or what matches was not to be
    /// had on the day.
    pub fn volumes(
        &self,
        day: Option<Date>,
        filter: Option<&str>,
    ) -> Result<Vec<VolumeListing>, String> {
        let mut listings = Vec::new();
        let mut too_early = None;
        for (name, rows) in &self.volumes.types {
            let variants = rows.iter().filter_map(|row| row.variant.as_deref());
            if !std::iter::once(name.as_str())
                .chain(variants)
                .any(|text| matches(text, filter))
            {
                continue;
            }
            let listed = rows
                .iter()
                .filter(|row| day.is_none() || row.period().holds(day));
            listings.extend(listed.map(|row| self.volume_listing(name, row, None)));
            if let Err(message) = self.check_launched(name, day) {
                too_early = Some(message);
                continue;
            }
            if let Some(day) = day.filter(|day| !rows.iter().any(|r| r.period().holds(Some(*day))))
            {
                let earliest = rows.iter().min_by_key(|row| row.period().start());
                let early = format!("the earliest rule, used for {day}");
                listings.extend(earliest.map(|row| self.volume_listing(name, row, Some(early))));
            }
        }
        match too_early {
            Some(message) if listings.is_empty() => Err(message),
            _ => found(listings, "volume type", filter, self.volume_types()),
        }
    }

    fn volume_listing(&self, name: &str, row: &VolumeRow, early: Option<String>) -> VolumeListing {
        let period = row.period();
        let assumed: Vec<String> = row.assumed.iter().cloned().chain(early).collect();
        let profile = self.profiles.get(&row.latency);
        VolumeListing {
            volume_type: name.to_owned(),
            variant: row.variant.clone(),
            host: row.host.to_string(),
            size: match row.size {
                Some(size) => format!("{} to {}", size.min, size.max),
                None => "set by the instance".to_owned(),
            },
            iops: row.iops.map_or_else(String::new, |range| {
                let (min, max) = (grouped(range.min), grouped(range.max));
                format!("{min} to {max}, at most {} per GiB", range.max_per_gib)
            }),
            throughput: row.throughput.map_or_else(String::new, |range| {
                let (min, max) = (range.min, range.max);
                format!("{min} to {max}, at most {} per IOPS", range.max_per_iops)
            }),
            limits: row.limits.iter().map(limit_text).collect(),
            counted_in: row.counted_in.to_string(),
            latency: row.latency.clone(),
            latency_basis: profile.map_or_else(Vec::new, |profile| profile.basis.clone()),
            observed: period.observed,
            valid_from: period.valid_from,
            valid_to: period.valid_to,
            sources: row
                .sources
                .iter()
                .map(|key| self.sources.cite_in_full(key))
                .collect(),
            confidence: row.confidence,
            assumed: (!assumed.is_empty()).then(|| assumed.join("; ")),
            default_quota: self.quotas.iops.get(name).map(|iops| {
                let source = self.sources.cite_in_full(&self.quotas.source);
                format!("{} IOPS a region ({source})", grouped(*iops))
            }),
        }
    }

    /// The instance types whose name contains `filter`, whatever its case, by
    /// name; with a day, whether their figures are assumed for it.
    ///
    /// # Errors
    /// Nothing matches; names the nearest type.
    pub fn instances(
        &self,
        day: Option<Date>,
        filter: Option<&str>,
    ) -> Result<Vec<InstanceListing>, String> {
        let listings = self
            .instances
            .iter()
            .filter(|instance| matches(instance.name(), filter))
            .map(|instance| self.instance_listing(instance, day))
            .collect();
        let names = self.instances.iter().map(Instance::name);
        found(listings, "instance type", filter, names)
    }

    fn instance_listing(&self, instance: &Instance, day: Option<Date>) -> InstanceListing {
        let ebs = instance.ebs();
        InstanceListing {
            instance_type: instance.name().to_owned(),
            vcpu: instance.vcpu,
            memory_mib: instance.memory_mib,
            nitro: instance.is_nitro(),
            baseline: ebs.map(|(baseline, _)| baseline.into()),
            maximum: ebs.map(|(_, maximum)| maximum.into()),
            instance_store: instance.disks().map_or_else(String::new, |disks| {
                format!("{} x {} GB {}", disks.count, disks.gb, disks.kind)
            }),
            disk_iops: instance.disk_iops(),
            observed: instance.period().observed,
            source: self.sources.cite_in_full(instance.source()),
            assumed: !instance.period().holds(day),
        }
    }
}

impl From<EbsRate> for EbsListing {
    fn from(rate: EbsRate) -> Self {
        Self {
            iops: rate.iops,
            mbps: rate.mbps,
            mb_per_s: rate.throughput as f64 / 1e6,
        }
    }
}

/// `iops_credits: 3 IOPS per 1GiB, at least 100 IOPS; below 1000GiB`.
fn limit_text(limit: &LimitRule) -> String {
    let mut text = format!("{}: {}", limit.name, limit.rate);
    if let Some(size) = limit.below {
        text += &format!("; below {size}");
    }
    if let Some(most) = limit.max_off_nitro {
        text += &format!("; at most {most} without Nitro");
    }
    text
}

fn matches(text: &str, filter: Option<&str>) -> bool {
    filter.is_none_or(|filter| text.to_lowercase().contains(&filter.to_lowercase()))
}

fn found<'a, T>(
    listings: Vec<T>,
    what: &str,
    filter: Option<&str>,
    names: impl Iterator<Item = &'a str>,
) -> Result<Vec<T>, String> {
    match filter {
        Some(filter) if listings.is_empty() => Err(unknown(what, filter, names)),
        _ => Ok(listings),
    }
}
