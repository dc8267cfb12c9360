//! Latency percentiles over time, from merged histograms.

use indexmap::IndexSet;

use crate::Run;
use crate::charts::axes::{latency, name_of, time};
use crate::charts::histograms::{Bins, over_time, quantiles_us};
use crate::charts::history::HAIR;
use crate::charts::overlay::{Place, common_bin_s, places};
use crate::charts::series::{SeriesKey, series};
use crate::charts::spans::spans;
use crate::figure::{Dash, Figure, Lines, Plot, Series, Span};
use crate::text::format::duration;
use crate::words::stalls::hidden;

/// A percentile that is drawn: its name, the quantile, and the line.
type Shown = (&'static str, f64, Dash);

const SHOWN: [Shown; 4] = [
    ("p50", 0.5, Dash::Solid),
    ("p95", 0.95, Dash::Dashed),
    ("p99", 0.99, Dash::Solid),
    ("p99.9", 0.999, Dash::Dotted),
];

/// Of several runs only these, so that the lines can be told apart.
const COMPARED: [Shown; 2] = [("p50", 0.5, Dash::Solid), ("p99", 0.99, Dash::Dashed)];

/// Whether latencies by interval are known of a series.
pub(crate) fn needs(run: &Run) -> bool {
    !logged(run).is_empty() && !run.tables.intervals.t_s.is_empty()
}

/// The series whose latencies are known.
pub(crate) fn logged(run: &Run) -> Vec<SeriesKey<'_>> {
    let tags: IndexSet<_> = run.latencies.tags().collect();
    let known = |key: &SeriesKey<'_>| tags.contains(key.tag().as_str());
    series(run).into_iter().filter(known).collect()
}

/// The tags of the series at a place whose latencies are known.
pub(crate) fn tags_at(run: &Run, place: &Place<'_>) -> Vec<String> {
    let keys = logged(run).into_iter();
    keys.filter(|key| place.holds(key))
        .map(|key| key.tag())
        .collect()
}

/// A figure for each series; of several runs one for each operation.
pub(crate) fn figures(runs: &[&Run], bin_s: f64) -> Vec<Figure> {
    match runs {
        [run] => {
            let keys = logged(run).into_iter();
            keys.map(|key| of_series(run, &key, bin_s)).collect()
        }
        _ => {
            let places = places(runs).into_iter();
            places.map(|place| overlay(runs, &place, bin_s)).collect()
        }
    }
}

fn of_series(run: &Run, key: &SeriesKey<'_>, bin_s: f64) -> Figure {
    let width = bin_s.max(run.interval_s);
    let bins = over_time(&run.latencies, &[key.tag()], width);
    let at = grid(&[run], width);
    let found = quantiles_ms(&bins, &at, &SHOWN);
    let lines = SHOWN.iter().zip(found).enumerate();
    Figure {
        name: name_of(&["latency", key.job, key.device, key.op]),
        title: format!("Latency: {} on {}", key.label(), key.device),
        caption: format!(
            "Percentiles of the IOs that completed within each {}.",
            duration(width)
        ),
        plot: Plot::Lines(Lines {
            x: time(),
            y: latency(),
            series: lines
                .map(|(number, ((label, _, dash), values))| {
                    Series::new(label, values, Some(number), *dash)
                })
                .collect(),
            at,
            levels: Vec::new(),
            spans: [spans(&[run]), worst_seconds(run, key)].concat(),
        }),
        group: "latency".to_owned(),
    }
}

/// The worst second, where the run's percentiles hide it.
fn worst_seconds(run: &Run, key: &SeriesKey<'_>) -> Vec<Span> {
    let totals = run.result.totals.iter();
    totals
        .filter(|total| (&*total.job, &*total.device, &*total.op) == (key.job, key.device, key.op))
        .filter_map(hidden)
        .map(|worst| Span {
            label: "worst second".to_owned(),
            start: worst.t_s,
            end: worst.t_s,
        })
        .collect()
}

fn overlay(runs: &[&Run], place: &Place<'_>, bin_s: f64) -> Figure {
    let width = common_bin_s(runs, bin_s);
    let at = grid(runs, width);
    let mut series = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let bins = over_time(&run.latencies, &tags_at(run, place), width);
        if bins.is_empty() {
            continue;
        }
        let found = quantiles_ms(&bins, &at, &COMPARED);
        for ((label, _, dash), values) in COMPARED.iter().zip(found) {
            let label = format!("{} {label}", run.name);
            series.push(Series::new(&label, values, Some(number), *dash));
        }
    }
    Figure {
        name: format!("latency-{}", place.name()),
        title: format!("Latency: {}", place.title()),
        caption: format!(
            "Each run over all its jobs: percentiles of the IOs that completed within each {}.",
            duration(width)
        ),
        plot: Plot::Lines(Lines {
            x: time(),
            y: latency(),
            at,
            series,
            levels: Vec::new(),
            spans: spans(runs),
        }),
        group: "latency-overlay".to_owned(),
    }
}

/// What is shown, in ms in each bin of the grid `at`; none where nothing completed.
fn quantiles_ms(bins: &Bins, at: &[f64], shown: &[Shown]) -> Vec<Vec<Option<f64>>> {
    let quantiles: Vec<_> = shown.iter().map(|(_, quantile, _)| *quantile).collect();
    let mut found = vec![vec![None; at.len()]; shown.len()];
    for (&number, bin) in bins.range(..at.len()) {
        let us = quantiles_us(bin, &quantiles);
        for (values, us) in found.iter_mut().zip(us) {
            values[number] = Some(us / 1000.0);
        }
    }
    found
}

/// A quantile in ms in each bin of the grid `at`; none where nothing completed.
pub(crate) fn quantile_ms(bins: &Bins, at: &[f64], quantile: f64) -> Vec<Option<f64>> {
    let of = |bin| quantiles_us(bin, &[quantile]).first().map(|us| us / 1000.0);
    (0..at.len())
        .map(|number| bins.get(&number).and_then(of))
        .collect()
}

/// The starts of all bins of the longest run, with IO or without.
pub(crate) fn grid(runs: &[&Run], width: f64) -> Vec<f64> {
    let lengths = runs.iter().map(|run| run.result.duration_s);
    let longest = lengths.fold(0.0, f64::max);
    let count = (longest / width - HAIR).ceil() as usize;
    (0..count).map(|number| number as f64 * width).collect()
}
