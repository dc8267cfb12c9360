//! Volume types: what may be provisioned of each, and which limits follow.

use blockyard_model::spec::{Applies, Discipline, Unit};
use blockyard_text::units::{Date, Size, Throughput};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::amount::{Amount, ByteUnit};
use crate::depth::Depths;
use crate::discipline::{Disciplines, Order};
use crate::host::HostKinds;
use crate::multi_attach::MultiAttach;
use crate::queues::QueuesOf;
use crate::rate::Rate;
use crate::source::Period;

/// `volumes.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Volumes {
    pub(super) depths: Depths,
    pub(super) disciplines: Disciplines,
    pub(super) hosts: HostKinds,
    /// The first that fits a host applies.
    pub(super) queues: Vec<QueuesOf>,
    pub(super) multi_attach: MultiAttach,
    #[serde(default)]
    pub(super) launched: IndexMap<String, Launch>,
    pub(super) failures: IndexMap<String, Failures>,
    pub(super) types: IndexMap<String, Vec<VolumeRow>>,
}

/// When a volume type became available.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Launch {
    pub(super) day: Date,
    /// Key of the source.
    pub(super) source: String,
}

/// How often volumes of a type fail.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failures {
    /// Of a million volumes in a year, at most.
    pub(super) per_million: u64,
    /// Key of the source.
    pub(super) source: String,
}

/// The rules of a volume type in one period, for some or all hosts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolumeRow {
    /// A name for the variant that these hosts get, `Block Express`.
    pub variant: Option<String>,
    /// The kind of host that the row is for; any host if absent.
    pub host: Option<String>,
    observed: Date,
    valid_from: Option<Date>,
    valid_to: Option<Date>,
    /// Keys of sources, the most telling last.
    pub sources: Vec<String>,
    /// How certain the row is.
    pub confidence: Confidence,
    /// What the row states without documentation, if anything.
    pub assumed: Option<String>,
    /// Why the row may not have held yet on days before it was observed, if that is so.
    pub start_assumed: Option<String>,
    /// Name of the latency profile.
    pub latency: String,
    /// The unit in which the provider states throughput.
    #[serde(default)]
    pub stated_in: ByteUnit,
    /// An IO counts once for each started unit of this size.
    pub counted_in: Size,
    /// Whether byte limits charge whole units.
    #[serde(default)]
    pub whole_units: bool,
    /// Whether it is a disk of the host itself, to which the instance's EBS limits do not
    /// apply.
    #[serde(default)]
    pub local: bool,
    /// In which order its limits serve what waits.
    #[serde(default, with = "Order")]
    pub discipline: Discipline,
    /// Absent where the instance sets the size.
    pub size: Option<SizeRange>,
    /// Absent where IOPS are not provisioned.
    pub iops: Option<IopsRange>,
    /// Absent where throughput is not provisioned.
    pub throughput: Option<ThroughputRange>,
    /// Whether IOPS and throughput may be stated at will; one that is not limits nothing.
    #[serde(default)]
    pub as_stated: bool,
    /// The limits; all hold at once.
    pub limits: Vec<LimitRule>,
}

/// Sizes that are available.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeRange {
    /// The smallest.
    pub min: Size,
    /// The largest.
    pub max: Size,
    /// What sizes are multiples of.
    pub step: Size,
}

/// IOPS that can be provisioned.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IopsRange {
    /// What a volume gets if none are stated; if absent, IOPS must be stated.
    pub default: Option<u64>,
    /// The fewest, which every size may have.
    pub min: u64,
    /// The most.
    pub max: u64,
    /// The most for each GiB of the volume's size.
    pub max_per_gib: u64,
}

/// Throughput that can be provisioned.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThroughputRange {
    /// What a volume gets if none is stated.
    pub default: Throughput,
    /// The least.
    pub min: Throughput,
    /// The most.
    pub max: Throughput,
    /// The most for each provisioned IOPS.
    pub max_per_iops: Throughput,
}

/// One limit that a volume has.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitRule {
    /// Its name, `iops`.
    pub name: String,
    /// What it counts.
    #[serde(with = "UnitName")]
    pub unit: Unit,
    /// Which IOs it counts.
    #[serde(default = "both", with = "AppliesName")]
    pub applies: Applies,
    /// Tokens a second.
    pub rate: Rate,
    /// Name of a depth.
    pub depth: String,
    /// Whether its level is the volume's burst balance.
    #[serde(default)]
    pub credits: bool,
    /// Only volumes smaller than this have the limit.
    pub below: Option<Size>,
    /// An upper bound for hosts that are not of a certain kind.
    pub max_unless: Option<HostCap>,
}

/// The most that hosts which are not of a certain kind reach.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCap {
    /// The kind of host that the bound does not apply to.
    pub host: String,
    /// The most that other hosts reach.
    pub rate: Amount,
}

/// How certain a row is.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Based on the vendor's text, or on data from its API.
    High,
    /// Based on somebody else's transcription.
    Medium,
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

impl VolumeRow {
    /// When the row was seen and held.
    #[must_use]
    pub fn period(&self) -> Period {
        Period {
            observed: self.observed,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
        }
    }

    /// What is assumed for the row to hold on `day`, or without a day today.
    #[must_use]
    pub fn assumed_on(&self, day: Option<Date>) -> Option<&str> {
        let start = self.start_assumed.as_deref();
        let early = start.filter(|_| day.is_some_and(|day| day < self.observed));
        self.assumed.as_deref().or(early)
    }

    /// The key of the source that an error cites; empty for a row without limits.
    pub(super) fn source(&self) -> &str {
        self.sources.last().map_or("", String::as_str)
    }
}
