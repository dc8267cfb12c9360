//! Volume types: what may be provisioned of each, and which limits follow.

use std::fmt;

use blockyard_model::spec::{Applies, Unit};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::amount::Amount;
use super::depth::Depths;
use super::instance::Instance;
use super::rate::Rate;
use super::source::Period;
use crate::units::{Date, Size, Throughput};

/// `volumes.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Volumes {
    pub(super) depths: Depths,
    #[serde(default)]
    pub(super) launched: IndexMap<String, Launch>,
    pub(super) types: IndexMap<String, Vec<VolumeRow>>,
}

/// Since when a volume type can be had.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Launch {
    pub(super) day: Date,
    /// Key of the source.
    pub(super) source: String,
}

/// The rules of a volume type in one period, for some or all hosts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VolumeRow {
    /// A name for what these hosts get, `Block Express`.
    pub(crate) variant: Option<String>,
    #[serde(default)]
    pub(crate) host: HostRule,
    observed: Date,
    valid_from: Option<Date>,
    valid_to: Option<Date>,
    /// Keys of sources, the most telling last.
    pub(crate) sources: Vec<String>,
    pub(crate) confidence: Confidence,
    /// What of the row is not documented, if anything.
    pub(crate) assumed: Option<String>,
    /// Name of the latency profile.
    pub(crate) latency: String,
    /// An IO counts once for each started unit of this size.
    pub(crate) counted_in: Size,
    /// Whether byte limits are charged whole units.
    #[serde(default)]
    pub(crate) whole_units: bool,
    /// Whether it is a disk of the host itself, which passes no EBS limit of
    /// the instance.
    #[serde(default)]
    pub(crate) local: bool,
    /// Absent where the instance sets the size.
    pub(crate) size: Option<SizeRange>,
    /// Absent where IOPS are not provisioned.
    pub(crate) iops: Option<IopsRange>,
    /// Absent where throughput is not provisioned.
    pub(crate) throughput: Option<ThroughputRange>,
    pub(crate) limits: Vec<LimitRule>,
}

/// Sizes that can be had.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SizeRange {
    pub(crate) min: Size,
    pub(crate) max: Size,
    pub(crate) step: Size,
}

/// IOPS that can be provisioned.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IopsRange {
    /// Without it, IOPS must be stated.
    pub(crate) default: Option<u64>,
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) max_per_gib: u64,
}

/// Throughput that can be provisioned.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThroughputRange {
    pub(crate) default: Throughput,
    pub(crate) min: Throughput,
    pub(crate) max: Throughput,
    pub(crate) max_per_iops: Throughput,
}

/// One limit that a volume has.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LimitRule {
    pub(crate) name: String,
    #[serde(with = "UnitName")]
    pub(crate) unit: Unit,
    #[serde(default = "both", with = "AppliesName")]
    pub(crate) applies: Applies,
    pub(crate) rate: Rate,
    /// Name of a depth.
    pub(crate) depth: String,
    /// Whether its level is the volume's burst balance.
    #[serde(default)]
    pub(crate) credits: bool,
    /// Only volumes smaller than this have the limit.
    pub(crate) below: Option<Size>,
    /// Most of it that instances other than Nitro ones reach.
    pub(crate) max_off_nitro: Option<Amount>,
}

/// How sure a row is.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The vendor's text, or data from its API.
    High,
    /// Somebody else's transcription.
    Medium,
}

/// Which hosts a row is for.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum HostRule {
    #[default]
    Any,
    Nitro,
    Families {
        families: Vec<String>,
    },
}

#[derive(Deserialize)]
#[serde(remote = "Unit", rename_all = "lowercase")]
enum UnitName {
    Io,
    Byte,
}

#[derive(Deserialize)]
#[serde(remote = "Applies", rename_all = "lowercase")]
enum AppliesName {
    Both,
    Reads,
    Writes,
}

fn both() -> Applies {
    Applies::Both
}

impl HostRule {
    /// Whether a host gets the row. One that is not stated is taken for a
    /// Nitro instance of no particular family.
    pub(super) fn fits(&self, host: Option<&Instance>) -> bool {
        match self {
            Self::Any => true,
            Self::Nitro => host.is_none_or(Instance::is_nitro),
            Self::Families { families } => {
                host.is_some_and(|host| families.iter().any(|family| family == host.family()))
            }
        }
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any instance"),
            Self::Nitro => f.write_str("a Nitro instance"),
            Self::Families { families } => match families.as_slice() {
                [family] => write!(f, "an instance of the family {family}"),
                _ => write!(f, "an instance of the families {}", families.join(", ")),
            },
        }
    }
}

impl VolumeRow {
    /// When the row was seen and held.
    pub(crate) fn period(&self) -> Period {
        Period {
            observed: self.observed,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
        }
    }

    /// The key of the source that an error cites.
    pub(super) fn source(&self) -> &str {
        self.sources.last().map_or("", String::as_str)
    }
}
