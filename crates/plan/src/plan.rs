//! The answer: the cheapest layout, the next best, and why the rest is not among them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::layout::Layout;
use crate::market::Market;
use crate::reason::Reason;
use crate::search::{Pick, Search};
use crate::wanted::Wanted;
use crate::why::{families, nearest_type, why_not};
use crate::written::Written;

/// What to buy, and what else was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Plan {
    /// The cheapest layout; none if nothing meets the requirement.
    pub best: Option<Layout>,
    /// The cheapest layout with data on each other volume type, cheapest first.
    pub others: Vec<Layout>,
    /// The fewest volumes of the best layout's type that do, on whatever instance; none if that
    /// is the best layout itself.
    pub fewest: Option<Layout>,
    /// All of these by what they cost and by their p99.
    pub front: Vec<Point>,
    /// Why no layout has its data on other volume types.
    pub rejected: Vec<Rejected>,
    /// How the families of instances do with the best layout's volume type, or if there is none
    /// with that which comes nearest: those that hold it first, cheapest first.
    pub families: Vec<Family>,
    /// How many instance types were considered.
    pub instances: usize,
    /// Where nothing meets the requirement: how much of its load could be met.
    pub nearest: Option<Nearest>,
    /// Layouts that the limits allow and that missed a goal when they were simulated.
    pub dropped: Vec<Dropped>,
}

/// A layout that missed a goal in the simulation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Dropped {
    /// The layout.
    pub layout: Layout,
    /// The goals that it missed.
    pub reasons: Vec<Reason>,
}

/// A layout on the plane of cost and latency.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Point {
    /// The volume type of the data.
    #[serde(rename = "type")]
    pub volume_type: String,
    /// How many volumes, and on what.
    pub name: String,
    /// Dollars a month.
    pub usd_per_month: f64,
    /// The worst p99 of its IO, simulated or else estimated, in microseconds.
    pub p99_us: f64,
    /// Whether no other is both cheaper and faster.
    pub on_front: bool,
}

/// A volume type that no layout has its data on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Rejected {
    /// The volume type.
    #[serde(rename = "type")]
    pub volume_type: String,
    /// Why: what the layout that came nearest lacks.
    pub reasons: Vec<Reason>,
}

/// How a family of instances does.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Family {
    /// Its name, `r6i`.
    pub family: String,
    /// The cheapest instance type that holds it, or that which comes nearest.
    pub instance: String,
    /// What the cheapest layout on it costs, in dollars a month; none if none holds it.
    pub usd_per_month: Option<f64>,
    /// Why none does.
    pub reasons: Vec<Reason>,
}

/// The most of a load that can be met.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Nearest {
    /// The share of the load, in 1/1000; 0 if the load is not the reason.
    pub permille: u64,
    /// The cheapest layout that meets so much.
    pub layout: Option<Layout>,
}

/// Plans for a certain requirement.
#[must_use]
pub fn plan(market: &Market<'_>, wanted: &Wanted) -> Plan {
    let search = Search::new(market, wanted);
    let by_type = search.by_type();
    let mut picks: Vec<(usize, Pick)> = Vec::new();
    let mut rejected = Vec::new();
    for (volume_type, pick) in by_type.iter().enumerate() {
        match pick {
            Some(pick) => picks.push((volume_type, *pick)),
            None => rejected.push(Rejected {
                volume_type: market.types[volume_type].name().to_owned(),
                reasons: why_not(&search, volume_type),
            }),
        }
    }
    rejected.extend(
        market
            .excluded
            .iter()
            .map(|(volume_type, reason)| Rejected {
                volume_type: volume_type.name().to_owned(),
                reasons: vec![reason.clone()],
            }),
    );
    picks.sort_by_key(|(number, pick)| (pick.price, *number));
    let best = picks.first().copied();
    let fewest = best.and_then(|(volume_type, pick)| {
        let fewest = search.fewest(volume_type)?;
        (fewest.stored != pick.stored || fewest.host != pick.host).then_some(fewest)
    });
    let layouts: Vec<Layout> = picks.iter().map(|(_, pick)| search.layout(pick)).collect();
    let of_families = best.map_or_else(|| nearest_type(&rejected, market), |(it, _)| Some(it));
    let families = of_families.map_or_else(Vec::new, |it| families(&search, it));
    let nearest = best.is_none().then(|| nearest(market, wanted));
    let mut layouts = layouts.into_iter();
    let mut plan = Plan {
        best: layouts.next(),
        others: layouts.collect(),
        fewest: fewest.map(|pick| search.layout(&pick)),
        front: Vec::new(),
        rejected,
        families,
        instances: market.instances.len(),
        nearest,
        dropped: Vec::new(),
    };
    plan.front = front(&plan);
    plan
}

