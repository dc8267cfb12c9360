//! All that a plan says: what is wanted, what was found, and what else there is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::cheapest_possible::CheapestPossible;
use crate::answer::existing::Current;
use crate::answer::layout::Layout;
use crate::answer::managed::Managed;
use crate::answer::plan::Plan;
use crate::requirement::needs::Needs;
use crate::uncertain::samples::LeastRegret;

/// A plan, and what it is for.
///
/// Money is in US dollars a month of 730 hours, sizes and throughputs in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// `blockyard/plan/1`.
    pub schema: String,
    /// The requirement's name.
    pub name: String,
    /// The region of the prices.
    pub region: String,
    /// Whether nobody named the region.
    pub region_assumed: bool,
    /// How instances are paid for.
    pub term: String,
    /// What programs are built for; none where that is not asked for.
    pub architecture: Option<String>,
    /// Whether it is said how large the instance must be: its type, processors or memory.
    pub instance_sized: bool,
    /// The instance that there is, and the processors and MiB of memory that are asked for as it
    /// has them; none if the requirement says how large it must be, or nothing is there.
    pub instance_kept: Option<(String, u64, u64)>,
    /// What of a month's load is wanted, of ranges the most likely.
    pub wanted: Load,
    /// What was found.
    #[serde(flatten)]
    pub plan: Plan,
    /// The layout of the least regret; none of a requirement without ranges.
    pub uncertain: Option<LeastRegret>,
    /// What would be cheaper without the preferences that the requirement does not state, and
    /// which of them it breaks; none if nothing is.
    pub cheapest_possible: Option<CheapestPossible>,
    /// What services would charge for the storage, in regions where their prices are known.
    pub managed: Vec<Managed>,
    /// What there is today; none where that is not said.
    pub current: Option<Current>,
    /// The layout that is chosen under its load, as a scenario.
    pub scenario: Option<String>,
    /// What is to be known of a load that was measured; whoever measured it adds that.
    pub notes: Vec<String>,
}

impl Answer {
    /// What to buy: of an uncertain requirement the layout of least regret, else the cheapest; none
    /// if nothing meets the requirement.
    #[must_use]
    pub fn bought(&self) -> Option<&Layout> {
        match &self.uncertain {
            Some(uncertain) => uncertain.layout.as_ref(),
            None => self.plan.best.as_ref(),
        }
    }
}

/// A load by interval in figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ByInterval {
    /// After how many seconds it comes again.
    pub every_s: f64,
    /// IOs of the data a second, over all of it.
    pub mean_iops: f64,
}

/// The load in figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Load {
    /// Bytes of data today.
    pub size: u64,
    /// Bytes of data at the horizon; the same if they do not grow.
    pub size_at_horizon: u64,
    /// When that is, in years; none if the data do not grow.
    pub horizon_years: Option<f64>,
    /// The share of each file system that is to stay free.
    pub free_space: f64,
    /// The most data and journal volumes on an instance; none if as many as can be attached.
    pub at_most: Option<u32>,
    /// Name, IOs a second and bytes of each; of a load by interval those of its busiest.
    pub streams: Vec<(String, u64, u64)>,
    /// How many times that the load is at its highest.
    pub highest: f64,
    /// How long the highest lasts, in seconds; none if it never ends.
    pub lasts_s: Option<f64>,
    /// How the load goes by interval; none of one that is stated by its rates.
    pub by_interval: Option<ByInterval>,
    /// The share of each limit that is to be left free.
    pub headroom: f64,
    /// The share of seeds in which goals must hold when a layout is simulated.
    pub probability: f64,
    /// The streams whose random IOs prefer some blocks.
    pub skewed: Vec<String>,
}

impl Load {
    /// That of `needs`.
    #[must_use]
    pub fn of(needs: &Needs) -> Self {
        let name = |write: bool| if write { "writes" } else { "reads" }.to_owned();
        let data = needs.data.iter();
        let data = data.map(|it| (name(it.write), it.iops, it.io_size));
        let journal = needs.journal.iter().map(|it| &it.stream);
        let journal = journal.map(|it| ("journal".to_owned(), it.iops, it.io_size));
        let skewed = needs.data.iter().filter(|it| it.skew.is_some());
        let profile = &needs.load_profile;
        Self {
            size: needs.growing.map_or(needs.size, |it| it.today),
            size_at_horizon: needs.size,
            horizon_years: needs.growing.map(|it| it.horizon.years()),
            free_space: needs.free_space as f64 / 1000.0,
            at_most: needs.at_most,
            streams: data.chain(journal).collect(),
            highest: profile.peak.map_or(1.0, |it| it.times as f64 / 1000.0),
            lasts_s: profile.lasts.map(|it| it as f64 / 1e9),
            by_interval: profile.demand.as_ref().map(|it| ByInterval {
                every_s: it.every as f64 / 1e9,
                mean_iops: it.mean_iops(),
            }),
            headroom: needs.headroom as f64 / 1000.0,
            probability: needs.probability as f64 / 1000.0,
            skewed: skewed.map(|it| name(it.write)).collect(),
        }
    }
}
