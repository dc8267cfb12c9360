//! Percentile curves: latency against the share of IOs that were as fast, on nines.

use blockyard_record::Packed;
use blockyard_record::result::Step;

use crate::Run;
use crate::charts::axes::{latency, name_of};
use crate::charts::histograms::{between, quantiles_us};
use crate::charts::overlay::{Place, places};
use crate::charts::percentiles::{logged, tags_at};
use crate::charts::series::SeriesKey;
use crate::figure::{Axis, Curve, Curves, DASHES, Figure, Plot, Scale};
use crate::text::format::{duration, significant};
use crate::words::steps::{load_of, loaded, steps_of};

/// Points for each nine.
const POINTS: f64 = 20.0;

/// What a curve is called, and the latencies that it is of.
type Named = (String, Packed);

/// Whether latencies of a series are known, by interval or of the whole run.
pub(crate) fn needs(run: &Run) -> bool {
    !logged(run).is_empty()
}

/// One run's series, and the steps of each series; several runs over each other.
pub(crate) fn figures(runs: &[&Run], _bin_s: f64) -> Vec<Figure> {
    match runs {
        [run] => alone(run),
        _ => {
            let places = places(runs).into_iter();
            places.map(|place| overlay(runs, &place)).collect()
        }
    }
}

fn overlay(runs: &[&Run], place: &Place<'_>) -> Figure {
    let of_run = |run: &&Run| (run.name.clone(), whole(run, &tags_at(run, place)));
    let found: Vec<_> = runs.iter().map(of_run).collect();
    let name = format!("percentiles-{}", place.name());
    let title = format!("Percentiles: {}", place.title());
    figure(name, title, &found, "Each run")
}

fn alone(run: &Run) -> Vec<Figure> {
    let stepped = steps_of(&run.result);
    let keys = logged(run);
    let apart: Vec<_> = keys
        .iter()
        .filter_map(|key| Some((key, stepped.get(key.job)?)))
        .collect();
    let mut figures = Vec::new();
    if keys.len() > apart.len() || apart.len() > 1 {
        figures.push(of_all(run, &keys));
    }
    figures.extend(apart.iter().map(|(key, steps)| by_load(run, key, steps)));
    figures
}

fn of_all(run: &Run, keys: &[SeriesKey<'_>]) -> Figure {
    let of_series = |key: &SeriesKey<'_>| {
        let label = format!("{} {}", key.label(), key.device);
        (label, whole(run, &[key.tag()]))
    };
    let found: Vec<_> = keys.iter().map(of_series).collect();
    let title = "Percentiles of all jobs".to_owned();
    figure("percentiles".to_owned(), title, &found, "Each series")
}

fn by_load(run: &Run, key: &SeriesKey<'_>, steps: &[&Step]) -> Figure {
    let tags = [key.tag()];
    let of_step = |(label, step): (String, &Step)| {
        let to = Some(step.to_s);
        (label, between(&run.latencies, &tags, step.from_s, to))
    };
    let found: Vec<_> = labelled(steps).into_iter().map(of_step).collect();
    let name = name_of(&["percentiles", key.job, key.device, key.op]);
    let title = format!("Percentiles by load: {} on {}", key.label(), key.device);
    figure(name, title, &found, "Each load step")
}

/// The steps that asked for IO, by their load; by their time, too, where loads recur.
fn labelled<'a>(steps: &[&'a Step]) -> Vec<(String, &'a Step)> {
    let asking = steps.iter().filter(|step| loaded(step));
    let found: Vec<_> = asking.map(|step| (load_of(step), *step)).collect();
    let recurs = |load: &str| found.iter().filter(|(other, _)| other == load).count() > 1;
    let label = |(load, step): &(String, &'a Step)| {
        let label = if recurs(load) {
            format!("{load}, from {}", duration(step.from_s))
        } else {
            load.clone()
        };
        (label, *step)
    };
    found.iter().map(label).collect()
}

fn whole(run: &Run, tags: &[String]) -> Packed {
    between(&run.latencies, tags, run.warmup_s, None)
}

fn figure(name: String, title: String, found: &[Named], each: &str) -> Figure {
    let with_any = found
        .iter()
        .enumerate()
        .filter(|(_, (_, latencies))| latencies.count() > 0);
    let curves = with_any.map(|(number, (label, latencies))| Curve {
        dash: DASHES[number % DASHES.len()],
        ..Curve::new(label, points(latencies), Some(number))
    });
    Figure {
        name,
        title,
        caption: format!("{each} without the warm-up, up to its slowest IO."),
        plot: Plot::Curves(Curves {
            x: Axis::new("share of IOs at most as slow", "").on(Scale::Nines),
            y: latency(),
            curves: curves.collect(),
            levels: Vec::new(),
        }),
        group: "percentiles".to_owned(),
    }
}

/// Places at equal distances on nines, as far as the number of IOs bears.
fn points(latencies: &Packed) -> Vec<(f64, f64, String)> {
    let steps = (POINTS * libm::log10(latencies.count() as f64)).floor() as usize;
    let shares: Vec<_> = (0..=steps)
        .map(|step| 1.0 - libm::pow(10.0, -(step as f64) / POINTS))
        .collect();
    let us = quantiles_us(latencies, &shares);
    shares
        .into_iter()
        .zip(us)
        .map(|(share, us)| {
            let name = format!("p{}", significant(100.0 * share, 7));
            (share, us / 1000.0, name)
        })
        .collect()
}