impl Plan {
    /// Simulates its layouts. One that misses a goal is dropped; a few other widths of its type
    /// are tried, cheapest first, and then the next type takes its place.
    /// `progress` is told of each before it begins, and says whether to go on.
    ///
    /// # Errors
    /// If a layout cannot be simulated, which does not happen to one that was planned.
    pub fn prove(
        &mut self,
        market: &Market<'_>,
        wanted: &Wanted,
        written: &Written,
        progress: &mut dyn FnMut(&Layout) -> bool,
    ) -> Result<(), String> {
        let layouts = self
            .best
            .take()
            .into_iter()
            .chain(std::mem::take(&mut self.others));
        let mut kept = Vec::new();
        let mut search = None;
        for layout in layouts {
            let (volume_type, width) = (layout.data.volume_type.clone(), layout.data.count);
            let mut proven = self.proven(layout, (wanted, written), progress)?;
            if proven.is_none() {
                let search = search.get_or_insert_with(|| Search::new(market, wanted));
                for other in other_widths(search, &volume_type, width) {
                    proven = self.proven(other, (wanted, written), progress)?;
                    if proven.is_some() {
                        break;
                    }
                }
            }
            kept.extend(proven);
        }
        // It may be one of the widths that were tried.
        let tried = |it: &mut Layout| {
            let dropped = self.dropped.iter().map(|it| &it.layout);
            let mut all = kept.iter().chain(dropped);
            all.any(|other| other.data == it.data && other.instance == it.instance)
        };
        drop(self.fewest.take_if(tried));
        if let Some(fewest) = self.fewest.take() {
            self.fewest = self.proven(fewest, (wanted, written), progress)?;
        }
        // Fewer volumes may do where more of them missed a goal, as volumes differ.
        let replaces = |it: &mut Layout| {
            let same = |other: &Layout| other.data.volume_type == it.data.volume_type;
            !kept.iter().any(same)
        };
        kept.extend(self.fewest.take_if(replaces));
        kept.sort_by_key(|layout| layout.micros);
        let mut kept = kept.into_iter();
        self.best = kept.next();
        self.others = kept.collect();
        self.front = front(self);
        Ok(())
    }

    /// A layout with what its simulation came to; none if it missed a goal, and was dropped.
    fn proven(
        &mut self,
        mut layout: Layout,
        (wanted, written): (&Wanted, &Written),
        progress: &mut dyn FnMut(&Layout) -> bool,
    ) -> Result<Option<Layout>, String> {
        if !progress(&layout) {
            return Ok(Some(layout));
        }
        let proof = written.proof(wanted, &layout)?;
        layout.simulated = Some(proof.jobs);
        if proof.missed.is_empty() {
            return Ok(Some(layout));
        }
        let reasons = proof.missed;
        self.dropped.push(Dropped { layout, reasons });
        Ok(None)
    }
}

/// How many other widths of a type are tried if its cheapest layout misses a goal: volumes
/// differ, and each simulation takes a moment.
const WIDTHS_TRIED: usize = 3;

/// The next cheapest layouts with data on a type, each of another width.
fn other_widths(search: &Search<'_, '_>, volume_type: &str, width: u32) -> Vec<Layout> {
    let types = &search.market.types;
    let number = types.iter().position(|it| it.name() == volume_type);
    let picks = number.map_or_else(Vec::new, |number| search.by_width(number));
    let others = picks.iter().filter(|it| it.stored.data.1 != width);
    others
        .take(WIDTHS_TRIED)
        .map(|it| search.layout(it))
        .collect()
}

/// The cheapest layout alone, which is all that worlds of an uncertain requirement ask for.
pub(crate) fn cheapest(market: &Market<'_>, wanted: &Wanted) -> Option<Layout> {
    let search = Search::new(market, wanted);
    let picks = search.by_type().into_iter().flatten();
    let best = picks.min_by_key(|pick| (pick.price, pick.stored.data.0))?;
    Some(search.layout(&best))
}

fn front(plan: &Plan) -> Vec<Point> {
    let layouts = plan.best.iter().chain(&plan.others).chain(&plan.fewest);
    let mut points: Vec<Point> = layouts
        .map(|layout| Point {
            volume_type: layout.data.volume_type.clone(),
            name: format!("{} on {}", layout.data.count, layout.instance),
            usd_per_month: layout.usd_per_month,
            p99_us: layout.p99_us(),
            on_front: true,
        })
        .collect();
    let beaten = |one: &Point| {
        points.iter().any(|other| {
            (other.usd_per_month < one.usd_per_month && other.p99_us <= one.p99_us)
                || (other.usd_per_month <= one.usd_per_month && other.p99_us < one.p99_us)
        })
    };
    let on_front: Vec<bool> = points.iter().map(|point| !beaten(point)).collect();
    for (point, on_front) in points.iter_mut().zip(on_front) {
        point.on_front = on_front;
    }
    points.sort_by(|a, b| a.usd_per_month.total_cmp(&b.usd_per_month));
    points
}

/// How much of the load can be met, to a thousandth.
fn nearest(market: &Market<'_>, wanted: &Wanted) -> Nearest {
    let met = |permille: u64| cheapest(market, &wanted.scaled(permille));
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
        layout,
    }
}

/// Millionths of a dollar in dollars, rounded to cents.
pub(crate) fn dollars(micros: i64) -> f64 {
    (micros as f64 / 1e4).round() / 100.0
}
