//! The charts of a report, in their order.
//!
//! A chart is a module that says which runs have what it needs, and draws those: one run in
//! detail, with its jobs and devices apart, several over each other.

mod axes;
mod balance;
pub(crate) mod beside;
pub(crate) mod bursts;
mod cells;
mod cost;
mod cycles;
mod difference;
mod distribution;
mod heat;
mod histograms;
mod history;
mod lateness;
mod limit_lines;
mod load;
mod means;
mod overlay;
mod percentiles;
mod places;
mod queue;
mod rates;
mod series;
mod spans;
mod throttling;
mod transactions;
mod waiting;

use indexmap::IndexMap;

use crate::Run;
use crate::figure::{Figure, Plot};

/// Usual widths of bins in seconds.
const WIDTHS_S: [f64; 14] = [
    0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0,
];

/// How many bins a chart has at least.
const FEWEST: f64 = 60.0;

/// What each of the modules here is.
struct Chart {
    /// Whether a run has what the chart shows.
    needs: fn(&Run) -> bool,
    /// Its figures of such runs, at least one, with time in bins of so many seconds.
    ///
    /// What compares runs has none of a single one.
    /// A chart that shows every interval of a run, or no time, has no use for the bins.
    figures: fn(&[&Run], f64) -> Vec<Figure>,
}

/// Makes a chart of a module.
macro_rules! chart {
    ($module:ident) => {
        Chart {
            needs: $module::needs,
            figures: $module::figures,
        }
    };
}

/// What stands before all others where two runs are compared.
const OF_TWO: Chart = chart!(difference);

const CHARTS: [Chart; 15] = [
    chart!(transactions),
    chart!(rates),
    chart!(means),
    chart!(percentiles),
    chart!(heat),
    chart!(distribution),
    chart!(places),
    chart!(load),
    chart!(balance),
    chart!(queue),
    chart!(cycles),
    chart!(waiting),
    chart!(throttling),
    chart!(cost),
    chart!(lateness),
];

/// The figures of all charts, each of the runs that have what it needs.
///
/// Without `bin_s` the length of the runs decides on the width of bins. In figures of several
/// runs each has its colour of `colours`, or else one of its own.
#[must_use]
pub fn all_figures(runs: &[&Run], bin_s: Option<f64>, colours: Option<&[usize]>) -> Vec<Figure> {
    let longest_s = runs.iter().map(|run| run.result.duration_s);
    let bin_s = bin_s.unwrap_or_else(|| suited_bin_s(longest_s.fold(0.0, f64::max)));
    let colour_of = |run: usize| {
        let given = colours.and_then(|colours| colours.get(run));
        given.copied().unwrap_or(run)
    };
    let first = (runs.len() == 2).then_some(&OF_TWO);
    let mut found = IndexMap::new();
    for chart in first.into_iter().chain(&CHARTS) {
        let having = runs.iter().enumerate();
        let having = having.filter(|(_, run)| (chart.needs)(run));
        let (colours, shown): (Vec<_>, Vec<_>) =
            having.map(|(place, &run)| (colour_of(place), run)).unzip();
        let drawn = if shown.is_empty() {
            Vec::new()
        } else {
            (chart.figures)(&shown, bin_s)
        };
        for mut figure in drawn {
            match &shown[..] {
                [run] if runs.len() > 1 => figure.title = format!("{}: {}", run.name, figure.title),
                [_] => {}
                _ => colour(&mut figure, &colours),
            }
            figure.name = free(&figure.name, &found);
            found.insert(figure.name.clone(), figure);
        }
    }
    found.into_values().collect()
}

/// The widest usual width of bins of which such a run has at least [`FEWEST`].
///
/// Charts make no bin narrower than the run's intervals.
fn suited_bin_s(duration_s: f64) -> f64 {
    let widths = WIDTHS_S.into_iter().rev();
    let mut fitting = widths.filter(|width| duration_s >= FEWEST * width);
    fitting.next().unwrap_or(WIDTHS_S[0])
}

/// A name, with a number where others have it.
fn free(name: &str, taken: &IndexMap<String, Figure>) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names
        .find(|name| !taken.contains_key(name))
        .unwrap_or_default()
}

/// Gives the runs of a figure, in their order, these colours.
fn colour(figure: &mut Figure, colours: &[usize]) {
    let give = |place: &mut Option<usize>| {
        *place = place.map(|run| colours.get(run).copied().unwrap_or(run));
    };
    match &mut figure.plot {
        Plot::Lines(plot) => plot
            .series
            .iter_mut()
            .for_each(|line| give(&mut line.colour)),
        Plot::Curves(plot) => plot
            .curves
            .iter_mut()
            .for_each(|line| give(&mut line.colour)),
        Plot::Heat(_) | Plot::Bars(_) | Plot::Lanes(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_as_wide_as_leaves_sixty_of_them() {
        let lengths_s = [
            0.0, 0.5, 6.0, 30.0, 59.9, 60.0, 300.0, 600.0, 3600.0, 86_400.0, 1e9,
        ];
        let bins_s = [0.1, 0.1, 0.1, 0.5, 0.5, 1.0, 5.0, 10.0, 60.0, 600.0, 3600.0];
        assert_eq!(lengths_s.map(suited_bin_s), bins_s);
    }
}
