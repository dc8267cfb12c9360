//! What a volume may be asked for, and what limits it then has.

use blockyard_model::spec::{Applies, Unit};
use blockyard_model::units::GIB;
use blockyard_text::units::{Size, Throughput};

use crate::grounds::{Assumption, Note};
use crate::instance::DiskIops;
use crate::offer::Offer;
use crate::refusal::{Bound, Field, Refusal};
use crate::volume::{IopsRange, LimitRule, SizeRange, ThroughputRange};

/// What is asked of a volume; `None` where nothing is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// Its size.
    pub size: Option<Size>,
    /// Provisioned IOs a second.
    pub iops: Option<u64>,
    /// Provisioned bytes a second.
    pub throughput: Option<Throughput>,
}

/// What a volume gets: what was asked for, or what its type includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provisioned {
    /// Its size.
    pub size: Size,
    /// IOs a second; none where the type provisions none.
    pub iops: Option<u64>,
    /// Bytes a second; none where the type provisions none.
    pub throughput: Option<Throughput>,
    /// What one local disk of the host does.
    pub(crate) disk: Option<DiskIops>,
}

/// What a volume is limited to.
#[derive(Clone, Debug)]
pub struct Limits<'a> {
    /// The rule that they follow from.
    pub offer: Offer<'a>,
    /// What the volume gets.
    pub provisioned: Provisioned,
    /// The limits; all hold at once.
    pub limits: Vec<Limit<'a>>,
}

/// One limit, a token bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit<'a> {
    /// Its name within its owner, `iops`.
    pub name: &'a str,
    /// What it counts.
    pub unit: Unit,
    /// Which IOs it counts.
    pub applies: Applies,
    /// Tokens a second, at least 1.
    pub rate: u64,
    /// Tokens that it holds when it is full, at least 1.
    pub depth: u64,
    /// Whether its level is what users know as burst balance.
    pub credits: bool,
    /// What has to be assumed for it to hold; empty where nothing has.
    pub assumptions: Vec<Assumption<'a>>,
    /// What else there is to say of it.
    pub notes: Vec<Note<'a>>,
}

impl<'a> Offer<'a> {
    /// What a volume is limited to if `ask` is asked for.
    ///
    /// # Errors
    /// The offer does not allow it; the refusal names the field and the bound.
    pub fn limits(&self, ask: &Ask) -> Result<Limits<'a>, Refusal<'a>> {
        let provisioned = self.provision(ask)?;
        let rules = self.row.limits.iter();
        let limits = rules
            .filter(|rule| rule.below.is_none_or(|size| provisioned.size < size))
            .map(|rule| self.limit(rule, &provisioned));
        Ok(Limits {
            offer: *self,
            provisioned,
            limits: limits.collect(),
        })
    }

    fn limit(&self, rule: &'a LimitRule, provisioned: &Provisioned) -> Limit<'a> {
        let volumes = &self.of.catalog.volumes;
        let mut assumptions = self.assumptions();
        assumptions.extend(self.of.catalog.outdated(self.day));
        let mut notes = Vec::new();
        let mut rate = rule.rate.apply(provisioned);
        let cap = rule.max_unless.as_ref();
        if let Some(cap) = cap.filter(|cap| cap.rate.per_s < rate)
            && let Some(kind) = volumes.hosts.get(&cap.host)
        {
            match self.host {
                Some(host) if !kind.fits(self.host) => {
                    rate = cap.rate.per_s;
                    notes.push(Note::Capped {
                        instance: host.name(),
                        not: kind,
                        most: cap.rate,
                    });
                }
                Some(_) => {}
                None => assumptions.push(Assumption::NoHost { taken_for: kind }),
            }
        }
        // A checked catalog has every depth that its limits name.
        let depth = volumes.depths.get(&rule.depth);
        notes.extend(depth.and_then(|depth| depth.note(&self.of.catalog.sources)));
        Limit {
            name: &rule.name,
            unit: rule.unit,
            applies: rule.applies,
            rate,
            depth: depth.map_or(rate, |depth| depth.tokens(rate, provisioned.size.bytes())),
            credits: rule.credits,
            assumptions,
            notes,
        }
    }

    fn provision(&self, ask: &Ask) -> Result<Provisioned, Refusal<'a>> {
        let size = self.size(ask.size)?;
        let iops = match (&self.row.iops, ask.iops) {
            (Some(range), asked) => Some(self.iops(range, asked, size)?),
            (None, Some(_)) => return Err(self.not_provisioned(Field::Iops)),
            (None, None) => None,
        };
        let throughput = match (&self.row.throughput, ask.throughput) {
            (Some(range), asked) => Some(self.throughput(range, asked, iops.unwrap_or(0))?),
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
        // The minimum is for every size, whatever the ratio.
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

    fn disk(&self) -> Result<Option<DiskIops>, Refusal<'a>> {
        let Some(host) = self.host else {
            return Ok(None);
        };
        let unpublished = Refusal::NoLocalDiskIops {
            instance: host.name(),
        };
        host.disk_iops().map(Some).ok_or(unpublished)
    }
}
