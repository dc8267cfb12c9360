//! Mean latency over time: what `iostat` shows, and published charts of storage.

use crate::Run;
use crate::charts::axes::{name_of, time};
use crate::charts::history::{History, history};
use crate::charts::series::{SeriesKey, colours, devices, movers};
use crate::charts::spans::spans;
use crate::charts::{overlay, percentiles};
use crate::figure::{Axis, Dash, Figure, Level, Lines, Plot, Scale, Series};
use crate::text::format::duration;

/// Whether there are rows of intervals with latencies.
pub(crate) fn needs(run: &Run) -> bool {
    let mut means = run.tables.intervals.latency_mean_us.iter();
    !movers(run).is_empty() && means.any(|mean| !mean.is_nan())
}

/// A figure for each device; of several runs one for each operation.
pub(crate) fn figures(runs: &[&Run], bin_s: f64) -> Vec<Figure> {
    let [run] = runs else {
        return overlay::figures(runs, bin_s, "mean-latency", &axis(), means);
    };
    let width = bin_s.max(run.interval_s);
    let found = history(run, width);
    let devices = devices(&movers(run)).into_iter();
    devices
        .map(|device| of_device(run, &found, device, width))
        .collect()
}

fn of_device(run: &Run, found: &History<'_>, device: &str, width: f64) -> Figure {
    let keys = movers(run);
    let palette = colours(&keys);
    let there = keys.iter().filter(|key| key.device == device);
    let unknown = if percentiles::needs(run) {
        ""
    } else {
        "; percentiles are not known"
    };
    Figure {
        name: name_of(&["mean-latency", device]),
        title: format!("Mean latency on {device}"),
        caption: format!("Means over the IOs of each {}{unknown}.", duration(width)),
        plot: Plot::Lines(Lines {
            x: time(),
            y: axis(),
            at: found.at.clone(),
            series: there
                .map(|key| {
                    let values = means(found, &[*key]);
                    Series::new(&key.label(), values, palette.of(key), Dash::Solid)
                })
                .collect(),
            levels: vec![usual()],
            spans: spans(&[run]),
        }),
        group: "mean-latency".to_owned(),
    }
}

fn axis() -> Axis {
    Axis::new("mean latency", "ms").on(Scale::Log)
}

/// What storage for databases is measured by, in published charts and in yaspe's.
fn usual() -> Level {
    Level {
        label: "1 ms".to_owned(),
        value: 1.0,
    }
}

/// The mean in ms over the IOs whose latency is known.
fn means(found: &History<'_>, of: &[SeriesKey<'_>]) -> Vec<Option<f64>> {
    let latencies = found.sums(of, |bin| bin.latency_us).into_iter();
    let counts = found.sums(of, |bin| bin.timed_ios as f64);
    let mean = |(latency, count): (Option<f64>, Option<f64>)| {
        let count = count.filter(|count| *count > 0.0)?;
        Some(latency? / count / 1000.0)
    };
    latencies.zip(counts).map(mean).collect()
}
