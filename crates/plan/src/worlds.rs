//! An uncertain requirement: worlds are drawn from its ranges, each is planned, and of all these
//! layouts the one is chosen that would be regretted least over all worlds.
//!
//! A number `{low, mid, high}` is drawn from the triangular distribution: from nothing at `low`
//! rising in a straight line to `mid`, falling to nothing at `high`. Numbers are drawn
//! independently of each other.
//!
//! What a layout is regretted for in a world is money a month. Where it suffices: what it costs
//! more than the cheapest layout of that world. Where it does not: the same, if it is more, and
//! what the missing would have cost, times a factor: of the price of that world's cheapest layout
//! the share of its load that the layout does not hold.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use blockyard_experiment::{Lab, Watch, in_parallel};
use blockyard_model::random::Stream as Random;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::bought::{Bought, describe};
use crate::crossing::Crossing;
use crate::layout::Layout;
use crate::market::Market;
use crate::plan::{Dropped, cheapest, dollars};
use crate::read::Loaded;
use crate::uncertain::Uncertain;
use crate::wanted::Wanted;
use crate::written::Written;

/// How many of the next best are told.
const OTHERS: usize = 5;

/// How to draw worlds.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// How many, at least 1.
    pub worlds: u32,
    /// Start of the random streams.
    pub seed: u64,
    /// How many times as dear the missing is as what was bought.
    pub factor: f64,
}

/// What was chosen over all worlds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LeastRegret {
    /// How many worlds were drawn.
    pub worlds: u32,
    /// The seed.
    pub seed: u64,
    /// How many times as dear the missing is as what was bought.
    pub factor: f64,
    /// In how many worlds nothing meets the requirement; these are left out.
    pub impossible: u32,
    /// The layout of least regret; none if nothing met any world.
    pub layout: Option<Layout>,
    /// Its regret, in dollars a month, as a mean over the worlds.
    pub regret_usd: f64,
    /// In which share of the worlds it suffices.
    pub suffices: f64,
    /// What the next best would be, with the least regret first; at most five.
    pub others: Vec<Regretted>,
    /// What the cheapest layouts of the worlds cost: the 5th, 50th and 95th percentile, in
    /// dollars a month.
    pub usd_per_month: [f64; 3],
}

/// A layout and how it does over all worlds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Regretted {
    /// The layout.
    pub layout: Layout,
    /// Its regret, in dollars a month, as a mean over the worlds.
    pub regret_usd: f64,
    /// In which share of the worlds it suffices.
    pub suffices: f64,
}

/// The number of a range that lies at `at`, from 0 to 1, of the triangular distribution.
fn triangular(range: Uncertain<u64>, at: f64) -> u64 {
    let (low, mid, high) = (range.low as f64, range.mid as f64, range.high as f64);
    if range.low == range.high {
        return range.low;
    }
    let below = (mid - low) / (high - low);
    let drawn = match at < below {
        true => low + (at * (high - low) * (mid - low)).sqrt(),
        false => high - ((1.0 - at) * (high - low) * (high - mid)).sqrt(),
    };
    (drawn.round() as u64).clamp(range.low, range.high)
}

/// The worlds of an uncertain requirement, always the same ones for the same seed.
fn worlds(loaded: &Loaded, drawing: &Drawing) -> Vec<Wanted> {
    let mut streams: Vec<(String, Random)> = Vec::new();
    let mut draw = |path: &str, range: Uncertain<u64>| {
        let known = streams.iter().position(|(known, _)| known == path);
        let place = known.unwrap_or_else(|| {
            let label = format!("plan/{path}");
            streams.push((path.to_owned(), Random::new(drawing.seed, &label)));
            streams.len() - 1
        });
        triangular(range, streams[place].1.unit())
    };
    (0..drawing.worlds)
        .map(|_| loaded.wanted(&mut draw))
        .collect()
}

/// Plans each of many worlds on `threads` threads, which change nothing about the answer, and
/// chooses; none if `watch` stops it.
///
/// # Errors
/// If threads cannot be started.
pub fn least_regret(
    market: &Market<'_>,
    loaded: &Loaded,
    drawing: &Drawing,
    threads: usize,
    watch: &mut dyn Watch,
) -> io::Result<Option<LeastRegret>> {
    let all = |stop: &AtomicBool| {
        let worlds = worlds(loaded, drawing);
        let planned = worlds.par_iter().map(|world| {
            let goes_on = !stop.load(Ordering::Relaxed);
            goes_on.then(|| cheapest(market, world)).flatten()
        });
        let planned: Vec<Option<Layout>> = planned.collect();
        Worlds {
            market,
            loaded,
            drawing,
            wanted: &worlds,
            planned: &planned,
        }
        .chosen(stop)
    };
    in_parallel(threads, &mut || watch.stopped(), all)
}

/// Worlds, and the cheapest layout of each.
struct Worlds<'a> {
    market: &'a Market<'a>,
    loaded: &'a Loaded,
    drawing: &'a Drawing,
    wanted: &'a [Wanted],
    planned: &'a [Option<Layout>],
}

