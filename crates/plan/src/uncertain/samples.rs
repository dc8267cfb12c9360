//! Plans for a requirement with ranges, by Monte Carlo: Blockyard draws samples from the ranges,
//! plans each, and chooses the layout with the least mean regret over all samples.
//!
//! A number `{low, mid, high}` has the triangular distribution: its density is zero at `low`, rises
//! in a straight line to `mid`, and falls to zero at `high`. Numbers are drawn independently.
//!
//! The regret of a layout in a sample is money a month. Where the layout suffices, it is the extra
//! cost over the cheapest layout of that sample. Where it does not, a penalty is added: the share
//! of the load that the layout does not hold, times the price of the sample's cheapest layout,
//! times a factor.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use blockyard_experiment::{Lab, Watch, in_parallel};
use blockyard_model::random::Stream as Random;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::layout::Layout;
use crate::answer::plan::{Dropped, cheapest, dollars};
use crate::answer::purchase::{Purchase, describe};
use crate::market::Market;
use crate::market::inter_zone::InterZoneTraffic;
use crate::proof::scenario::ScenarioWriter;
use crate::requirement::needs::Needs;
use crate::requirement::range::Uncertain;
use crate::requirement::read::Loaded;

/// How many of the next best layouts an answer lists.
const OTHERS: usize = 5;

/// How to draw samples.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// How many, from 1 to [`Drawing::MOST_SAMPLES`].
    pub samples: u32,
    /// Start of the random streams.
    pub seed: u64,
    /// The penalty for a shortfall, as a multiple of the cost of covering it; from 0 to
    /// [`Drawing::MOST_FACTOR`].
    pub factor: f64,
}

/// A thousand samples; a shortfall costs three times what covers it.
impl Default for Drawing {
    fn default() -> Self {
        Self {
            samples: 1000,
            seed: 1,
            factor: 3.0,
        }
    }
}

impl Drawing {
    /// Samples at most, which are kept until all are planned.
    pub const MOST_SAMPLES: u32 = 100_000;
    /// The largest penalty.
    pub const MOST_FACTOR: f64 = 1000.0;

    /// Says in one line what is out of its bounds.
    ///
    /// # Errors
    /// If anything is.
    pub fn check(&self) -> Result<(), String> {
        if !(1..=Self::MOST_SAMPLES).contains(&self.samples) {
            let most = Self::MOST_SAMPLES;
            return Err(format!("samples: {}; expected 1 to {most}", self.samples));
        }
        if !(0.0..=Self::MOST_FACTOR).contains(&self.factor) {
            let most = Self::MOST_FACTOR;
            return Err(format!("factor: {}; expected 0 to {most}", self.factor));
        }
        Ok(())
    }
}

/// The layout with the least mean regret over all samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeastRegret {
    /// How many samples were drawn.
    pub samples: u32,
    /// The seed.
    pub seed: u64,
    /// The penalty for a shortfall, as a multiple of the cost of covering it.
    pub factor: f64,
    /// In how many samples nothing meets the requirement; these are left out.
    pub impossible: u32,
    /// The layout of least regret; none if nothing met any sample.
    pub layout: Option<Layout>,
    /// Its regret, in dollars a month, as a mean over the samples.
    pub regret_usd: f64,
    /// In which share of the samples it suffices.
    pub suffices: f64,
    /// What the next best would be, with the least regret first; at most five.
    pub others: Vec<Regretted>,
    /// What the cheapest layouts of the samples cost: the 5th, 50th and 95th percentile, in
    /// dollars a month.
    pub usd_per_month: [f64; 3],
}

/// A layout and how it does over all samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Regretted {
    /// The layout.
    pub layout: Layout,
    /// Its regret, in dollars a month, as a mean over the samples.
    pub regret_usd: f64,
    /// In which share of the samples it suffices.
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

