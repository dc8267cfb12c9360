//! Whether an offer allows what is asked of a volume.

use blockyard_model::units::GIB;
use blockyard_text::units::{Size, Throughput};

use crate::bound::Bound;
use crate::instance::DiskRates;
use crate::limits::{Ask, Provisioned};
use crate::offer::Offer;
use crate::refusal::{Field, Refusal};
use crate::volume::{IopsRange, SizeRange, ThroughputRange};

impl<'a> Offer<'a> {
    /// What a volume that is ordered as `ask` gets.
    pub(crate) fn provision(&self, ask: &Ask) -> Result<Provisioned, Refusal<'a>> {
        let size = self.size(ask.size)?;
        let iops = match (&self.row.iops, ask.iops) {
            (Some(range), asked) => Some(self.iops(range, asked, size)?),
            (None, Some(1..)) if self.row.as_stated => ask.iops,
            (None, Some(_)) => return Err(self.not_provisioned(Field::Iops)),
            (None, None) => None,
        };
        let throughput = match (&self.row.throughput, ask.throughput) {
            (Some(range), asked) => Some(self.throughput(range, asked, iops.unwrap_or(0))?),
            (None, Some(rate)) if self.row.as_stated && rate.bytes_per_s() > 0 => Some(rate),
            (None, Some(_)) => return Err(self.not_provisioned(Field::Throughput)),
            (None, None) => None,
        };
        Ok(Provisioned {
            size,
            iops,
            throughput,
            disk: if self.row.local { self.disk()? } else { None },
        })
    }

    fn beyond(&self, bound: Bound<'a>) -> Refusal<'a> {
        Refusal::Beyond {
            offer: *self,
            bound,
        }
    }

    fn not_provisioned(&self, field: Field) -> Refusal<'a> {
        Refusal::NotProvisioned {
            volume_type: self.of.name,
            field,
        }
    }

    fn size(&self, asked: Option<Size>) -> Result<Size, Refusal<'a>> {
        let volume_type = self.of.name;
        let Some(range) = &self.row.size else {
            let size = self.local_disk_size()?;
            return match asked {
                None => Ok(size),
                Some(_) => Err(Refusal::SizeSetByInstance { volume_type }),
            };
        };
        let Some(asked) = asked else {
            return Err(Refusal::SizeMissing { volume_type, range });
        };
        let within = |range: SizeRange| (range.min..=range.max).contains(&asked);
        if !within(*range) {
            return Err(self.beyond(Bound::Size {
                asked,
                range,
                remedy: self.remedy(|row| row.size.is_some_and(within)),
            }));
        }
        if !asked.bytes().is_multiple_of(range.step.bytes()) {
            return Err(Refusal::SizeStep {
                volume_type,
                asked,
                step: range.step,
            });
        }
        Ok(asked)
    }

    fn iops(
        &self,
        range: &'a IopsRange,
        asked: Option<u64>,
        size: Size,
    ) -> Result<u64, Refusal<'a>> {
        let Some(asked) = asked.or(range.default) else {
            return Err(Refusal::IopsMissing {
                volume_type: self.of.name,
                range,
            });
        };
        let within = |range: IopsRange| (range.min..=range.max).contains(&asked);
        if !within(*range) {
            return Err(self.beyond(Bound::Iops {
                asked,
                range,
                remedy: self.remedy(|row| row.iops.is_some_and(within)),
            }));
        }
        // Every size may have the minimum, whatever the ratio.
        let most = (size.bytes() / GIB).saturating_mul(range.max_per_gib);
        if asked > most.max(range.min) {
            return Err(self.beyond(Bound::IopsForSize {
                asked,
                size,
                max_per_gib: range.max_per_gib,
                needed: Size::new(asked.div_ceil(range.max_per_gib.max(1)) * GIB),
            }));
        }
        Ok(asked)
    }

    fn throughput(
        &self,
        range: &'a ThroughputRange,
        asked: Option<Throughput>,
        iops: u64,
    ) -> Result<Throughput, Refusal<'a>> {
        let asked = asked.unwrap_or(range.default);
        let within = |range: ThroughputRange| (range.min..=range.max).contains(&asked);
        if !within(*range) {
            return Err(self.beyond(Bound::Throughput {
                asked,
                range,
                remedy: self.remedy(|row| row.throughput.is_some_and(within)),
            }));
        }
        let ratio = range.max_per_iops.bytes_per_s();
        if asked.bytes_per_s() > iops.saturating_mul(ratio) {
            return Err(self.beyond(Bound::ThroughputForIops {
                asked,
                iops,
                max_per_iops: range.max_per_iops,
                needed: asked.bytes_per_s().div_ceil(ratio),
            }));
        }
        Ok(asked)
    }

    fn local_disk_size(&self) -> Result<Size, Refusal<'a>> {
        let host = self.host.ok_or(Refusal::HostMissing {
            volume_type: self.of.name,
        })?;
        match host.disks() {
            Some(disks) => Ok(disks.size()),
            None => Err(Refusal::NoLocalDisks {
                instance: host.name(),
            }),
        }
    }

    fn disk(&self) -> Result<Option<DiskRates>, Refusal<'a>> {
        let Some(host) = self.host else {
            return Ok(None);
        };
        let unpublished = Refusal::NoLocalDiskIops {
            instance: host.name(),
        };
        host.disk_rates().map(Some).ok_or(unpublished)
    }
}
