//! Queue depth over time: how many IOs are in flight.

use crate::Run;
use crate::charts::axes::{name_of, time};
use crate::charts::history::{History, history};
use crate::charts::overlay;
use crate::charts::series::{SeriesKey, colours, devices, movers};
use crate::charts::spans::spans;
use crate::figure::{Axis, Dash, Figure, Lines, Plot, Series};
use crate::text::format::duration;

/// Whether there are rows of intervals that say how many IOs were in flight.
pub(crate) fn needs(run: &Run) -> bool {
    let mut depths = run.tables.intervals.queue_depth.iter();
    !movers(run).is_empty() && depths.any(|depth| *depth > 0.0)
}

/// A figure for each device; several runs over each other.
pub(crate) fn figures(runs: &[&Run], bin_s: f64) -> Vec<Figure> {
    let [run] = runs else {
        return overlay::figures(runs, bin_s, "queue-depth", &axis(), depths);
    };
    let found = history(run, run.interval_s);
    let devices = devices(&movers(run)).into_iter();
    devices
        .map(|device| of_device(run, &found, device))
        .collect()
}

fn of_device(run: &Run, found: &History<'_>, device: &str) -> Figure {
    let keys = movers(run);
    let palette = colours(&keys);
    let there = keys.iter().filter(|key| key.device == device);
    Figure {
        name: name_of(&["queue-depth", device]),
        title: format!("Queue depth: {device}"),
        caption: format!(
            "IOs in flight, throttled ones included; means over {}, weighted by time.",
            duration(run.interval_s)
        ),
        plot: Plot::Lines(Lines {
            x: time(),
            y: axis(),
            at: found.at.clone(),
            series: there
                .map(|key| {
                    let values = depths(found, &[*key]);
                    Series::new(&key.label(), values, palette.of(key), Dash::Solid)
                })
                .collect(),
            levels: Vec::new(),
            spans: spans(&[run]),
        }),
        group: "queue-depth".to_owned(),
    }
}

fn axis() -> Axis {
    Axis::new("queue depth", "IOs")
}

fn depths(found: &History<'_>, of: &[SeriesKey<'_>]) -> Vec<Option<f64>> {
    found.sums(of, |bin| bin.queue_depth)
}