impl Worlds<'_> {
    /// The layout of least regret; whatever it is once it is to `stop`.
    fn chosen(&self, stop: &AtomicBool) -> LeastRegret {
        let (market, drawing) = (self.market, self.drawing);
        let both = self.wanted.iter().zip(self.planned);
        let possible: Vec<(&Wanted, &Layout)> = both
            .filter_map(|(world, it)| Some((world, it.as_ref()?)))
            .collect();
        // What goes from zone to zone is the load's, whatever is bought: that of the likeliest.
        let likeliest = self.loaded.wanted(|_, range| range.mid);
        let crossing = Crossing::of(&likeliest, market.prices).ok().flatten();
        let candidates = candidates(&possible, stop);
        let judged = candidates.par_iter().filter_map(|layout| {
            let mut judged = self.judged(layout, &possible, stop)?;
            judged.layout.charge(crossing.as_ref());
            Some(judged)
        });
        let mut judged: Vec<Regretted> = judged.collect();
        judged.sort_by(|a, b| {
            let price = a.layout.micros.cmp(&b.layout.micros);
            a.regret_usd.total_cmp(&b.regret_usd).then(price)
        });
        let prices = possible.iter().map(|(_, layout)| layout.usd_per_month);
        let mut prices: Vec<f64> = prices.collect();
        prices.sort_by(f64::total_cmp);
        let at = |share: usize| {
            let place = prices.len().saturating_sub(1) * share / 100;
            prices.get(place).copied().unwrap_or(0.0)
        };
        // What each takes of its limits is told for the likeliest load, whose price it has.
        let mut judged = judged.into_iter().take(1 + OTHERS).map(|it| Regretted {
            layout: describe(market, &likeliest, it.layout),
            ..it
        });
        let best = judged.next();
        LeastRegret {
            worlds: drawing.worlds,
            seed: drawing.seed,
            factor: drawing.factor,
            impossible: drawing.worlds - u32::try_from(possible.len()).unwrap_or(0),
            regret_usd: best.as_ref().map_or(0.0, |it| it.regret_usd),
            suffices: best.as_ref().map_or(0.0, |it| it.suffices),
            layout: best.map(|it| it.layout),
            others: judged.collect(),
            usd_per_month: [at(5), at(50), at(95)],
        }
    }

    /// How a layout does over all worlds; none once it is to `stop`.
    fn judged(
        &self,
        layout: &Layout,
        possible: &[(&Wanted, &Layout)],
        stop: &AtomicBool,
    ) -> Option<Regretted> {
        let bought = Bought::of(self.market, layout)?;
        let (mut regret, mut suffices) = (0.0, 0_u32);
        for (world, best) in possible {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let held = bought.holds(world);
            let over = (layout.micros - best.micros).max(0) as f64;
            regret += match held >= 1.0 {
                true => over,
                false => over + self.drawing.factor * (1.0 - held) * best.micros as f64,
            };
            suffices += u32::from(held >= 1.0);
        }
        let count = possible.len().max(1) as f64;
        Some(Regretted {
            layout: layout.clone(),
            regret_usd: dollars((regret / count).round() as i64),
            suffices: f64::from(suffices) / count,
        })
    }
}

/// The layouts that are the cheapest of some world, each once, in the order of the worlds.
fn candidates<'a>(possible: &[(&Wanted, &'a Layout)], stop: &AtomicBool) -> Vec<&'a Layout> {
    let mut found: Vec<&Layout> = Vec::new();
    for (_, layout) in possible {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if !found.iter().any(|known| same(known, layout)) {
            found.push(layout);
        }
    }
    found
}

impl LeastRegret {
    /// Simulates the layout under the likeliest load. One that misses a goal gives way to the
    /// next; with it go the goals that it missed. A layout whose simulation is stopped stays as it
    /// is.
    ///
    /// # Errors
    /// If a layout cannot be simulated, which does not happen to one that was planned.
    pub fn prove(
        &mut self,
        wanted: &Wanted,
        written: &Written,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Dropped>, String> {
        let mut dropped = Vec::new();
        while let Some(mut layout) = self.layout.take() {
            let proofs = written.proofs(wanted, std::slice::from_ref(&layout), lab)?;
            let Some(proof) = proofs.into_iter().next().flatten() else {
                self.layout = Some(layout);
                break;
            };
            layout.simulated = Some(proof.jobs);
            if proof.missed.is_empty() {
                self.layout = Some(layout);
                break;
            }
            dropped.push(Dropped {
                layout,
                reasons: proof.missed,
            });
            if self.others.is_empty() {
                break;
            }
            let next = self.others.remove(0);
            (self.regret_usd, self.suffices) = (next.regret_usd, next.suffices);
            self.layout = Some(next.layout);
        }
        Ok(dropped)
    }
}

/// Whether the same is bought.
fn same(one: &Layout, other: &Layout) -> bool {
    one.instance == other.instance && one.data == other.data && one.journal == other.journal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triangular_distribution_has_its_corners_and_median() {
        let range = Uncertain {
            low: 100,
            mid: 200,
            high: 500,
        };
        assert_eq!(triangular(range, 0.0), 100);
        assert_eq!(triangular(range, 1.0), 500);
        // A quarter lies below `mid`.
        assert_eq!(triangular(range, 0.25), 200);
        // 500 - sqrt(0.5 × 400 × 300).
        assert_eq!(triangular(range, 0.5), 255);
        assert_eq!(triangular(7.into(), 0.3), 7);
    }
}
