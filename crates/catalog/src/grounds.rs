//! What limits rest on besides their source, as data and in words.

use std::fmt;

use blockyard_model::spec::Queues;
use blockyard_text::units::Date;

use crate::amount::Amount;
use crate::host::HostKind;
use crate::source::{Cited, Source};

/// What must be assumed for a limit to hold on a day behind a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption<'a> {
    /// The catalog's row itself says that this is not documented.
    Undocumented(&'a str),
    /// A volume type's rule is used for a day before it was first seen.
    EarlyRule {
        /// The first day on which it was seen.
        observed: Date,
        /// The day for which it is used.
        day: Date,
    },
    /// An instance's figures are used for a day before they were first seen.
    EarlyFigures {
        /// The first day on which they were seen.
        observed: Date,
        /// The day for which they are used.
        day: Date,
    },
    /// A price is used for a day before it was first seen.
    EarlyPrice {
        /// The first day on which it was seen.
        observed: Date,
        /// The day for which it is used.
        day: Date,
    },
    /// No host is stated, and the limit depends on it.
    NoHost {
        /// What the host is assumed to be.
        taken_for: &'a HostKind,
    },
    /// No stream was measured on disks of an instance's family.
    StreamsLike {
        /// The family.
        family: &'a str,
        /// The family that it is taken for, or `all` for the median of those measured.
        like: &'a str,
    },
    /// The day is later than every source of the catalog.
    AfterAllSources {
        /// The newest day on which any source was seen.
        newest: Date,
        /// The day for which limits are wanted.
        day: Date,
    },
}

impl fmt::Display for Assumption<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undocumented(what) => f.write_str(what),
            Self::EarlyRule { observed, day } => {
                write!(f, "rule first observed {observed} is used for {day}")
            }
            Self::EarlyFigures { observed, day } => {
                write!(f, "figures first observed {observed} are used for {day}")
            }
            Self::EarlyPrice { observed, day } => {
                write!(f, "price first observed {observed} is used for {day}")
            }
            Self::NoHost { taken_for } => {
                write!(f, "no host is stated; {taken_for} is assumed")
            }
            Self::StreamsLike {
                family,
                like: "all",
            } => write!(
                f,
                "no stream was measured on {family}; the median of all families measured is used"
            ),
            Self::StreamsLike { family, like } => write!(
                f,
                "no stream was measured on {family}; that of {like}, whose published IOPS are the \
                 same, is used"
            ),
            Self::AfterAllSources { newest, day } => write!(
                f,
                "the catalog's newest source is of {newest}; limits may have changed by {day}"
            ),
        }
    }
}

/// What else there is to say about a limit; none of it is an assumption about
/// the day or the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note<'a> {
    /// The host limits the volume to less than its own limit.
    Capped {
        /// The host's instance type.
        instance: &'a str,
        /// The kind of host that would allow the volume's own limit.
        not: &'a HostKind,
        /// The most that the host allows.
        most: Amount,
    },
    /// The limit's depth is inferred rather than published.
    DepthInferred {
        /// What it is inferred from.
        reason: &'a str,
        /// Where that stands.
        source: Option<&'a Source>,
    },
    /// What a local disk streams is inferred from its published IOPS.
    StreamsInferred {
        /// How.
        reason: &'a str,
        /// On how many types of the family it was measured, if on any.
        types: Option<u64>,
        /// Where the measurements stand.
        source: Option<&'a Source>,
    },
    /// The hardware queues of the volume's driver are inferred rather than published.
    QueuesInferred {
        /// The queues.
        queues: Queues,
        /// What it is inferred from.
        reason: &'a str,
        /// The measurements that show it.
        rows: &'a [String],
        /// Where those stand.
        source: Option<&'a Source>,
    },
    /// The order in which the volume serves what waits is inferred rather than published.
    DisciplineInferred {
        /// What it is inferred from.
        reason: &'a str,
        /// Where that stands.
        source: Option<&'a Source>,
    },
}

impl fmt::Display for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capped {
                instance,
                not,
                most,
            } => write!(
                f,
                "{instance} is no {} instance, which reach {most} at most",
                not.word()
            ),
            Self::DepthInferred { reason, source } => {
                write!(f, "depth inferred: {reason} ({})", Cited(*source))
            }
            Self::StreamsInferred {
                reason,
                types,
                source,
            } => {
                write!(f, "stream inferred: {reason}")?;
                if let Some(types) = types {
                    write!(f, " of {types} types")?;
                }
                write!(f, " ({})", Cited(*source))
            }
            Self::QueuesInferred {
                queues: Queues { count, tags },
                reason,
                rows,
                source,
            } => {
                let (rows, source) = (rows.join(", "), Cited(*source));
                write!(
                    f,
                    "{count} queues of {tags} inferred: {reason} ({source}; {rows})"
                )
            }
            Self::DisciplineInferred { reason, source } => {
                write!(f, "discipline inferred: {reason} ({})", Cited(*source))
            }
        }
    }
}
