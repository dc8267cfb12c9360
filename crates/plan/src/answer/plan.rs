//! The answer: the cheapest layout, the next best, and why the rest is not among them.

use std::collections::BTreeMap;

use blockyard_catalog::VolumeType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::frontier::{Point, pareto_frontier};
use crate::answer::layout::Layout;
use crate::answer::purchase::describe;
use crate::answer::rejections::{families, nearest_type, why_not};
use crate::market::Market;
use crate::reason::Reason;
use crate::requirement::needs::Needs;
use crate::search::Search;
use crate::search::candidates::Candidate;

/// What to buy, and what else was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The cheapest layout; none if nothing meets the requirement.
    pub best: Option<Layout>,
    /// The cheapest layout with data on each other volume type, cheapest first.
    pub others: Vec<Layout>,
    /// The fewest volumes of the best layout's type that do, on whatever instance; none if that
    /// is the best layout itself.
    pub fewest: Option<Layout>,
    /// All of these by cost and p99, with the Pareto frontier marked.
    pub pareto_frontier: Vec<Point>,
    /// Why no layout has its data on other volume types.
    pub rejected: Vec<Rejected>,
    /// How the families of instances do with the best layout's volume type, or if there is none
    /// with that which comes nearest: those that hold it first, cheapest first.
    pub families: Vec<Family>,
    /// How many instance types were considered.
    pub instances: usize,
    /// How many more would fit and are left out by preferences, by what they are: `previous
    /// generation`, `burstable`, `GPU`, ….
    pub avoided: BTreeMap<String, usize>,
    /// How many of those considered have no known price on these terms, which leaves them out.
    pub unpriced: usize,
    /// Where nothing meets the requirement: how much of its load could be met.
    pub nearest: Option<Nearest>,
    /// Layouts that the limits allow and that missed a goal when they were simulated.
    pub dropped: Vec<Dropped>,
}

/// A layout that missed a goal in the simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dropped {
    /// The layout.
    pub layout: Layout,
    /// The goals that it missed.
    pub reasons: Vec<Reason>,
}

/// A volume type that no layout has its data on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rejected {
    /// The volume type.
    #[serde(rename = "type")]
    pub volume_type: String,
    /// Why: what the layout that came nearest lacks.
    pub reasons: Vec<Reason>,
}

/// How a family of instances does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Family {
    /// Its name, `r6i`.
    pub family: String,
    /// The cheapest instance type that holds it, or that which comes nearest.
    pub instance: String,
    /// What its processors are built for: `x86_64` or `arm64`.
    pub architecture: String,
    /// What the cheapest layout on it costs, in dollars a month; none if none holds it.
    pub usd_per_month: Option<f64>,
    /// In which share of years that layout loses data; none if none holds it, or nothing is
    /// published.
    pub yearly_loss: Option<f64>,
    /// Why none does.
    pub reasons: Vec<Reason>,
}

/// The most of a load that can be met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Nearest {
    /// The share of the load, in 1/1000; 0 if the load is not the reason.
    pub permille: u64,
    /// The cheapest layout that meets so much.
    pub layout: Option<Layout>,
}

/// Plans for a certain requirement.
#[must_use]
pub fn plan(market: &Market<'_>, needs: &Needs) -> Plan {
    match Search::new(market, needs) {
        Ok(search) => found(&search),
        Err(reason) => nothing(market, &reason),
    }
}

/// No layout, whatever it is.
fn nothing(market: &Market<'_>, reason: &Reason) -> Plan {
    let rejected = market.types.iter().map(|volume_type| Rejected {
        volume_type: volume_type.name().to_owned(),
        reasons: vec![reason.clone()],
    });
    Plan {
        best: None,
        others: Vec::new(),
        fewest: None,
        pareto_frontier: Vec::new(),
        rejected: rejected.chain(left_out(market)).collect(),
        families: Vec::new(),
        instances: market.instances.len(),
        avoided: market.avoided.clone(),
        unpriced: market.unpriced(),
        nearest: Some(Nearest {
            permille: 0,
            layout: None,
        }),
        dropped: Vec::new(),
    }
}

fn found(search: &Search<'_, '_>) -> Plan {
    let (market, needs) = (search.market, search.needs);
    let mut candidates: Vec<(usize, Candidate<'_>)> = Vec::new();
    let mut rejected = Vec::new();
    for (volume_type, candidate) in search.by_type().into_iter().enumerate() {
        match candidate {
            Some(candidate) => candidates.push((volume_type, candidate)),
            None => rejected.push(Rejected {
                volume_type: market.types[volume_type].name().to_owned(),
                reasons: why_not(search, volume_type),
            }),
        }
    }
    rejected.extend(left_out(market));
    candidates.sort_by_key(|(number, candidate)| (candidate.key(), market.types[*number].name()));
    let best = candidates.first().copied();
    let fewest = best.and_then(|(volume_type, candidate)| {
        let fewest = search.fewest(volume_type)?;
        (fewest != candidate).then_some(fewest)
    });
    let of_families = best.map_or_else(|| nearest_type(&rejected, market), |(it, _)| Some(it));
    let mut layouts = candidates
        .iter()
        .map(|(_, candidate)| search.described(candidate));
    let mut plan = Plan {
        best: layouts.next(),
        others: layouts.collect(),
        fewest: fewest.map(|candidate| search.described(&candidate)),
        pareto_frontier: Vec::new(),
        rejected,
        families: of_families.map_or_else(Vec::new, |it| families(search, it)),
        instances: market.instances.len(),
        avoided: market.avoided.clone(),
        unpriced: market.unpriced(),
        nearest: best.is_none().then(|| nearest(market, needs)),
        dropped: Vec::new(),
    };
    plan.pareto_frontier = pareto_frontier(&plan);
    plan
}

/// The volume types that the requirement leaves out.
fn left_out(market: &Market<'_>) -> impl Iterator<Item = Rejected> {
    let of = |(volume_type, reason): &(VolumeType<'_>, Reason)| Rejected {
        volume_type: volume_type.name().to_owned(),
        reasons: vec![reason.clone()],
    };
    market.excluded.iter().map(of)
}

/// The cheapest layout alone, without what the load takes of its limits: all that samples of an
/// uncertain requirement ask for.
pub(crate) fn cheapest(market: &Market<'_>, needs: &Needs) -> Option<Layout> {
    let search = Search::new(market, needs).ok()?;
    let candidates = search.by_type().into_iter().flatten();
    let name = |it: &Candidate<'_>| market.variants[it.stored.data.variant].volume_type.name();
    let best = candidates.min_by_key(|candidate| (candidate.key(), name(candidate)))?;
    Some(search.layout(&best))
}

/// How much of the load can be met, to a thousandth.
fn nearest(market: &Market<'_>, needs: &Needs) -> Nearest {
    let met = |permille: u64| cheapest(market, &needs.scaled(permille));
    let (mut low, mut high, mut layout) = (0, 1000, None);
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        match met(middle) {
            Some(found) => (low, layout) = (middle, Some(found)),
            None => high = middle,
        }
    }
    Nearest {
        permille: low,
        layout: layout.map(|it| describe(market, &needs.scaled(low), it)),
    }
}

/// Millionths of a dollar in dollars, rounded to cents.
pub(crate) fn dollars(micros: i64) -> f64 {
    (micros as f64 / 1e4).round() / 100.0
}
