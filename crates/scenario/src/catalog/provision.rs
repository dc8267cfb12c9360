//! Whether a rule allows what a user asks of a volume.

use blockyard_model::units::GIB;

use super::amount::grouped;
use super::rate::Given;
use super::rule::VolumeRule;
use super::volume::{IopsRange, SizeRange, ThroughputRange, VolumeRow};
use crate::units::{Size, Throughput};

/// What a user asks of a volume; `None` where nothing was stated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ask {
    pub(crate) size: Option<Size>,
    pub(crate) iops: Option<u64>,
    pub(crate) throughput: Option<Throughput>,
}

/// Why a rule does not allow what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The offending field of the volume: `size`, `iops`, `throughput`, or
    /// `type` where the type itself cannot be had.
    pub(crate) field: &'static str,
    pub(crate) message: String,
}

fn refuse<T>(field: &'static str, message: String) -> Result<T, Refusal> {
    Err(Refusal { field, message })
}

impl VolumeRule<'_> {
    /// What is provisioned if `ask` is asked for.
    pub(crate) fn provision(&self, ask: &Ask) -> Result<Given, Refusal> {
        let mut given = Given {
            size: self.size(ask.size)?,
            ..Given::default()
        };
        given.iops = match (&self.row.iops, ask.iops) {
            (Some(range), asked) => self.iops(range, asked, given.size)?,
            (None, Some(_)) => return self.not_provisioned("iops", "IOPS"),
            (None, None) => 0,
        };
        given.throughput = match (&self.row.throughput, ask.throughput) {
            (Some(range), asked) => self.throughput(range, asked, given.iops)?,
            (None, Some(_)) => return self.not_provisioned("throughput", "throughput"),
            (None, None) => 0,
        };
        if self.row.local {
            given.disk = self.disk()?;
        }
        Ok(given)
    }

    fn size(&self, asked: Option<Size>) -> Result<u64, Refusal> {
        let name = self.name;
        let Some(SizeRange { min, max, step }) = self.row.size else {
            let size = self.local_disk_size()?;
            return match asked {
                None => Ok(size),
                Some(_) => refuse(
                    "size",
                    format!("the instance sets the size of `{name}`; leave `size` out"),
                ),
            };
        };
        let Some(asked) = asked else {
            return refuse("size", format!("`{name}` needs `size`, {min} to {max}"));
        };
        if !(min..=max).contains(&asked) {
            let allowed = format!("sizes of {min} to {max}");
            let fits = |row: &VolumeRow| row.size.is_some_and(|s| (s.min..=s.max).contains(&asked));
            return refuse("size", self.beyond(&allowed, &asked.to_string(), fits));
        }
        if !asked.bytes().is_multiple_of(step.bytes()) {
            return refuse(
                "size",
                format!("`{name}` comes in steps of {step}, not {asked}"),
            );
        }
        Ok(asked.bytes())
    }

    fn iops(&self, range: &IopsRange, asked: Option<u64>, size: u64) -> Result<u64, Refusal> {
        let IopsRange { min, max, .. } = *range;
        let Some(asked) = asked.or(range.default) else {
            let (min, max) = (grouped(min), grouped(max));
            return refuse(
                "iops",
                format!("`{}` needs `iops`, {min} to {max}", self.name),
            );
        };
        if !(min..=max).contains(&asked) {
            let allowed = format!("{} to {} IOPS", grouped(min), grouped(max));
            let fits = |row: &VolumeRow| row.iops.is_some_and(|r| (r.min..=r.max).contains(&asked));
            return refuse("iops", self.beyond(&allowed, &grouped(asked), fits));
        }
        // The minimum is for every size, whatever the ratio.
        let most = (size / GIB).saturating_mul(range.max_per_gib).max(min);
        if asked > most {
            let allowed = format!("at most {} IOPS per GiB", grouped(range.max_per_gib));
            let needed = Size::new(asked.div_ceil(range.max_per_gib.max(1)) * GIB);
            let remedy = format!(
                "{} IOPS need a size of {needed} or more, not {}",
                grouped(asked),
                Size::new(size)
            );
            return refuse("iops", format!("{}; {remedy}", self.allows(&allowed)));
        }
        Ok(asked)
    }

    fn throughput(
        &self,
        range: &ThroughputRange,
        asked: Option<Throughput>,
        iops: u64,
    ) -> Result<u64, Refusal> {
        let ThroughputRange { min, max, .. } = *range;
        let asked = asked.unwrap_or(range.default);
        if !(min..=max).contains(&asked) {
            let allowed = format!("{min} to {max}");
            let fits = |row: &VolumeRow| {
                row.throughput
                    .is_some_and(|r| (r.min..=r.max).contains(&asked))
            };
            return refuse(
                "throughput",
                self.beyond(&allowed, &asked.to_string(), fits),
            );
        }
        let ratio = range.max_per_iops.bytes_per_s();
        if asked.bytes_per_s() > iops.saturating_mul(ratio) {
            let allowed = format!("at most {} per provisioned IOPS", range.max_per_iops);
            let needed = grouped(asked.bytes_per_s().div_ceil(ratio));
            let remedy = format!("{asked} needs {needed} IOPS or more, not {}", grouped(iops));
            return refuse("throughput", format!("{}; {remedy}", self.allows(&allowed)));
        }
        Ok(asked.bytes_per_s())
    }

    fn not_provisioned<T>(&self, field: &'static str, what: &str) -> Result<T, Refusal> {
        let name = self.name;
        let why = "its limits follow from what else it has";
        refuse(
            field,
            format!("`{name}` has no provisioned {what}: {why}; leave `{field}` out"),
        )
    }

    fn local_disk_size(&self) -> Result<u64, Refusal> {
        let name = self.name;
        let Some(host) = self.host else {
            return refuse(
                "type",
                format!("`{name}` is a disk of the host; state `host.instance`"),
            );
        };
        match host.disks() {
            Some(disks) => Ok(disks.size()),
            None => refuse("type", format!("`{}` has no instance store", host.name())),
        }
    }

    fn disk(&self) -> Result<(u64, u64), Refusal> {
        match self.host.map(|host| (host, host.disk_iops())) {
            Some((_, Some(iops))) => Ok(iops),
            Some((host, None)) => refuse(
                "type",
                format!(
                    "no IOPS are published for the instance store of `{}`",
                    host.name()
                ),
            ),
            None => Ok((0, 0)),
        }
    }
}
