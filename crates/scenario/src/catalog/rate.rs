//! The closed set of laws that a limit's rate can follow.

use std::fmt;

use blockyard_model::spec::Unit;
use serde::Deserialize;

use super::amount::{Amount, grouped};
use crate::units::Size;

/// A law for a rate. In the catalog's text its first key tells which.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Rate {
    /// The same for every volume.
    Fixed { fixed: Amount },
    /// What was provisioned.
    Provisioned { provisioned: Provision },
    /// Proportional to the volume's size: `per_size` for `each` of it.
    PerSize {
        per_size: Amount,
        each: Size,
        min: Option<Amount>,
        max: Option<Amount>,
    },
    /// Proportional to provisioned IOPS: `per_iops` for `each` of them.
    PerIops {
        per_iops: Amount,
        #[serde(default = "one")]
        each: u64,
        max: Option<Amount>,
    },
    /// In steps of the volume's size; the last step has no `up_to`.
    BySize { by_size: Vec<SizeStep> },
    /// The largest of several laws.
    LargestOf { largest_of: Vec<Rate> },
    /// The share of one local disk in what is published for the instance.
    InstanceStore { instance_store: Direction },
}

/// What can be provisioned beside the size.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Provision {
    Iops,
    Throughput,
}

/// One step of [`Rate::BySize`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SizeStep {
    up_to: Option<Size>,
    rate: Amount,
}

/// One side of an instance store's published figures.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    Reads,
    Writes,
}

/// What laws are applied to. Parts that a type does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    /// The volume's size in bytes.
    pub(crate) size: u64,
    /// Provisioned IOs a second.
    pub(crate) iops: u64,
    /// Provisioned bytes a second.
    pub(crate) throughput: u64,
    /// Reads and writes a second of one local disk.
    pub(crate) disk: (u64, u64),
}

fn one() -> u64 {
    1
}

impl Rate {
    /// Tokens a second, at least 1.
    pub(crate) fn apply(&self, given: &Given) -> u64 {
        self.tokens(given).max(1)
    }

    fn tokens(&self, given: &Given) -> u64 {
        match self {
            Self::Fixed { fixed } => fixed.per_s,
            Self::Provisioned { provisioned } => match provisioned {
                Provision::Iops => given.iops,
                Provision::Throughput => given.throughput,
            },
            Self::PerSize {
                per_size,
                each,
                min,
                max,
            } => {
                let rate = share(per_size.per_s, given.size, each.bytes());
                let rate = max.map_or(rate, |max| rate.min(max.per_s));
                min.map_or(rate, |min| rate.max(min.per_s))
            }
            Self::PerIops {
                per_iops,
                each,
                max,
            } => {
                let rate = share(per_iops.per_s, given.iops, *each);
                max.map_or(rate, |max| rate.min(max.per_s))
            }
            Self::BySize { by_size } => by_size
                .iter()
                .find(|step| step.up_to.is_none_or(|most| given.size <= most.bytes()))
                .map_or(0, |step| step.rate.per_s),
            Self::LargestOf { largest_of } => {
                let rates = largest_of.iter().map(|rate| rate.tokens(given));
                rates.max().unwrap_or(0)
            }
            Self::InstanceStore { instance_store } => match instance_store {
                Direction::Reads => given.disk.0,
                Direction::Writes => given.disk.1,
            },
        }
    }

    /// Whether the law needs this to be provisioned.
    pub(super) fn needs(&self, what: Provision) -> bool {
        match self {
            Self::Provisioned { provisioned } => *provisioned == what,
            Self::PerIops { .. } => what == Provision::Iops,
            Self::LargestOf { largest_of } => largest_of.iter().any(|rate| rate.needs(what)),
            _ => false,
        }
    }

    /// Checks that every amount has the limit's unit, and that the law gives a
    /// rate for every volume.
    pub(super) fn check(&self, unit: Unit) -> Result<(), String> {
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
            Self::InstanceStore { .. } => return Ok(()),
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

/// Prints the law as prose: `3 IOPS per 1GiB, at least 100 IOPS`.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed { fixed } => write!(f, "{fixed}"),
            Self::Provisioned { .. } => f.write_str("as provisioned"),
            Self::PerSize {
                per_size,
                each,
                min,
                max,
            } => {
                write!(f, "{per_size} per {each}")?;
                bounds(f, *min, *max)
            }
            Self::PerIops {
                per_iops,
                each,
                max,
            } => {
                match each {
                    1 => write!(f, "{per_iops} per provisioned IOPS")?,
                    _ => write!(f, "{per_iops} per {} provisioned IOPS", grouped(*each))?,
                }
                bounds(f, None, *max)
            }
            Self::BySize { by_size } => {
                for step in by_size {
                    match step.up_to {
                        Some(size) => write!(f, "{} up to {size}, ", step.rate)?,
                        None => write!(f, "{} above", step.rate)?,
                    }
                }
                Ok(())
            }
            Self::LargestOf { largest_of } => {
                for (index, rate) in largest_of.iter().enumerate() {
                    let joint = if index == 0 { "" } else { "; or, if larger, " };
                    write!(f, "{joint}{rate}")?;
                }
                Ok(())
            }
            Self::InstanceStore { .. } => f.write_str("the instance's, shared by its disks"),
        }
    }
}

fn bounds(f: &mut fmt::Formatter<'_>, min: Option<Amount>, max: Option<Amount>) -> fmt::Result {
    if let Some(min) = min {
        write!(f, ", at least {min}")?;
    }
    if let Some(max) = max {
        write!(f, ", at most {max}")?;
    }
    Ok(())
}
