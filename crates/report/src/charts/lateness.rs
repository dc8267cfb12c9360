//! Lateness of an emulation: how long after the model's time answers went out.

use std::collections::BTreeSet;

use super::axes::time;
use super::histograms::{over_time, quantiles_us};
use super::overlay::common_bin_s;
use super::spans::spans;
use crate::Run;
use crate::figure::{Axis, Dash, Figure, Level, Lines, Plot, Scale, Series};
use crate::text::format::duration;
use crate::words::thresholds::TRUSTED_MS;

/// As the latency log calls it.
const TAG: &str = "lateness";

const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p99", 0.99), ("max", 1.0)];

/// An emulation that kept its lateness by interval.
pub(crate) fn needs(run: &Run) -> bool {
    run.latencies.tags().any(|tag| tag == TAG)
}

/// Median, p99 and maximum; of several runs the p99.
pub(crate) fn figures(runs: &[&Run], bin_s: f64) -> Vec<Figure> {
    let alone = runs.len() == 1;
    let shown = if alone { &QUANTILES } else { &QUANTILES[1..2] };
    let width = common_bin_s(runs, bin_s);
    let tags = [TAG.to_owned()];
    let found = runs
        .iter()
        .map(|run| (run, over_time(&run.latencies, &tags, width)));
    let found: Vec<_> = found.collect();
    let bins: BTreeSet<_> = found.iter().flat_map(|(_, bins)| bins.keys()).collect();
    let lines = found
        .iter()
        .flat_map(|of_run| shown.iter().map(move |of| (of_run, of)));
    let series = lines
        .enumerate()
        .map(|(place, ((run, own), (label, quantile)))| {
            let ms = |bin| Some(quantiles_us(own.get(bin)?, &[*quantile]).first()? / 1000.0);
            let values = bins.iter().map(|bin| ms(bin)).collect();
            let label = if alone {
                (*label).to_owned()
            } else {
                format!("{} {label}", run.name)
            };
            Series::new(&label, values, Some(place), Dash::Solid)
        });
    vec![Figure {
        name: "lateness".to_owned(),
        title: "Lateness of the emulation".to_owned(),
        caption: format!(
            "How long after the model's time answers went out, of all within {}. Above \
             {TRUSTED_MS} ms this machine was too slow to be trusted.",
            duration(width)
        ),
        plot: Plot::Lines(Lines {
            x: time(),
            y: Axis::new("lateness", "ms").on(Scale::Log),
            series: series.collect(),
            at: bins.iter().map(|&&bin| bin as f64 * width).collect(),
            levels: vec![Level {
                label: format!("trusted up to {TRUSTED_MS} ms"),
                value: TRUSTED_MS,
            }],
            spans: spans(runs),
        }),
        group: String::new(),
    }]
}
