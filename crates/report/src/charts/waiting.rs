//! How many IOs each limit throttled at a time: what held them back, and when.

use blockyard_explain::WaitSeries;
use indexmap::IndexMap;

use super::axes::time;
use super::history::HAIR;
use super::overlay::common_bin_s;
use super::spans::spans;
use crate::Run;
use crate::figure::{Axis, Dash, Figure, Lines, Plot, Series};
use crate::text::format::duration;
use crate::text::limit_names::in_words;

/// A limit that throttled IOs in some interval.
pub(crate) fn needs(run: &Run) -> bool {
    !series(run).is_empty()
}

/// By limit; of several runs all limits together.
pub(crate) fn figures(runs: &[&Run], _bin_s: f64) -> Vec<Figure> {
    let width = common_bin_s(runs, 0.0);
    let mut lines = IndexMap::new();
    for run in runs {
        let throttled_ios = throttled_over_time(run, width);
        if runs.len() > 1 {
            lines.insert(run.name.clone(), summed(throttled_ios.values()));
        } else {
            lines.extend(throttled_ios);
        }
    }
    let longest = lines.values().map(Vec::len).max().unwrap_or(0);
    let series = lines.into_iter().enumerate().map(|(place, (name, ios))| {
        let mut values: Vec<_> = ios.into_iter().map(Some).collect();
        values.resize(longest, None);
        Series::new(&name, values, Some(place), Dash::Solid)
    });
    vec![Figure {
        name: "waiting".to_owned(),
        title: "IOs that limits throttled".to_owned(),
        caption: format!(
            "How many IOs waited for tokens, on average over each {}. An IO counts where it was \
             let go.",
            duration(width)
        ),
        plot: Plot::Lines(Lines {
            x: time(),
            y: Axis::new("throttled by limits", "IOs"),
            at: (0..longest).map(|number| number as f64 * width).collect(),
            series: series.collect(),
            levels: Vec::new(),
            spans: spans(runs),
        }),
        group: String::new(),
    }]
}

/// Of each limit that throttled IOs, how many it throttled on average in each bin.
pub(crate) fn throttled_over_time(run: &Run, bin_s: f64) -> IndexMap<String, Vec<f64>> {
    let bin_of = |t_s: f64| (t_s / bin_s + HAIR).floor() as usize;
    let starts = run.tables.volumes.served.t_s.iter();
    let bins = starts.map(|&t_s| 1 + bin_of(t_s)).max().unwrap_or(0);
    let limits = series(run).iter().map(|series| {
        let mut waiting = vec![0.0; bins];
        for (&t_s, waited_us) in series.t_s.iter().zip(&series.waited_us) {
            if let Some(ios) = waiting.get_mut(bin_of(t_s)) {
                *ios += waited_us / 1e6 / bin_s;
            }
        }
        (in_words(&series.limit), waiting)
    });
    limits.collect()
}

/// The sums of equally long lines, place by place.
fn summed<'a>(lines: impl Iterator<Item = &'a Vec<f64>>) -> Vec<f64> {
    let mut sums = Vec::new();
    for line in lines {
        sums.resize(line.len(), 0.0);
        for (sum, value) in sums.iter_mut().zip(line) {
            *sum += value;
        }
    }
    sums
}

fn series(run: &Run) -> &[WaitSeries] {
    let modelled = run.facts.as_ref().and_then(|facts| facts.modelled.as_ref());
    modelled.map_or(&[], |modelled| &modelled.series)
}
