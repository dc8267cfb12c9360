//! What the series of a run did over time.
//!
//! Counts are summed into bins and only then divided by time: a mean of means would take idle
//! seconds for busy ones.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::charts::series::{SeriesKey, series};
use crate::{Intervals, Names, Run};

/// A last bin shorter than this part of the others gives no rate worth showing.
const SHORTEST: f64 = 0.5;

/// Starts such as 0.3 are not exact; no interval is a millionth of a bin.
pub(crate) const HAIR: f64 = 1e-6;

/// What a series did in one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bin {
    pub(crate) ios: u64,
    pub(crate) bytes: u64,
    /// A mean over the bin.
    pub(crate) queue_depth: f64,
    /// The IOs whose latency is known.
    pub(crate) timed_ios: u64,
    /// Their latencies summed.
    pub(crate) latency_us: f64,
}

/// Bins of equal width; of each series what it did in them, none where no row says.
#[derive(Debug)]
pub(crate) struct History<'a> {
    /// Where the bins begin, in seconds.
    pub(crate) at: Vec<f64>,
    /// Their lengths; the last may be shorter.
    pub(crate) lengths_s: Vec<f64>,
    pub(crate) series: IndexMap<SeriesKey<'a>, Vec<Option<Bin>>>,
}

impl History<'_> {
    /// In each bin, the sum over series of what is counted of each.
    pub(crate) fn sums(
        &self,
        of: &[SeriesKey<'_>],
        count: impl Fn(&Bin) -> f64,
    ) -> Vec<Option<f64>> {
        let mut sums = vec![None; self.at.len()];
        for bins in of.iter().filter_map(|key| self.series.get(key)) {
            for (sum, bin) in sums.iter_mut().zip(bins) {
                if let Some(bin) = bin {
                    *sum = Some(sum.unwrap_or(0.0) + count(bin));
                }
            }
        }
        sums
    }

    /// The sums, for each second.
    pub(crate) fn rates(
        &self,
        of: &[SeriesKey<'_>],
        count: impl Fn(&Bin) -> f64,
    ) -> Vec<Option<f64>> {
        let sums = self.sums(of, count).into_iter().zip(&self.lengths_s);
        sums.map(|(sum, length)| sum.map(|sum| sum / length))
            .collect()
    }
}

/// The history of a run in bins of a width in seconds, at least that of its intervals.
pub(crate) fn history(run: &Run, bin_s: f64) -> History<'_> {
    let width = bin_s.max(run.interval_s);
    let intervals = &run.tables.intervals;
    let numbers = numbers(intervals, width);
    let last = numbers.iter().max().copied();
    let lengths_s = lengths_s(last, width, run.result.duration_s);

    let empty = vec![Sum::default(); lengths_s.len()];
    let mut sums: IndexMap<_, _> = series(run)
        .into_iter()
        .map(|key| (key, empty.clone()))
        .collect();
    // By where a row's names stand in the table, which of the series it is of.
    let mut places = BTreeMap::new();
    for (row, number) in numbers.into_iter().enumerate() {
        let place = *places
            .entry(names_of(intervals, row))
            .or_insert_with(|| sums.get_index_of(&key_of(intervals, row)));
        let bins = place.and_then(|place| sums.get_index_mut(place));
        if let Some(sum) = bins.and_then(|(_, bins)| bins.get_mut(number)) {
            sum.add(intervals, row);
        }
    }
    let whole = |bins: Vec<Sum>| bins.into_iter().map(Sum::bin).collect();
    History {
        at: (0..lengths_s.len())
            .map(|number| number as f64 * width)
            .collect(),
        lengths_s,
        series: sums
            .into_iter()
            .map(|(key, bins)| (key, whole(bins)))
            .collect(),
    }
}

/// In which bin each row is.
fn numbers(intervals: &Intervals, width: f64) -> Vec<usize> {
    let starts = intervals.t_s.iter();
    starts
        .map(|t_s| (t_s / width + HAIR).floor() as usize)
        .collect()
}

/// How long each bin is, up to the last one that has rows.
fn lengths_s(last: Option<usize>, width: f64, duration_s: f64) -> Vec<f64> {
    let Some(last) = last else {
        return Vec::new();
    };
    let mut lengths = vec![width; last];
    let rest = duration_s - last as f64 * width;
    let rest = if rest > 0.0 { rest.min(width) } else { width };
    if last == 0 || rest >= SHORTEST * width {
        lengths.push(rest);
    }
    lengths
}

fn names_of(intervals: &Intervals, row: usize) -> [usize; 3] {
    [&intervals.job, &intervals.device, &intervals.op].map(|names| names.index[row])
}

fn key_of(intervals: &Intervals, row: usize) -> SeriesKey<'_> {
    SeriesKey {
        job: name_in(&intervals.job, row),
        device: name_in(&intervals.device, row),
        op: name_in(&intervals.op, row),
    }
}

fn name_in(names: &Names, row: usize) -> &str {
    &names.names[names.index[row]]
}

/// The rows of a series in one bin, summed.
#[derive(Clone, Debug, Default)]
struct Sum {
    rows: usize,
    /// Its queue depths are not divided by the rows yet.
    sums: Bin,
}

impl Sum {
    fn add(&mut self, intervals: &Intervals, row: usize) {
        let ios = intervals.ios[row];
        self.rows += 1;
        self.sums.ios += ios;
        self.sums.bytes += intervals.bytes[row];
        self.sums.queue_depth += intervals.queue_depth[row];
        let mean_us = intervals.latency_mean_us[row];
        if !mean_us.is_nan() {
            self.sums.timed_ios += ios;
            self.sums.latency_us += mean_us * ios as f64;
        }
    }

    /// The bin, if there are any rows.
    fn bin(self) -> Option<Bin> {
        (self.rows > 0).then(|| Bin {
            queue_depth: self.sums.queue_depth / self.rows as f64,
            ..self.sums
        })
    }
}
