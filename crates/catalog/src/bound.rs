//! The bound of a rule that an ask exceeds, and the remedy, as data and in
//! words.

use std::fmt;

use blockyard_text::grouped;
use blockyard_text::units::{Date, Size, Throughput};

use crate::host::HostKind;
use crate::offer::Offer;
use crate::volume::{IopsRange, SizeRange, ThroughputRange};

/// What else could be chosen so that the same figure is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy<'a> {
    /// This day or an earlier one.
    DayUpTo(Date),
    /// This day or a later one.
    DayFrom(Date),
    /// A host of this kind; without one, any other host.
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

/// A figure that a rule does not allow, and what the rule allows.
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
        /// The smallest size that may have that many.
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
        /// The most throughput for each of them.
        max_per_iops: Throughput,
        /// The fewest IOPS that may have that much.
        needed: u64,
    },
}

impl Bound<'_> {
    /// Prints what the rule allows, the rule, and what would be allowed.
    pub(crate) fn print(&self, f: &mut fmt::Formatter<'_>, offer: &Offer<'_>) -> fmt::Result {
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
    // What nobody sells has none.
    offer.source().map_or(Ok(()), |source| {
        write!(f, " (rule of {}, {source})", offer.period())
    })
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
