//! What is known about a side beyond its figures: how they might have come out
//! by chance.

use blockyard_model::random::Stream;

use crate::compared::Basis;
use crate::figures::{COUNT, QUANTILES, Values, measure};
use crate::resample::{RESAMPLES, Resampler};
use crate::run::Bin;
use crate::seeds::Runs;
use crate::spread::Spread;

/// A quantile needs at least this many latencies beyond it; with fewer, most
/// resamples draw the same ones.
const TAIL: f64 = 10.0;

/// Where blocks miss more of the variance than this, they say nothing of how much that is.
const MOST_UNSEEN: f64 = 0.35;

/// The spread of each figure; none where it cannot be estimated.
pub(crate) type Spreads = [Option<Spread>; COUNT];

/// Several runs of a side, or the bins of its only run.
#[derive(Debug)]
pub(crate) enum Evidence {
    /// The figures of the runs without one of them, each left out once.
    Runs(Vec<Values>),
    /// A run with enough bins.
    Bins(Resampler),
    /// A run with too few bins.
    Nothing,
}

impl Evidence {
    /// Of a side's runs.
    pub(crate) fn of(runs: &Runs) -> Self {
        match runs.as_slice() {
            [(_, run)] => Resampler::new(run).map_or(Self::Nothing, Self::Bins),
            _ => Self::Runs(without_each(runs)),
        }
    }

    /// The spreads of the ratios of `other`'s figures to these, and what they rest on.
    pub(crate) fn against(&self, other: &Self, stream: &mut Stream) -> (Spreads, Basis) {
        let basis = match (self, other) {
            (Self::Bins(a), Self::Bins(b)) if a.is_aligned_with(b) => {
                return (of_pairs(a, b, stream), Basis::Blocks);
            }
            (Self::Runs(_), Self::Runs(_)) => Basis::Repeats,
            (Self::Runs(_), _) | (_, Self::Runs(_)) => Basis::Mixed,
            _ => Basis::Blocks,
        };
        let (ours, theirs) = (self.alone(stream), other.alone(stream));
        let both = std::array::from_fn(|figure| Some(ours[figure]?.and(theirs[figure]?)));
        (both, basis)
    }

    /// Whether of one of both sides nothing is known but its figures.
    pub(crate) fn or_other_is_nothing(&self, other: &Self) -> bool {
        matches!(self, Self::Nothing) || matches!(other, Self::Nothing)
    }

    fn alone(&self, stream: &mut Stream) -> Spreads {
        match self {
            Self::Runs(runs) => std::array::from_fn(|figure| {
                let values = runs.iter().map(|values| values[figure].map(f64::ln));
                Spread::of_left_out(&values.collect::<Option<Vec<_>>>()?)
            }),
            Self::Bins(bins) => {
                let logarithms = draw(|| bins.values(&bins.draw(stream)).map(|v| v.map(f64::ln)));
                spreads(&logarithms, bins, bins.unseen(None), bins.latencies())
            }
            Self::Nothing => [None; COUNT],
        }
    }
}

/// The figures of all runs but one, each left out once.
fn without_each(runs: &Runs) -> Vec<Values> {
    let merged = |(_, bins): &(_, Vec<Bin>)| Bin::merged(bins, |sum, length| sum + length);
    let runs: Vec<_> = runs.iter().map(merged).collect();
    let without = |place| measure(runs[..place].iter().chain(&runs[place + 1..]));
    (0..runs.len()).map(without).collect()
}

/// The same blocks are drawn from both runs, so that what the schedule does to
/// both at the same time neither counts as a difference nor hides one.
fn of_pairs(a: &Resampler, b: &Resampler, stream: &mut Stream) -> Spreads {
    let logarithms = draw(|| {
        let times = a.draw(stream);
        let (ours, theirs) = (a.values(&times), b.values(&times));
        std::array::from_fn(|figure| Some((theirs[figure]? / ours[figure]?).ln()))
    });
    let latencies = a.latencies().min(b.latencies());
    spreads(&logarithms, a, a.unseen(Some(b)), latencies)
}

fn draw(mut one: impl FnMut() -> Values) -> Vec<Values> {
    (0..RESAMPLES).map(|_| one()).collect()
}

/// The spreads of resamples of `bins`, which miss the share `unseen` of the variance.
fn spreads(logarithms: &[Values], bins: &Resampler, unseen: f64, latencies: u64) -> Spreads {
    let (blocks, steps) = bins.blocks();
    std::array::from_fn(|figure| {
        if !has_tail(figure, latencies) {
            return None;
        }
        let of_figure = logarithms.iter().map(|values| values[figure]);
        let of_figure: Option<Vec<_>> = of_figure.collect();
        let spread = Spread::of_resamples(&of_figure?, blocks, steps)?;
        Some(match unseen > MOST_UNSEEN {
            true => spread.of_one_phase(blocks),
            false => spread.times(1.0 / (1.0 - unseen)),
        })
    })
}

/// Whether enough of this number of latencies lie beyond a figure.
pub(crate) fn has_tail(figure: usize, latencies: u64) -> bool {
    // Rates and the mean have no tail.
    let quantile = (figure + QUANTILES.len()).checked_sub(COUNT);
    quantile.is_none_or(|q| latencies as f64 * (1.0 - QUANTILES[q]) >= TAIL)
}
