//! The heat map of latency over time: how many IOs took how long, and when.

use blockyard_record::Packed;

use crate::Run;
use crate::charts::axes::{latency as latency_axis, name_of, time};
use crate::charts::histograms::{Bins, counts, least_us, max_us, merged, over_time};
use crate::charts::overlay::{common_bin_s, places};
pub(crate) use crate::charts::percentiles::needs;
use crate::charts::percentiles::{logged, tags_at};
use crate::charts::series::SeriesKey;
use crate::figure::{Figure, Heat, Plot};
use crate::text::format::{count, duration, latency};

/// More columns than this no screen shows apart.
const MOST_COLUMNS: f64 = 360.0;

/// Rows for each doubling of the latency.
const ROWS: f64 = 4.0;

/// Below this many µs no row begins.
const FASTEST_US: f64 = 0.001;

/// A map that is to be drawn.
struct Wanted<'a> {
    run: &'a Run,
    tags: Vec<String>,
    name: String,
    title: String,
}

/// A map for each series; of several runs one for each run and operation.
pub(crate) fn figures(runs: &[&Run], bin_s: f64) -> Vec<Figure> {
    match runs {
        [run] => alone(run, bin_s),
        _ => overlays(runs, bin_s),
    }
}

fn alone(run: &Run, bin_s: f64) -> Vec<Figure> {
    let of_series = |key: SeriesKey<'_>| {
        let wanted = Wanted {
            run,
            tags: vec![key.tag()],
            name: name_of(&["heat", key.job, key.device, key.op]),
            title: format!("Latency map: {} on {}", key.label(), key.device),
        };
        maps(&[wanted], bin_s, "heat")
    };
    logged(run).into_iter().flat_map(of_series).collect()
}

fn overlays(runs: &[&Run], bin_s: f64) -> Vec<Figure> {
    let mut found = Vec::new();
    for place in places(runs) {
        let group = format!("heat-{}", place.name());
        let wanted = runs.iter().map(|run| Wanted {
            run,
            tags: tags_at(run, &place),
            name: format!("{group}-{}", name_of(&[&run.name])),
            title: format!("Latency map of {}: {}", run.name, place.title()),
        });
        let wanted: Vec<_> = wanted.collect();
        found.extend(maps(&wanted, bin_s, &group));
    }
    found
}

/// Maps whose cells are alike, so that they can be compared.
fn maps(wanted: &[Wanted<'_>], bin_s: f64, group: &str) -> Vec<Figure> {
    let runs: Vec<_> = wanted.iter().map(|one| one.run).collect();
    let width = width(&runs, bin_s);
    let found: Vec<_> = wanted
        .iter()
        .map(|one| (one, over_time(&one.run.latencies, &one.tags, width)))
        .filter(|(_, bins)| !bins.is_empty())
        .collect();
    let every = merged(found.iter().flat_map(|(_, bins)| bins.values()));
    let edges_us = edges_us(&every);
    let maps = found.iter();
    maps.map(|(one, bins)| map(one, bins, width, &edges_us, group))
        .collect()
}

/// The width of columns in seconds.
fn width(runs: &[&Run], bin_s: f64) -> f64 {
    let width = common_bin_s(runs, bin_s);
    let lengths = runs.iter().map(|run| run.result.duration_s);
    let longest = lengths.fold(0.0, f64::max);
    width * (longest / width / MOST_COLUMNS).ceil().max(1.0)
}

fn map(wanted: &Wanted<'_>, bins: &Bins, width: f64, edges_us: &[f64], group: &str) -> Figure {
    let columns = bins.keys().last().map_or(0, |last| last + 1);
    let whole = merged(bins.values());
    let empty = vec![0; edges_us.len().saturating_sub(1)];
    let column = |number| {
        let bin = bins.get(&number);
        bin.map_or_else(|| empty.clone(), |found| counts(found, edges_us))
    };
    Figure {
        name: wanted.name.clone(),
        title: wanted.title.clone(),
        caption: format!(
            "How many of {} IOs took how long, in columns of {}; the slowest took {}.",
            count(whole.count()),
            duration(width),
            latency(max_us(&whole))
        ),
        plot: Plot::Heat(Heat {
            x: time(),
            y: latency_axis(),
            x_edges: (0..=columns).map(|number| number as f64 * width).collect(),
            y_edges: edges_us.iter().map(|edge| edge / 1000.0).collect(),
            counts: (0..columns).map(column).collect(),
        }),
        group: group.to_owned(),
    }
}

/// Edges around all latencies, at equal ratios, the same for equal ranges.
fn edges_us(whole: &Packed) -> Vec<f64> {
    let fastest = least_us(whole).unwrap_or(0.0).max(FASTEST_US);
    let slowest = max_us(whole).max(fastest);
    // A hair wider, as the middle of a bucket stands for all of it.
    let first = (ROWS * libm::log2(fastest) - 0.01).floor() as i64;
    let last = (ROWS * libm::log2(slowest) + 0.01).ceil() as i64;
    (first..=last)
        .map(|number| libm::exp2(number as f64 / ROWS))
        .collect()
}
