//! Cells of time by latency, and how many IOs are in each.

use super::axes::{latency, time};
use super::histograms::{Bins, counts, least_us, max_us};
use super::overlay::common_bin_s;
use crate::Run;
use crate::figure::{Heat, Plot};

/// More columns than this no screen shows apart.
const MOST_COLUMNS: f64 = 360.0;

/// Rows for each doubling of the latency.
const ROWS: f64 = 4.0;

/// Below this many µs no row begins.
const FASTEST_US: f64 = 0.001;

/// A map's cells; maps with the same ones can be compared.
#[derive(Debug)]
pub(crate) struct Cells {
    /// The width of columns in seconds.
    pub(crate) width: f64,
    /// The edges of rows, rising.
    pub(crate) edges_us: Vec<f64>,
}

impl Cells {
    /// Around all that runs have in bins of this width.
    pub(crate) fn around<'a>(width: f64, runs: impl IntoIterator<Item = &'a Bins>) -> Self {
        let every: Vec<_> = runs.into_iter().flat_map(Bins::values).collect();
        let fastest = every.iter().filter_map(|bin| least_us(bin));
        let slowest = every.iter().map(|bin| max_us(bin));
        Self {
            width,
            edges_us: edges_us(
                fastest.min_by(f64::total_cmp).unwrap_or(0.0),
                slowest.fold(0.0, f64::max),
            ),
        }
    }

    /// How many IOs of a run are in each cell, column by column up to the last with any.
    pub(crate) fn counts(&self, bins: &Bins) -> Vec<Vec<i64>> {
        let columns = bins.keys().last().map_or(0, |last| last + 1);
        let column = |number| {
            let bin = bins.get(&number);
            bin.map_or_else(|| self.empty(), |found| counts(found, &self.edges_us))
        };
        (0..columns).map(column).collect()
    }

    /// A column without IOs.
    pub(crate) fn empty(&self) -> Vec<i64> {
        vec![0; self.edges_us.len().saturating_sub(1)]
    }

    /// The map of counts.
    pub(crate) fn plot(&self, counts: Vec<Vec<i64>>) -> Plot {
        let columns = counts.len();
        Plot::Heat(Heat {
            x: time(),
            y: latency(),
            x_edges: (0..=columns)
                .map(|number| number as f64 * self.width)
                .collect(),
            y_edges: self.edges_us.iter().map(|edge| edge / 1000.0).collect(),
            counts,
        })
    }
}

/// The width of the columns of such runs' maps in seconds.
pub(crate) fn width_s(runs: &[&Run], bin_s: f64) -> f64 {
    let width = common_bin_s(runs, bin_s);
    let lengths = runs.iter().map(|run| run.result.duration_s);
    let longest = lengths.fold(0.0, f64::max);
    width * (longest / width / MOST_COLUMNS).ceil().max(1.0)
}

/// Edges around all latencies, at equal ratios, the same for equal ranges.
fn edges_us(fastest: f64, slowest: f64) -> Vec<f64> {
    let fastest = fastest.max(FASTEST_US);
    let slowest = slowest.max(fastest);
    // A hair wider, as the middle of a bucket stands for all of it.
    let first = (ROWS * libm::log2(fastest) - 0.01).floor() as i64;
    let last = (ROWS * libm::log2(slowest) + 0.01).ceil() as i64;
    (first..=last)
        .map(|number| libm::exp2(number as f64 / ROWS))
        .collect()
}
