//! Why a volume is not to be had, as data and in words.

use std::fmt;

use blockyard_text::grouped;
use blockyard_text::units::{Date, Size, Throughput};

use crate::host::HostKind;
use crate::offer::Offer;
use crate::source::{Cited, Source};
use crate::volume::{IopsRange, SizeRange, ThroughputRange};

/// What of a volume a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Its type, which is not to be had at all.
    Type,
    /// Its size.
    Size,
    /// Its provisioned IOPS.
    Iops,
    /// Its provisioned throughput.
    Throughput,
}

impl Field {
    /// Its name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Size => "size",
            Self::Iops => "iops",
            Self::Throughput => "throughput",
        }
    }
}

/// What else could be chosen for the same figure to be allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy<'a> {
    /// This day or an earlier one.
    DayUpTo(Date),
    /// This day or a later one.
    DayFrom(Date),
    /// A host of this kind, or any other one.
    Host(Option<&'a HostKind>),
}

impl fmt::Display for Remedy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DayUpTo(day) => write!(f, "as_of {day} or earlier"),
            Self::DayFrom(day) => write!(f, "as_of {day} or later"),
            Self::Host(Some(kind)) => kind.fmt(f),
            Self::Host(None) => f.write_str("any instance"),
        }
    }
}

/// Why a volume is not to be had as it was asked for. Prints one line, without the
/// place.
#[derive(Clone, Copy, Debug)]
pub enum Refusal<'a> {
    /// The type was announced later.
    NotLaunched {
        /// The volume type.
        volume_type: &'a str,
        /// The day that was asked for.
        day: Date,
        /// The first day of the month in which it was announced.
        launched: Date,
        /// Where that stands.
        source: Option<&'a Source>,
    },
    /// No rule of the type is for such a host.
    NotForHost {
        /// The volume type.
        volume_type: &'a str,
    },
    /// The type is a disk of the host, and no host is stated.
    HostMissing {
        /// The volume type.
        volume_type: &'a str,
    },
    /// The instance has no disks of its own.
    NoLocalDisks {
        /// The instance type.
        instance: &'a str,
    },
    /// What the instance's disks do is not published.
    NoLocalDiskIops {
        /// The instance type.
        instance: &'a str,
    },
    /// The size must be stated.
    SizeMissing {
        /// The volume type.
        volume_type: &'a str,
        /// What may be stated.
        range: &'a SizeRange,
    },
    /// The size must not be stated.
    SizeSetByInstance {
        /// The volume type.
        volume_type: &'a str,
    },
    /// Between two sizes that can be had.
    SizeStep {
        /// The volume type.
        volume_type: &'a str,
        /// What was asked.
        asked: Size,
        /// What sizes are multiples of.
        step: Size,
    },
    /// The type has no such thing to choose.
    NotProvisioned {
        /// The volume type.
        volume_type: &'a str,
        /// IOPS or throughput.
        field: Field,
    },
    /// IOPS must be stated.
    IopsMissing {
        /// The volume type.
        volume_type: &'a str,
        /// What may be stated.
        range: &'a IopsRange,
    },
    /// A figure is out of a bound of the rule.
    Beyond {
        /// The rule.
        offer: Offer<'a>,
        /// The figure and its bound.
        bound: Bound<'a>,
    },
}

/// A figure that a rule does not allow, and what it allows.
#[derive(Clone, Copy, Debug)]
pub enum Bound<'a> {
    /// Too small or too large.
    Size {
        /// What was asked.
        asked: Size,
        /// What it allows.
        range: &'a SizeRange,
        /// What else would allow it.
        remedy: Option<Remedy<'a>>,
    },
    /// Too few or too many IOPS for the type.
    Iops {
        /// What was asked.
        asked: u64,
        /// What it allows.
        range: &'a IopsRange,
        /// What else would allow them.
        remedy: Option<Remedy<'a>>,
    },
    /// Too many IOPS for the size.
    IopsForSize {
        /// What was asked.
        asked: u64,
        /// The volume's size.
        size: Size,
        /// The most IOPS for each GiB.
        max_per_gib: u64,
        /// The smallest size that may have so many.
        needed: Size,
    },
    /// Too little or too much throughput for the type.
    Throughput {
        /// What was asked.
        asked: Throughput,
        /// What it allows.
        range: &'a ThroughputRange,
        /// What else would allow it.
        remedy: Option<Remedy<'a>>,
    },
    /// Too much throughput for the provisioned IOPS.
    ThroughputForIops {
        /// What was asked.
        asked: Throughput,
        /// The volume's provisioned IOPS.
        iops: u64,
        /// The most throughput for each.
        max_per_iops: Throughput,
        /// The fewest IOPS that may have so much.
        needed: u64,
    },
}

