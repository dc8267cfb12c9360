//! Instance types as rows to print.

use blockyard_catalog::{Catalog, HostRate, Instance};
use blockyard_model::units::MIB;
use blockyard_text::units::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::{in_full, matches};

/// One instance type.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InstanceType")]
pub(crate) struct Row<'a> {
    /// The instance type, `r5n.24xlarge`.
    #[serde(rename = "type")]
    instance_type: &'a str,
    /// Virtual processors.
    vcpu: u64,
    /// MiB of memory.
    memory_mib: u64,
    /// Whether it runs on the Nitro System, bare metal included.
    nitro: bool,
    /// EBS limits that always hold; none where none are published.
    baseline: Option<Rate>,
    /// EBS limits while burst credits last; equal to the baseline on types
    /// that do not burst.
    maximum: Option<Rate>,
    /// Local disks, `2 x 1900 GB ssd`; empty for none.
    instance_store: String,
    /// 4 KiB reads and writes a second of one local disk; none where not published.
    disk_iops: Option<(u64, u64)>,
    /// MiB a second that one local disk streams, reads and writes, in proportion to its IOPS.
    disk_mib_per_s: Option<(f64, f64)>,
    /// Whose proportion that is, where none was measured on the instance's family: another family,
    /// or the median of all; none if it was measured, or there is none.
    disk_mib_per_s_assumed_as: Option<&'a str>,
    /// The first day on which a source shows the EBS limits.
    observed: Date,
    /// That source.
    source: String,
    /// Whether the figures are taken for a day before they were observed.
    assumed: bool,
}

/// A level of an instance's EBS limits.
#[derive(Debug, Serialize, JsonSchema)]
struct Rate {
    /// IOs of 16 KiB a second.
    iops: u64,
    /// Mbit/s.
    mbps: u64,
    /// MB/s of 10^6 bytes.
    mb_per_s: f64,
}

/// The instance types whose name contains `filter`, whatever its case, by name;
/// with a day, whether their figures are assumed for it.
///
/// # Errors
/// Nothing matches; names the nearest type.
pub(super) fn rows<'a>(
    catalog: &'a Catalog,
    day: Option<Date>,
    filter: Option<&str>,
) -> Result<Vec<Row<'a>>, String> {
    let all = catalog.instances().iter();
    let rows: Vec<Row<'_>> = all
        .filter(|instance| matches(instance.name(), filter))
        .map(|instance| row(catalog, instance, day))
        .collect();
    match filter {
        Some(filter) if rows.is_empty() => catalog
            .instance(filter)
            .map_or_else(|unknown| Err(unknown.to_string()), |_| Ok(rows)),
        _ => Ok(rows),
    }
}

fn row<'a>(catalog: &'a Catalog, instance: &'a Instance, day: Option<Date>) -> Row<'a> {
    let nitro = catalog.host_kind("nitro");
    let disk = instance.disk_rates();
    let (levels, observed) = (instance.levels(day), instance.observed(day));
    Row {
        instance_type: instance.name(),
        vcpu: instance.vcpu(),
        memory_mib: instance.memory_mib(),
        nitro: nitro.is_some_and(|kind| kind.fits(Some(instance))),
        baseline: levels.map(|levels| Rate::from(levels.baseline)),
        maximum: levels.map(|levels| Rate::from(levels.maximum)),
        instance_store: instance.disks().map_or_else(String::new, |disks| {
            format!("{} x {} GB {}", disks.count, disks.gb, disks.kind)
        }),
        disk_iops: disk.map(|disk| (disk.reads, disk.writes)),
        disk_mib_per_s: disk.map(|disk| (mib(disk.read_bytes), mib(disk.write_bytes))),
        disk_mib_per_s_assumed_as: instance.streams_like(),
        observed,
        source: catalog
            .source_of(instance, day)
            .map_or_else(String::new, in_full),
        assumed: day.is_some_and(|day| day < observed),
    }
}

/// Bytes as MiB.
fn mib(bytes: u64) -> f64 {
    bytes as f64 / MIB as f64
}

impl From<HostRate> for Rate {
    fn from(rate: HostRate) -> Self {
        Self {
            iops: rate.iops,
            mbps: rate.mbps,
            mb_per_s: rate.throughput as f64 / 1e6,
        }
    }
}
