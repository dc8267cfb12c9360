//! Block bootstrap: how else a run might have come out.
//!
//! Successive seconds are not independent: credits, jitter and write-daemon cycles carry
//! over. So blocks of successive bins are drawn with replacement, and wrap from the end
//! to the start (Politis and Romano's circular block bootstrap). Each load step is drawn
//! from separately, since steps differ on purpose. The bins' histograms are merged by how
//! often each was drawn.

use std::ops::Range;

use blockyard_model::random::Stream;

use crate::figures::{QUANTILES, Values, values};
use crate::persistence::{persistence, unseen};
use crate::run::Bin;

/// The number of resamples.
pub(crate) const RESAMPLES: usize = 1_000;
/// With fewer bins than this nothing is said about chance.
const FEWEST: usize = 8;
/// How many blocks a long run has, and one more for each further load step: few long ones, which
/// hold slow times whole, cost little, as Student's t hardly widens from here on.
const BLOCKS: usize = 8;
/// In runs with more bins neighbours are merged, which loses nothing: blocks are longer
/// than a merged bin.
const MOST: usize = 256;

/// The bins of a run, ready to be drawn from.
#[derive(Debug)]
pub(crate) struct Resampler {
    bins: Vec<Bin>,
    /// The bins of each load step.
    steps: Vec<Range<usize>>,
    /// Every latency in any bin, in ascending order.
    latencies: Vec<u64>,
    /// For each of these latencies, the number of latencies in each bin that do not
    /// exceed it.
    below: Vec<u64>,
}

impl Resampler {
    /// None if there are fewer than 8 bins.
    pub(crate) fn new(bins: &[Bin]) -> Option<Self> {
        if bins.len() < FEWEST {
            return None;
        }
        let (bins, steps) = by_steps(bins);
        let buckets = |bin: &Bin| -> Vec<_> { bin.latencies.buckets().collect() };
        let mut latencies: Vec<_> = bins
            .iter()
            .flat_map(buckets)
            .map(|(value, _)| value)
            .collect();
        latencies.sort_unstable();
        latencies.dedup();
        let mut below = vec![0; latencies.len() * bins.len()];
        for (place, bin) in bins.iter().enumerate() {
            let mut buckets = bin.latencies.buckets().peekable();
            let mut seen = 0;
            for (row, latency) in latencies.iter().enumerate() {
                seen += buckets
                    .next_if(|(value, _)| value == latency)
                    .map_or(0, |(_, count)| count);
                below[row * bins.len() + place] = seen;
            }
        }
        Some(Self {
            bins,
            steps,
            latencies,
            below,
        })
    }

    /// Whether both have bins for the same times, as runs with the same schedule do.
    pub(crate) fn is_aligned_with(&self, other: &Self) -> bool {
        let alike = |(a, b): (&Bin, &Bin)| (a.length_s - b.length_s).abs() <= 0.01 * a.length_s;
        self.steps == other.steps && self.bins.iter().zip(&other.bins).all(alike)
    }

    /// The number of blocks, not necessarily whole, and the number of load steps.
    pub(crate) fn blocks(&self) -> (f64, f64) {
        let blocks = |step: &Range<usize>| step.len() as f64 / self.block(step.len()) as f64;
        (self.steps.iter().map(blocks).sum(), self.steps.len() as f64)
    }

    /// The number of latencies in all bins.
    pub(crate) fn latencies(&self) -> u64 {
        self.bins.iter().map(|bin| bin.latencies.count()).sum()
    }

    /// The number of bins in a block, in a step of `step` bins: an eighth of the run's, or a
    /// little less with load steps; at least twice the cube root of the run's bins, as far as
    /// that is a quarter of them; at most half of the step's.
    fn block(&self, step: usize) -> usize {
        let bins = self.bins.len();
        let of_short = ((2.0 * (bins as f64).cbrt()).round() as usize).min(bins / 4);
        let of_long = bins / (BLOCKS - 1 + self.steps.len());
        of_long.max(of_short).min(step / 2).max(1)
    }

