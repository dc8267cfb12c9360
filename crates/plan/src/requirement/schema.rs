//! A requirement as a user writes it. These types are its schema: the JSON Schema for editors is
//! generated from them, field descriptions included.

use blockyard_experiment::chance;
use blockyard_scenario::schema::Skew;
use blockyard_text::units::{Date, Duration, Percent, Size, Throughput};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::requirement::choice::{InstanceChoice, RoundTo, VolumeChoice};
use crate::requirement::copies::Replicas;
use crate::requirement::durability::Durability;
use crate::requirement::growth::{Growth, Horizon};
use crate::requirement::range::{Iops, Uncertain};

/// What storage must hold and deliver, and what may be bought for it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Short name; the layout is filed under it.
    #[serde(default = "unnamed")]
    pub name: String,
    /// How much data there is today, without the journal.
    pub size: Uncertain<Size>,
    /// By how much the data grows, as `40%/year`, compounding. The size at the `horizon` is bought.
    pub growth: Option<Growth>,
    /// How long the layout is to do, as `3 years` or `18 months`; with `growth` a year if not
    /// stated.
    pub horizon: Option<Horizon>,
    /// The share of each file system that stays free; if not stated 20%, or `headroom` if that is
    /// more.
    pub free_space: Option<Percent>,
    /// The reads of the data.
    pub reads: Option<Flow>,
    /// The writes of the data.
    pub writes: Option<Flow>,
    /// In place of both the demand by interval, as a `demand` job has it: CSV with the columns
    /// `at`, `reads`, `writes` and `size`, or the name of such a file. It comes back after as many
    /// days as it takes, and credits must last for good.
    pub demand: Option<String>,
    /// A journal (redo log, WAL), written in sequence.
    pub journal: Option<JournalFlow>,
    /// How long the load lasts; by default it never ends, so that only what is sustained counts.
    pub duration: Option<Duration>,
    /// A time in which all of the load is higher.
    pub peak: Option<PeakOf>,
    /// Latencies that must hold.
    #[serde(default)]
    pub latency: Latencies,
    /// How much of what is stored must outlast a year, as `99.999%`. A stripe is lost with any
    /// of its volumes. `ephemeral` if all may be lost when the instance stops: then its own disks
    /// will do.
    pub durability: Option<Durability>,
    /// One instance with its volumes, or a mirror of two in two zones.
    #[serde(default)]
    pub availability: Availability,
    /// Nodes beside the first that get its log, in place of a mirror.
    pub replicas: Option<Replicas>,
    /// Whose prices are meant; by default us-east-1's, which the answer says.
    pub region: Option<String>,
    /// Zones of the region in which the instance type must be offered, by their ids, as `use1-az4`;
    /// by default any one, and any two for a mirror.
    #[serde(default)]
    pub zones: Vec<String>,
    /// The day whose limits and prices hold; by default the newest known.
    pub as_of: Option<Date>,
    /// How instances are paid for: `on-demand`, `1y-no-upfront`, `1y-partial-upfront`,
    /// `1y-all-upfront`, the same with `3y`, or `savings-plan`.
    pub term: Option<String>,
    /// Which instances may be chosen.
    #[serde(default)]
    pub instance: InstanceChoice,
    /// Which volumes may be chosen.
    #[serde(default)]
    pub volumes: VolumeChoice,
    /// What is to be left free of every limit at the highest load; 10% if not stated.
    pub headroom: Option<Percent>,
    /// The probability with which goals hold in the simulation, as volumes of a kind differ: from
    /// 50% to 99%.
    #[serde(default = "usual")]
    pub probability: Percent,
    /// The account's provisioned IOPS for each volume type in the region; by default what AWS
    /// grants an account that has not asked for more.
    #[serde(default)]
    pub quotas: IndexMap<String, u64>,
    /// The account's storage for each volume type in the region, with the same default.
    #[serde(default)]
    pub storage_quotas: IndexMap<String, Size>,
    /// What the figures of volumes are rounded up to.
    #[serde(default)]
    pub round_to: RoundTo,
}

fn unnamed() -> String {
    "plan".into()
}

fn usual() -> Percent {
    Percent::new(chance::USUAL)
}

/// IOs of one kind. Two of `iops`, `throughput` and `io_size` say all three; with one of the
/// first two, `io_size` is 8KiB beside `iops` and 256KiB beside `throughput` if not stated.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// IOs per second.
    pub iops: Option<Uncertain<Iops>>,
    /// Bytes a second.
    pub throughput: Option<Uncertain<Throughput>>,
    /// Bytes of an IO, a multiple of 512B.
    pub io_size: Option<Size>,
    /// The share that continues where the last IO ended; the rest is at random places.
    #[serde(default = "none")]
    pub sequential: Percent,
    /// Which blocks random IOs prefer; by default all are alike. The hottest volume of a stripe
    /// then takes more than its equal share.
    pub skew: Option<Skew>,
}

fn none() -> Percent {
    Percent::new(0)
}

/// The journal and its writes, with the same rule for `iops`, `throughput` and `io_size`; if
/// not stated `io_size` is 16KiB beside `iops` and 64KiB beside `throughput`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalFlow {
    /// How much room it needs.
    pub size: Size,
    /// Writes a second.
    pub iops: Option<Uncertain<Iops>>,
    /// Bytes a second.
    pub throughput: Option<Uncertain<Throughput>>,
    /// Bytes of a write, a multiple of 512B.
    pub io_size: Option<Size>,
    /// Whether it lies on volumes of its own; by default whatever is cheaper.
    pub apart: Option<bool>,
}

/// A time in which all of the load is higher.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeakOf {
    /// The factor, above 1, at most 1000.
    pub times: Times,
    /// How long.
    #[serde(rename = "for")]
    pub lasts: Duration,
    /// How often it comes back.
    #[serde(default = "day")]
    pub every: Duration,
}

fn day() -> Duration {
    Duration::new(crate::load::profile::DAY)
}

/// A factor above 1, at most 1000, in steps of 0.001.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
pub struct Times(f64);

impl TryFrom<f64> for Times {
    type Error = String;

    fn try_from(times: f64) -> Result<Self, String> {
        match times > 1.0 && times <= 1000.0 {
            true => Ok(Self(times)),
            false => Err(format!(
                "`{times}` is out of range; expected above 1, at most 1000"
            )),
        }
    }
}

impl Times {
    /// In 1/1000.
    #[must_use]
    pub fn permille(self) -> u64 {
        (self.0 * 1000.0).round() as u64
    }
}

/// Latencies that must not be exceeded, by quantile: `p50`, `p95`, `p99` or `p99_9`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Latencies {
    /// Of reads of the data.
    #[serde(default)]
    pub read: IndexMap<String, Duration>,
    /// Of writes of the data.
    #[serde(default)]
    pub write: IndexMap<String, Duration>,
    /// Of writes of the journal.
    #[serde(default)]
    pub journal: IndexMap<String, Duration>,
}

/// How many copies there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Availability {
    /// One instance with its volumes.
    #[default]
    Single,
    /// Two instances in two zones, each with all the volumes and able to bear the whole load.
    Mirror,
}
