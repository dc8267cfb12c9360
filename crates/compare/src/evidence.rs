//! What is known about a side beyond its figures: how they might have come out
//! by chance.

use blockyard_model::random::Stream;

use crate::compared::Basis;
use crate::figures::{COUNT, QUANTILES, Values, measure};
use crate::resample::{RESAMPLES, Resampler};
use crate::run::Bin;
use crate::spread::Spread;

/// A quantile needs at least this many latencies beyond it; with fewer, most
/// resamples draw the same ones.
const TAIL: f64 = 10.0;

/// The spread of each figure; none where it cannot be estimated.
type Spreads = [Option<Spread>; COUNT];

/// Several runs of a side, or the bins of its only run.
#[derive(Debug)]
pub(crate) enum Evidence {
    /// The figures of the runs without one of them, with its seed if it is a simulation.
    Runs(Vec<(Option<u64>, Values)>),
    /// A run with enough bins.
    Bins(Resampler),
    /// A run with too few bins.
    Nothing,
}

impl Evidence {
    /// Of a side's runs, each with its seed and bins.
    pub(crate) fn of(runs: &[(Option<u64>, Vec<Bin>)]) -> Self {
        match runs {
            [(_, run)] => Resampler::new(run).map_or(Self::Nothing, Self::Bins),
            runs => Self::Runs(without_each(runs)),
        }
    }

    /// The spreads of the ratios of `other`'s figures to these, and what they rest on.
    pub(crate) fn against(&self, other: &Self, stream: &mut Stream) -> (Spreads, Basis) {
        let basis = match (self, other) {
            (Self::Bins(a), Self::Bins(b)) if a.is_aligned_with(b) => {
                return (of_pairs(a, b, stream), Basis::Blocks);
            }
            (Self::Runs(a), Self::Runs(b)) if have_the_same_seeds(a, b) => {
                return (of_seeds(a, b), Basis::PairedSeeds);
            }
            (Self::Runs(_), Self::Runs(_)) => Basis::Repeats,
            (Self::Runs(_), _) | (_, Self::Runs(_)) => Basis::Mixed,
            _ => Basis::Blocks,
        };
        let (ours, theirs) = (self.alone(stream), other.alone(stream));
        let both = std::array::from_fn(|figure| Some(ours[figure]?.and(theirs[figure]?)));
        (both, basis)
    }

    fn alone(&self, stream: &mut Stream) -> Spreads {
        match self {
            Self::Runs(runs) => std::array::from_fn(|figure| {
                let values = runs.iter().map(|(_, values)| values[figure].map(f64::ln));
                Spread::of_left_out(&values.collect::<Option<Vec<_>>>()?)
            }),
            Self::Bins(bins) => {
                let logarithms = draw(|| bins.values(&bins.draw(stream)).map(|v| v.map(f64::ln)));
                spreads(&logarithms, bins.blocks(), bins.latencies())
            }
            Self::Nothing => [None; COUNT],
        }
    }
}

/// The figures of all runs but one, each left out once, with the seed of the one left out.
fn without_each(runs: &[(Option<u64>, Vec<Bin>)]) -> Vec<(Option<u64>, Values)> {
    let merged = |(seed, bins): &(Option<u64>, Vec<Bin>)| {
        (*seed, Bin::merged(bins, |sum, length| sum + length))
    };
    let runs: Vec<_> = runs.iter().map(merged).collect();
    let without = |(place, (seed, _)): (usize, &(Option<u64>, Bin))| {
        let others = runs[..place].iter().chain(&runs[place + 1..]);
        (*seed, measure(others.map(|(_, run)| run)))
    };
    runs.iter().enumerate().map(without).collect()
}

/// Whether both are simulations with the same seeds, each seed once.
fn have_the_same_seeds(a: &[(Option<u64>, Values)], b: &[(Option<u64>, Values)]) -> bool {
    let seeds = |runs: &[(Option<u64>, Values)]| -> Option<Vec<u64>> {
        let mut seeds = runs
            .iter()
            .map(|(seed, _)| *seed)
            .collect::<Option<Vec<_>>>()?;
        seeds.sort_unstable();
        seeds.is_sorted_by(|one, next| one < next).then_some(seeds)
    };
    seeds(a).is_some_and(|ours| seeds(b) == Some(ours))
}

/// Runs with the same seed are paired: what their common random numbers do to both is no
/// difference and hides none.
fn of_seeds(a: &[(Option<u64>, Values)], b: &[(Option<u64>, Values)]) -> Spreads {
    std::array::from_fn(|figure| {
        let ratio = |(seed, ours): &(Option<u64>, Values)| {
            let (_, theirs) = b.iter().find(|(other, _)| other == seed)?;
            Some((theirs[figure]? / ours[figure]?).ln())
        };
        Spread::of_left_out(&a.iter().map(ratio).collect::<Option<Vec<_>>>()?)
    })
}

/// The same blocks are drawn from both runs, so that what the schedule does to
/// both at the same time neither counts as a difference nor hides one.
fn of_pairs(a: &Resampler, b: &Resampler, stream: &mut Stream) -> Spreads {
    let logarithms = draw(|| {
        let times = a.draw(stream);
        let (ours, theirs) = (a.values(&times), b.values(&times));
        std::array::from_fn(|figure| Some((theirs[figure]? / ours[figure]?).ln()))
    });
    spreads(&logarithms, a.blocks(), a.latencies().min(b.latencies()))
}

fn draw(mut one: impl FnMut() -> Values) -> Vec<Values> {
    (0..RESAMPLES).map(|_| one()).collect()
}

fn spreads(logarithms: &[Values], blocks: (f64, f64), latencies: u64) -> Spreads {
    std::array::from_fn(|figure| {
        // Rates and the mean have no tail.
        let quantile = (figure + QUANTILES.len()).checked_sub(COUNT);
        let beyond = quantile.map(|q| latencies as f64 * (1.0 - QUANTILES[q]));
        if beyond.is_some_and(|beyond| beyond < TAIL) {
            return None;
        }
        let of_figure = logarithms.iter().map(|values| values[figure]);
        let of_figure: Option<Vec<_>> = of_figure.collect();
        Spread::of_resamples(&of_figure?, blocks)
    })
}
