//! Why a volume is not available, as data and in words.

use std::fmt;

use blockyard_text::grouped;
use blockyard_text::units::{Date, Size};

use crate::bound::Bound;
use crate::offer::Offer;
use crate::source::{Cited, Source};
use crate::volume::{IopsRange, SizeRange};

/// The property of a volume that a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Its type, which is not available at all.
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

/// Why a volume is not available as it was ordered. Prints one line, without the place.
#[derive(Clone, Copy, Debug)]
pub enum Refusal<'a> {
    /// The type was announced after the day.
    NotLaunched {
        /// The volume type.
        volume_type: &'a str,
        /// The day that was asked for.
        day: Date,
        /// The first day of the month in which it was announced.
        launched: Date,
        /// Where the announcement is found.
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
    /// The IOPS of the instance's disks are not published.
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
    /// The size is between two that are available.
    SizeStep {
        /// The volume type.
        volume_type: &'a str,
        /// What was asked.
        asked: Size,
        /// What sizes are multiples of.
        step: Size,
    },
    /// The type does not let this be chosen.
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
    /// A figure exceeds a bound of the rule.
    Beyond {
        /// The rule.
        offer: Offer<'a>,
        /// The figure and its bound.
        bound: Bound<'a>,
    },
}

impl Refusal<'_> {
    /// The property of the volume that would have to change.
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
                "`{volume_type}` was not available on {day}; it launched on {launched}, the earliest as_of ({})",
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
                    "the catalog has no IOPS for the instance store of `{instance}`"
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

impl std::error::Error for Refusal<'_> {}
