//! The heat map of latency over time: how many IOs took how long, and when.

use blockyard_record::Packed;

use crate::Run;
use crate::charts::axes::name_of;
use crate::charts::cells::{Cells, width_s};
use crate::charts::histograms::{Bins, max_us, over_time};
use crate::charts::overlay::places;
pub(crate) use crate::charts::percentiles::needs;
use crate::charts::percentiles::{logged, tags_at};
use crate::charts::series::SeriesKey;
use crate::figure::Figure;
use crate::text::format::{count, duration, latency};

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
    let width = width_s(&runs, bin_s);
    let found: Vec<_> = wanted
        .iter()
        .map(|one| (one, over_time(&one.run.latencies, &one.tags, width)))
        .filter(|(_, bins)| !bins.is_empty())
        .collect();
    let cells = Cells::around(width, found.iter().map(|(_, bins)| bins));
    let maps = found.iter();
    maps.map(|(one, bins)| map(one, bins, &cells, group))
        .collect()
}

fn map(wanted: &Wanted<'_>, bins: &Bins, cells: &Cells, group: &str) -> Figure {
    let ios = bins.values().map(Packed::count).sum();
    let slowest_us = bins.values().map(max_us).fold(0.0, f64::max);
    Figure {
        name: wanted.name.clone(),
        title: wanted.title.clone(),
        caption: format!(
            "How many of {} IOs took how long, in columns of {}; the slowest took {}.",
            count(ios),
            duration(cells.width),
            latency(slowest_us)
        ),
        plot: cells.plot(cells.counts(bins)),
        group: group.to_owned(),
    }
}
