//! Sheets of prices: what one source said on one day of one region.

use blockyard_text::units::{Date, Money, Percent, Throughput};
use serde::Deserialize;

use super::list::Charge;
use super::term::Term;

/// What one source said on one day of one region.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sheet {
    pub(super) region: String,
    pub(super) observed: Date,
    /// Key of the source; of a user's sheet, the source in words.
    pub(super) source: String,
    pub(super) assumed: Option<String>,
    /// What is taken off each of its prices; of a user's sheet only.
    pub(super) discount: Option<Percent>,
    #[serde(default)]
    pub(super) volumes: Vec<VolumePrice>,
    #[serde(default)]
    pub(super) instances: Vec<InstancePrice>,
    /// For a GiB and month.
    pub(super) snapshots: Option<Money>,
    /// For a GiB that crosses from one zone to another, in and out together.
    pub(super) cross_zone: Option<Money>,
}

/// What a volume type costs in a month.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VolumePrice {
    #[serde(rename = "type")]
    pub(super) name: String,
    /// For a GiB.
    pub(super) capacity: Option<Money>,
    /// For an IO a second; each price for what lies above its bound.
    #[serde(default)]
    pub(super) iops: Vec<IopsTier>,
    /// For a MiB a second.
    #[serde(default)]
    pub(super) throughput: Vec<ThroughputTier>,
    /// For a million IO requests.
    pub(super) requests: Option<Money>,
}

/// What an IO a second above a bound costs in a month.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IopsTier {
    #[serde(default)]
    pub(super) above: u64,
    pub(super) price: Money,
}

/// What a MiB a second above a bound costs in a month.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ThroughputTier {
    pub(super) above: Option<Throughput>,
    pub(super) price: Money,
}

/// What an hour of an instance type costs. What is paid in advance for a reserved one is spread
/// over the hours of its one or three years.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InstancePrice {
    #[serde(rename = "type")]
    pub(super) name: String,
    pub(super) on_demand: Option<Money>,
    pub(super) no_upfront: Option<Money>,
    pub(super) partial_upfront: Option<Money>,
    pub(super) all_upfront: Option<Money>,
    pub(super) no_upfront_3y: Option<Money>,
    pub(super) partial_upfront_3y: Option<Money>,
    pub(super) all_upfront_3y: Option<Money>,
    pub(super) savings_plan: Option<Money>,
    /// What EBS optimization adds to each of these.
    pub(super) ebs_optimized: Option<Money>,
}

impl InstancePrice {
    /// One with a single price.
    pub(super) fn at(name: &str, term: Term, price: Money) -> Self {
        let mut instance = Self {
            name: name.to_owned(),
            ..Self::default()
        };
        *instance.place(term) = Some(price);
        instance
    }

    pub(super) fn of(&self, term: Term) -> Option<Money> {
        match term {
            Term::OnDemand => self.on_demand,
            Term::NoUpfront => self.no_upfront,
            Term::PartialUpfront => self.partial_upfront,
            Term::AllUpfront => self.all_upfront,
            Term::NoUpfront3y => self.no_upfront_3y,
            Term::PartialUpfront3y => self.partial_upfront_3y,
            Term::AllUpfront3y => self.all_upfront_3y,
            Term::SavingsPlan => self.savings_plan,
        }
    }

    fn place(&mut self, term: Term) -> &mut Option<Money> {
        match term {
            Term::OnDemand => &mut self.on_demand,
            Term::NoUpfront => &mut self.no_upfront,
            Term::PartialUpfront => &mut self.partial_upfront,
            Term::AllUpfront => &mut self.all_upfront,
            Term::NoUpfront3y => &mut self.no_upfront_3y,
            Term::PartialUpfront3y => &mut self.partial_upfront_3y,
            Term::AllUpfront3y => &mut self.all_upfront_3y,
            Term::SavingsPlan => &mut self.savings_plan,
        }
    }
}

impl Sheet {
    /// One without prices.
    pub(super) fn empty(region: &str, observed: Date, source: &str) -> Self {
        Self {
            region: region.to_owned(),
            observed,
            source: source.to_owned(),
            assumed: None,
            discount: None,
            volumes: Vec::new(),
            instances: Vec::new(),
            snapshots: None,
            cross_zone: None,
        }
    }

    /// What it states of a volume type.
    pub(super) fn volume(&self, name: &str) -> Option<&VolumePrice> {
        self.volumes.iter().find(|volume| volume.name == name)
    }

    /// That, if it says what a charge costs.
    pub(super) fn stating(&self, name: &str, charge: Charge) -> Option<&VolumePrice> {
        self.volume(name).filter(|prices| prices.states(charge))
    }
}

impl VolumePrice {
    /// What a charge costs, tier by tier; nothing where that is not stated.
    pub(super) fn tiers(&self, charge: Charge) -> Vec<Tier> {
        let tier = |above, price| Tier { above, price };
        match charge {
            Charge::Capacity => self
                .capacity
                .map(|price| tier(0, price))
                .into_iter()
                .collect(),
            Charge::Iops => self
                .iops
                .iter()
                .map(|it| tier(it.above, it.price))
                .collect(),
            Charge::Throughput => {
                let tiers = self.throughput.iter();
                tiers.map(|it| tier(it.above(), it.price)).collect()
            }
        }
    }

    /// Whether it says what a charge costs.
    pub(super) fn states(&self, charge: Charge) -> bool {
        match charge {
            Charge::Capacity => self.capacity.is_some(),
            Charge::Iops => !self.iops.is_empty(),
            Charge::Throughput => !self.throughput.is_empty(),
        }
    }
}

/// A price of a charge for what lies above a bound.
pub(super) struct Tier {
    /// Bytes, IOs a second or bytes a second.
    pub(super) above: u64,
    pub(super) price: Money,
}

impl ThroughputTier {
    /// Bytes a second that it does not price.
    pub(super) fn above(&self) -> u64 {
        self.above.map_or(0, Throughput::bytes_per_s)
    }
}