impl Refusal<'_> {
    /// What of the volume would have to be another.
    #[must_use]
    pub const fn field(&self) -> Field {
        match self {
            Self::NotLaunched { .. }
            | Self::NotForHost { .. }
            | Self::HostMissing { .. }
            | Self::NoLocalDisks { .. }
            | Self::NoLocalDiskIops { .. } => Field::Type,
            Self::SizeMissing { .. } | Self::SizeSetByInstance { .. } | Self::SizeStep { .. } => {
                Field::Size
            }
            Self::NotProvisioned { field, .. } => *field,
            Self::IopsMissing { .. } => Field::Iops,
            Self::Beyond { bound, .. } => match bound {
                Bound::Size { .. } => Field::Size,
                Bound::Iops { .. } | Bound::IopsForSize { .. } => Field::Iops,
                Bound::Throughput { .. } | Bound::ThroughputForIops { .. } => Field::Throughput,
            },
        }
    }
}

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLaunched {
                volume_type,
                day,
                launched,
                source,
            } => write!(
                f,
                "`{volume_type}` was not to be had on {day}; expected as_of {launched} or later ({})",
                Cited(*source)
            ),
            Self::NotForHost { volume_type } => {
                write!(
                    f,
                    "the catalog has no rule of `{volume_type}` for this host"
                )
            }
            Self::HostMissing { volume_type } => {
                write!(
                    f,
                    "`{volume_type}` is a disk of the host; state `host.instance`"
                )
            }
            Self::NoLocalDisks { instance } => write!(f, "`{instance}` has no instance store"),
            Self::NoLocalDiskIops { instance } => {
                write!(
                    f,
                    "no IOPS are published for the instance store of `{instance}`"
                )
            }
            Self::SizeSetByInstance { volume_type } => write!(
                f,
                "the instance sets the size of `{volume_type}`; leave `size` out"
            ),
            Self::SizeMissing { volume_type, range } => {
                write!(
                    f,
                    "`{volume_type}` needs `size`, {} to {}",
                    range.min, range.max
                )
            }
            Self::SizeStep {
                volume_type,
                asked,
                step,
            } => write!(f, "`{volume_type}` comes in steps of {step}, not {asked}"),
            Self::NotProvisioned { volume_type, field } => {
                let what = if *field == Field::Iops {
                    "IOPS"
                } else {
                    field.name()
                };
                write!(
                    f,
                    "`{volume_type}` has no provisioned {what}: its limits follow from "
                )?;
                write!(f, "what else it has; leave `{}` out", field.name())
            }
            Self::IopsMissing { volume_type, range } => {
                let (min, max) = (grouped(range.min), grouped(range.max));
                write!(f, "`{volume_type}` needs `iops`, {min} to {max}")
            }
            Self::Beyond { offer, bound } => bound.print(f, offer),
        }
    }
}

impl Bound<'_> {
    /// Prints what the rule allows, the rule, and what would be allowed.
    fn print(&self, f: &mut fmt::Formatter<'_>, offer: &Offer<'_>) -> fmt::Result {
        match self {
            Self::Size {
                asked,
                range,
                remedy,
            } => {
                allows(
                    f,
                    offer,
                    format_args!("sizes of {} to {}", range.min, range.max),
                )?;
                beyond(f, asked, remedy.as_ref())
            }
            Self::Iops {
                asked,
                range,
                remedy,
            } => {
                let (min, max) = (grouped(range.min), grouped(range.max));
                allows(f, offer, format_args!("{min} to {max} IOPS"))?;
                beyond(f, &grouped(*asked), remedy.as_ref())
            }
            Self::Throughput {
                asked,
                range,
                remedy,
            } => {
                allows(f, offer, format_args!("{} to {}", range.min, range.max))?;
                beyond(f, asked, remedy.as_ref())
            }
            Self::IopsForSize {
                asked,
                size,
                max_per_gib,
                needed,
            } => {
                let (asked, ratio) = (grouped(*asked), grouped(*max_per_gib));
                allows(f, offer, format_args!("at most {ratio} IOPS per GiB"))?;
                write!(
                    f,
                    "; {asked} IOPS need a size of {needed} or more, not {size}"
                )
            }
            Self::ThroughputForIops {
                asked,
                iops,
                max_per_iops,
                needed,
            } => {
                let (iops, needed) = (grouped(*iops), grouped(*needed));
                let ratio = format_args!("at most {max_per_iops} per provisioned IOPS");
                allows(f, offer, ratio)?;
                write!(f, "; {asked} needs {needed} IOPS or more, not {iops}")
            }
        }
    }
}

/// Prints `gp3 allows … on 2022-11-10 (rule of …, source)`.
fn allows(f: &mut fmt::Formatter<'_>, offer: &Offer<'_>, what: fmt::Arguments<'_>) -> fmt::Result {
    f.write_str(offer.of.name)?;
    if let Some(variant) = &offer.row.variant {
        write!(f, " {variant}")?;
    }
    write!(f, " allows {what}")?;
    if let Some(day) = offer.day {
        write!(f, " on {day}")?;
    }
    write!(
        f,
        " (rule of {}, {})",
        offer.period(),
        Cited(offer.source())
    )
}

/// Prints what was asked and what would allow it.
fn beyond(
    f: &mut fmt::Formatter<'_>,
    asked: &dyn fmt::Display,
    remedy: Option<&Remedy<'_>>,
) -> fmt::Result {
    match remedy {
        Some(remedy) => write!(f, "; {asked} needs {remedy}"),
        None => write!(f, ", not {asked}"),
    }
}

impl std::error::Error for Refusal<'_> {}
