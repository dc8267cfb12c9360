//! The closed set of laws that a limit's rate can follow.

use blockyard_model::spec::Unit;
use blockyard_text::units::{Size, Throughput};
use serde::Deserialize;

use crate::amount::Amount;
use crate::instance::DiskRates;
use crate::limits::Provisioned;

/// A law for a rate. In the catalog's text, its first key says which one.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rate {
    /// The same for every volume.
    Fixed {
        /// The rate.
        fixed: Amount,
    },
    /// What was provisioned.
    Provisioned {
        /// IOPS or throughput.
        provisioned: Provision,
    },
    /// Proportional to the volume's size: `per_size` for `each` of it.
    PerSize {
        /// The rate of each part.
        per_size: Amount,
        /// The size of a part.
        each: Size,
        /// The least, whatever the size.
        min: Option<Amount>,
        /// The most, whatever the size.
        max: Option<Amount>,
    },
    /// Proportional to provisioned IOPS: `per_iops` for `each` of them.
    PerIops {
        /// The rate of each `each` IOPS.
        per_iops: Amount,
        /// The provisioned IOPS that have this rate.
        #[serde(default = "one")]
        each: u64,
        /// The most, whatever the IOPS.
        max: Option<Amount>,
    },
    /// In steps of the volume's size; the last step has no `up_to`.
    BySize {
        /// The steps, smaller sizes first.
        by_size: Vec<SizeStep>,
    },
    /// The largest of several laws.
    LargestOf {
        /// The laws.
        largest_of: Vec<Rate>,
    },
    /// What one of the instance's local disks does.
    InstanceStore {
        /// Of what.
        instance_store: DiskRate,
    },
}

/// What can be provisioned besides the size.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Provision {
    /// IOs a second.
    Iops,
    /// Bytes a second.
    Throughput,
}

/// One step of [`Rate::BySize`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeStep {
    /// The largest size of the step; none for the last.
    pub up_to: Option<Size>,
    /// The rate of these sizes.
    pub rate: Amount,
}

/// One figure of a local disk.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DiskRate {
    /// Reads a second, as published of all disks of the instance.
    Reads,
    /// Writes a second, likewise.
    Writes,
    /// Bytes read a second, in proportion to the reads.
    ReadBytes,
    /// Bytes written a second, in proportion to the writes.
    WriteBytes,
}

impl DiskRate {
    fn of(self, disk: DiskRates) -> u64 {
        match self {
            Self::Reads => disk.reads,
            Self::Writes => disk.writes,
            Self::ReadBytes => disk.read_bytes,
            Self::WriteBytes => disk.write_bytes,
        }
    }

    fn unit(self) -> Unit {
        match self {
            Self::Reads | Self::Writes => Unit::Io,
            Self::ReadBytes | Self::WriteBytes => Unit::Byte,
        }
    }
}

fn one() -> u64 {
    1
}

impl Rate {
    /// Tokens a second, at least 1.
    pub(crate) fn apply(&self, given: &Provisioned) -> u64 {
        self.tokens(given).max(1)
    }

    fn tokens(&self, given: &Provisioned) -> u64 {
        match self {
            Self::Fixed { fixed } => fixed.per_s,
            Self::Provisioned { provisioned } => match provisioned {
                Provision::Iops => given.iops.unwrap_or(0),
                Provision::Throughput => given.throughput.map_or(0, Throughput::bytes_per_s),
            },
            Self::PerSize {
                per_size,
                each,
                min,
                max,
            } => {
                let rate = share(per_size.per_s, given.size.bytes(), each.bytes());
                let rate = max.map_or(rate, |max| rate.min(max.per_s));
                min.map_or(rate, |min| rate.max(min.per_s))
            }
            Self::PerIops {
                per_iops,
                each,
                max,
            } => {
                let rate = share(per_iops.per_s, given.iops.unwrap_or(0), *each);
                max.map_or(rate, |max| rate.min(max.per_s))
            }
            Self::BySize { by_size } => by_size
                .iter()
                .find(|step| step.up_to.is_none_or(|most| given.size <= most))
                .map_or(0, |step| step.rate.per_s),
            Self::LargestOf { largest_of } => {
                let rates = largest_of.iter().map(|rate| rate.tokens(given));
                rates.max().unwrap_or(0)
            }
            Self::InstanceStore { instance_store } => {
                given.disk.map_or(0, |disk| instance_store.of(disk))
            }
        }
    }

    /// Whether the law depends on what is provisioned of this.
    pub(crate) fn needs(&self, what: Provision) -> bool {
        match self {
            Self::Provisioned { provisioned } => *provisioned == what,
            Self::PerIops { .. } => what == Provision::Iops,
            Self::LargestOf { largest_of } => largest_of.iter().any(|rate| rate.needs(what)),
            _ => false,
        }
    }

    /// Whether it is what a local disk streams, which is not published.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self, Self::InstanceStore { instance_store } if instance_store.unit() == Unit::Byte)
    }

    /// Checks that every amount has the limit's unit, and that the law gives
    /// every volume a rate.
    pub(crate) fn check(&self, unit: Unit) -> Result<(), String> {
        let amounts: Vec<Amount> = match self {
            Self::Fixed { fixed } => vec![*fixed],
            Self::Provisioned { provisioned } => {
                let fits = (*provisioned == Provision::Iops) == (unit == Unit::Io);
                return if fits { Ok(()) } else { Err(wrong_unit(unit)) };
            }
            Self::PerSize {
                per_size, min, max, ..
            } => [Some(*per_size), *min, *max]
                .into_iter()
                .flatten()
                .collect(),
            Self::PerIops { each: 0, .. } => return Err("`each` is 0; expected 1 or more".into()),
            Self::PerIops { per_iops, max, .. } => {
                [Some(*per_iops), *max].into_iter().flatten().collect()
            }
            Self::BySize { by_size } => {
                if by_size.last().is_none_or(|last| last.up_to.is_some()) {
                    return Err("`by_size` needs a last step without `up_to`".into());
                }
                by_size.iter().map(|step| step.rate).collect()
            }
            Self::LargestOf { largest_of } => {
                return largest_of.iter().try_for_each(|rate| rate.check(unit));
            }
            Self::InstanceStore { instance_store } => {
                let fits = instance_store.unit() == unit;
                return if fits { Ok(()) } else { Err(wrong_unit(unit)) };
            }
        };
        if amounts.iter().all(|amount| amount.unit == unit) {
            return Ok(());
        }
        Err(wrong_unit(unit))
    }
}

fn wrong_unit(unit: Unit) -> String {
    match unit {
        Unit::Io => "a limit in IOs has a rate in bytes a second".into(),
        Unit::Byte => "a limit in bytes has a rate in IOs a second".into(),
    }
}

/// `rate` × `part` ÷ `each`, rounded down.
fn share(rate: u64, part: u64, each: u64) -> u64 {
    let exact = u128::from(rate) * u128::from(part) / u128::from(each);
    u64::try_from(exact).unwrap_or(u64::MAX)
}
