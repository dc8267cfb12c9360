//! A layout: what is bought, what that costs, and what is left of each limit.

use blockyard_catalog::Ask;
use blockyard_experiment::chance::MetInSeeds;
use blockyard_record::result::ExpectedRange;
use blockyard_text::units::{Size, Throughput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::plan::dollars;
use crate::answer::replication::Replicas;
use crate::market::inter_zone::InterZoneTraffic;

/// An instance with volumes that meets a requirement, or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layout {
    /// The instance type.
    pub instance: String,
    /// What its processors are built for: `x86_64` or `arm64`.
    pub architecture: String,
    /// Whether its processors slow down once their credits are used up.
    pub burstable: bool,
    /// Its virtual processors.
    pub vcpu: u64,
    /// Its memory in MiB.
    pub memory_mib: u64,
    /// The ids of the region's zones in which the type is offered, and how many zones there are;
    /// none where that is not known.
    pub zones: Option<(Vec<String>, usize)>,
    /// How many instances, each with all the volumes: 2 for a mirror across zones.
    pub copies: u32,
    /// Those beside the first, and what goes to them; none of a mirror.
    pub replicas: Option<Replicas>,
    /// The volumes with the data; with the journal too, if that has none of its own.
    pub data: Volumes,
    /// The volumes with the journal, where it has its own.
    pub journal: Option<Volumes>,
    /// What it is made up of, over all copies.
    pub bill: Vec<Item>,
    /// The sum of the bill, in dollars a month.
    pub usd_per_month: f64,
    /// What instances and volumes cost of that, in millionths of a dollar a month, exactly.
    #[serde(skip)]
    pub micros: i64,
    /// In which share of years data is lost with the volumes: with any of a stripe, with all
    /// copies; none if nothing is published of the type's failures.
    pub yearly_loss: Option<f64>,
    /// When it is outgrown; none where nothing is said of growth.
    pub outgrown: Option<Outgrown>,
    /// What the load takes of each limit.
    pub limits: Vec<Use>,
    /// What latency the catalog's profiles give IOs that wait for nothing.
    pub latency: Vec<Estimate>,
    /// The outcome of the simulation with the scenario's own seed; none if it was not simulated.
    pub simulated: Option<Vec<Simulated>>,
    /// In how many seeds all goals hold; none if it was not simulated.
    pub held: Option<MetInSeeds>,
    /// The share of the load of the data that the hottest of its volumes is sized for; none of a
    /// load without skew.
    pub hottest: Option<f64>,
}

/// The outcome of a job of the load in the simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Simulated {
    /// `reads`, `writes` or `journal`.
    pub job: String,
    /// IOs per second.
    pub iops: f64,
    /// The median of the latency in microseconds.
    pub p50_us: f64,
    /// Where 9 of 10 public measurements of such medians lie; none if too few are known.
    pub p50_expected_us: Option<ExpectedRange>,
    /// The 99th percentile of the latency in microseconds.
    pub p99_us: f64,
    /// Where 9 of 10 public measurements of such percentiles lie.
    pub p99_expected_us: Option<ExpectedRange>,
}

/// Equal volumes, striped where they are several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Volumes {
    /// The volume type.
    #[serde(rename = "type")]
    pub volume_type: String,
    /// How many.
    pub count: u32,
    /// Bytes of each.
    pub size: u64,
    /// Provisioned IOs a second of each; none where the type provisions none.
    pub iops: Option<u64>,
    /// Provisioned bytes a second of each; none where the type provisions none.
    pub throughput: Option<u64>,
    /// Whether they are disks of the instance, whose size it sets, and whose content is lost when
    /// it stops.
    pub local: bool,
    /// Bytes on one volume before the next one's turn.
    pub chunk: u64,
}

/// A line of the bill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// What it is for: `r6i.2xlarge`, `gp3 capacity`.
    pub what: String,
    /// How many of it.
    pub count: u64,
    /// In dollars a month.
    pub usd_per_month: f64,
    /// What is assumed for it; none of what is bought.
    pub assumed: Option<String>,
}

/// When a layout is outgrown, if the load grows as the data does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outgrown {
    /// After how many years the data fills the file system, with nothing left free.
    pub data_years: f64,
    /// After how many years the load reaches a limit, with no headroom; none if never.
    pub load_years: Option<f64>,
    /// Which limit that is: whose, and its name.
    pub limit: Option<(String, String)>,
}

/// What a load takes of a limit. Of an instance or volume whose baseline sustains a load without
/// end, the higher limit of its bursts is left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Use {
    /// Whose: `data`, `journal` or `instance`.
    pub owner: String,
    /// The limit's name, `iops`.
    pub limit: String,
    /// What it counts: `io` or `byte`.
    pub unit: String,
    /// What the load takes of it at its highest, a second, without headroom; over all volumes.
    pub used: u64,
    /// What it grants a second, over all volumes.
    pub has: u64,
    /// For how long credits would last if this load went on, in seconds; none of other limits
    /// and where they are sustained.
    pub credits_last_s: Option<f64>,
    /// What is left, of all: 0.1 for a tenth.
    pub left: f64,
}

/// The estimate of a latency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// `read`, `write` or `journal`.
    pub of: String,
    /// The median in microseconds.
    pub p50_us: f64,
    /// The 99th percentile in microseconds.
    pub p99_us: f64,
}

impl Volumes {
    /// As one of them is ordered.
    pub(crate) fn ask(&self) -> Ask {
        Ask {
            size: (!self.local).then(|| Size::new(self.size)),
            iops: self.iops,
            throughput: self.throughput.map(Throughput::new),
        }
    }
}

impl Layout {
    /// Puts what goes from zone to zone on the bill, in the place of what another load sent.
    pub(crate) fn charge(&mut self, inter_zone: Option<&InterZoneTraffic>) {
        self.bill.retain(|item| item.assumed.is_none());
        self.bill.extend(inter_zone.map(|it| Item {
            what: "GiB of traffic between zones".into(),
            count: it.gib,
            usd_per_month: dollars(it.micros),
            assumed: Some(it.assumed.clone()),
        }));
        self.usd_per_month = dollars(self.micros + inter_zone.map_or(0, |it| it.micros));
    }

    /// The worst p99 of its IO, in microseconds: simulated, or else as estimated.
    #[must_use]
    pub fn p99_us(&self) -> f64 {
        if let Some(jobs) = &self.simulated {
            return jobs.iter().map(|it| it.p99_us).fold(0.0, f64::max);
        }
        self.latency.iter().map(|it| it.p99_us).fold(0.0, f64::max)
    }

    /// Whether the same is bought.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let same_volumes = self.data == other.data && self.journal == other.journal;
        same_volumes && self.instance == other.instance
    }

    /// Its volumes and its instance, in words: `2 x gp3 on r6i.large`.
    #[must_use]
    pub fn named(&self) -> String {
        let Volumes {
            count, volume_type, ..
        } = &self.data;
        format!("{count} x {volume_type} on {}", self.instance)
    }

    /// How many volumes it has on each instance.
    #[must_use]
    pub fn volumes(&self) -> u32 {
        self.data.count + self.journal.as_ref().map_or(0, |it| it.count)
    }
}