/// Draws the samples of a requirement; the same seed gives the same samples.
fn samples(loaded: &Loaded, drawing: &Drawing) -> Vec<Needs> {
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
    (0..drawing.samples)
        .map(|_| loaded.needs(&mut draw))
        .collect()
}

/// Plans every sample on `threads` threads, whose number does not change the answer, and chooses
/// a layout; none if `watch` stops it.
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
        let samples = samples(loaded, drawing);
        let planned = samples.par_iter().map(|sample| {
            let goes_on = !stop.load(Ordering::Relaxed);
            goes_on.then(|| cheapest(market, sample)).flatten()
        });
        let planned: Vec<Option<Layout>> = planned.collect();
        Samples {
            market,
            loaded,
            drawing,
            needs: &samples,
            planned: &planned,
        }
        .chosen(stop)
    };
    in_parallel(threads, &mut || watch.stopped(), all)
}

/// Samples, and the cheapest layout of each.
struct Samples<'a> {
    market: &'a Market<'a>,
    loaded: &'a Loaded,
    drawing: &'a Drawing,
    needs: &'a [Needs],
    planned: &'a [Option<Layout>],
}

impl Samples<'_> {
    /// The layout of least regret; whatever it is once it is to `stop`.
    fn chosen(&self, stop: &AtomicBool) -> LeastRegret {
        let (market, drawing) = (self.market, self.drawing);
        let both = self.needs.iter().zip(self.planned);
        let possible: Vec<(&Needs, &Layout)> = both
            .filter_map(|(sample, it)| Some((sample, it.as_ref()?)))
            .collect();
        // Inter-zone traffic depends on the load alone; the likeliest load stands for all.
        let likeliest = self.loaded.needs(|_, range| range.mid);
        let inter_zone = InterZoneTraffic::of(&likeliest, market.prices)
            .ok()
            .flatten();
        let candidates = candidates(&possible, stop);
        let judged = candidates.par_iter().filter_map(|layout| {
            let mut judged = self.judged(layout, &possible, stop)?;
            judged.layout.charge(inter_zone.as_ref());
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
        // The use of each limit is given for the likeliest load, which also sets the price.
        let mut judged = judged.into_iter().take(1 + OTHERS).map(|it| Regretted {
            layout: describe(market, &likeliest, it.layout),
            ..it
        });
        let best = judged.next();
        LeastRegret {
            samples: drawing.samples,
            seed: drawing.seed,
            factor: drawing.factor,
            impossible: drawing.samples - u32::try_from(possible.len()).unwrap_or(0),
            regret_usd: best.as_ref().map_or(0.0, |it| it.regret_usd),
            suffices: best.as_ref().map_or(0.0, |it| it.suffices),
            layout: best.map(|it| it.layout),
            others: judged.collect(),
            usd_per_month: [at(5), at(50), at(95)],
        }
    }

    /// How a layout does over all samples; none once it is to `stop`.
    fn judged(
        &self,
        layout: &Layout,
        possible: &[(&Needs, &Layout)],
        stop: &AtomicBool,
    ) -> Option<Regretted> {
        let purchase = Purchase::of(self.market, layout)?;
        let (mut regret, mut suffices) = (0.0, 0_u32);
        for (sample, best) in possible {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let held = purchase.holds(sample);
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

/// The layouts that are the cheapest of some sample, each once, in the order of the samples.
fn candidates<'a>(possible: &[(&Needs, &'a Layout)], stop: &AtomicBool) -> Vec<&'a Layout> {
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
        needs: &Needs,
        writer: &ScenarioWriter,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Dropped>, String> {
        let mut dropped = Vec::new();
        while let Some(mut layout) = self.layout.take() {
            let proofs = writer.proofs(needs, std::slice::from_ref(&layout), lab)?;
            let Some(proof) = proofs.into_iter().next().flatten() else {
                self.layout = Some(layout);
                break;
            };
            let reasons = proof.tell(&mut layout);
            if reasons.is_empty() {
                self.layout = Some(layout);
                break;
            }
            dropped.push(Dropped { layout, reasons });
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