    /// The share of the variance of this run's figures, or of their ratios to `other`'s, that
    /// blocks are too short to show: the larger of the IOs a second and the mean latency.
    pub(crate) fn unseen(&self, other: Option<&Self>) -> f64 {
        let block = self.steps.iter().map(|step| self.block(step.len())).min();
        let of = |figure: fn(&Bin) -> (f64, f64)| {
            let mut pulls = self.pulls(figure);
            for (pull, theirs) in pulls
                .iter_mut()
                .zip(other.map(|it| it.pulls(figure)).iter().flatten())
            {
                *pull -= theirs;
            }
            unseen(persistence(&mut pulls, &self.steps), block.unwrap_or(1))
        };
        let rate = of(|bin| (bin.ios as f64, bin.length_s));
        rate.max(of(|bin| (bin.timed.1, bin.timed.0 as f64)))
    }

    /// How far each bin has a quotient of sums over all bins deviate, as a share of it and as if
    /// all bins were like it.
    fn pulls(&self, parts: fn(&Bin) -> (f64, f64)) -> Vec<f64> {
        let sums = self.bins.iter().map(parts);
        let (above, below) = sums.fold((0.0, 0.0), |sum, bin| (sum.0 + bin.0, sum.1 + bin.1));
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let bins = self.bins.len() as f64;
        let pull = |(a, b)| bins * (share(a, above) - share(b, below));
        self.bins.iter().map(parts).map(pull).collect()
    }

    /// How often each bin is drawn.
    pub(crate) fn draw(&self, stream: &mut Stream) -> Vec<u64> {
        let mut times = vec![0; self.bins.len()];
        for step in &self.steps {
            let (times, len) = (&mut times[step.clone()], step.len());
            for begin in (0..len).step_by(self.block(len)) {
                let start = stream.below(len as u64) as usize;
                for place in start..start + self.block(len).min(len - begin) {
                    times[place % len] += 1;
                }
            }
        }
        times
    }

    /// The figures of a run in which each bin occurs as often as `times` says.
    pub(crate) fn values(&self, times: &[u64]) -> Values {
        let sum = |of: fn(&Bin) -> f64| -> f64 {
            let parts = self.bins.iter().zip(times);
            parts.map(|(bin, &times)| of(bin) * times as f64).sum()
        };
        let timed = sum(|bin| bin.timed.0 as f64);
        let count = sum(|bin| bin.latencies.count() as f64);
        values(
            sum(|bin| bin.length_s),
            sum(|bin| bin.ios as f64),
            sum(|bin| bin.bytes as f64),
            (timed > 0.0).then(|| sum(|bin| bin.timed.1) / timed),
            (count > 0.0).then(|| QUANTILES.map(|quantile| self.quantile(quantile * count, times))),
        )
    }

    /// The latency that `rank` latencies do not exceed.
    fn quantile(&self, rank: f64, times: &[u64]) -> u64 {
        let rank = rank.ceil().max(1.0) as u64;
        let is_short = |row: usize| {
            let row = &self.below[row * times.len()..][..times.len()];
            row.iter()
                .zip(times)
                .map(|(below, times)| below * times)
                .sum::<u64>()
                < rank
        };
        let (mut short, mut enough) = (0, self.latencies.len() - 1);
        while short < enough {
            let middle = usize::midpoint(short, enough);
            if is_short(middle) {
                short = middle + 1;
            } else {
                enough = middle;
            }
        }
        self.latencies[enough]
    }
}

/// The bins, merged where there are too many, and the range of each load step. If any
/// step has too few bins to say something about chance, all steps count as one.
fn by_steps(bins: &[Bin]) -> (Vec<Bin>, Vec<Range<usize>>) {
    let mut steps: Vec<_> = bins.chunk_by(|a, b| a.step == b.step).collect();
    if steps.iter().any(|step| step.len() < FEWEST) {
        steps = vec![bins];
    }
    let neighbours = bins.len().div_ceil(MOST);
    let (mut merged, mut ranges) = (Vec::new(), Vec::new());
    for step in steps {
        let begin = merged.len();
        let parts = step.chunks(neighbours);
        merged.extend(parts.map(|bins| Bin::merged(bins, |sum, length| sum + length)));
        ranges.push(begin..merged.len());
    }
    (merged, ranges)
}
