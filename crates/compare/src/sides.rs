//! All sides of one series, or of several together.

use blockyard_model::random::Stream;
use blockyard_scenario::goals::Figure;

use crate::compared::{Basis, Change, Row, Verdict};
use crate::evidence::{Evidence, has_tail};
use crate::figures::{COUNT, FIGURES, QUANTILES, Values, bins, measure, stated};
use crate::run::Run;
use crate::seeds::{Runs, Seeds};
use crate::series_group::SeriesGroup;
use crate::steps::StepKey;

/// The mean latency's index among the figures.
const MEAN: usize = 2;

/// With fewer IOs nothing is said of a side of which one figure is all that is known.
const MANY: u64 = 1_000;

/// Slightly more than a nanosecond, the shortest latency in a histogram, in microseconds.
const NO_TIME: f64 = 0.001_001;

/// What the sides come to in one group.
#[derive(Debug)]
pub(crate) struct Sides {
    /// For each side.
    pub(crate) values: Vec<Values>,
    /// For each further side, figure by figure.
    pub(crate) changes: Vec<[Option<Change>; COUNT]>,
}

impl Sides {
    /// Of all the time, or of a load step.
    pub(crate) fn new(sides: &[Vec<Run>], group: &SeriesGroup, step: Option<&StepKey>) -> Self {
        let of_run = |run: &Run| {
            let mut bins = bins(run, group);
            if let Some(step) = step {
                step.keep(run, &mut bins);
            }
            (run.seed, bins)
        };
        let stated = |runs: &Vec<Run>| match (runs.as_slice(), step) {
            ([run], None) => stated(run, group),
            _ => [None; QUANTILES.len()],
        };
        let stated: Vec<_> = sides.iter().map(stated).collect();
        let sides: Vec<Runs> = sides
            .iter()
            .map(|runs| runs.iter().map(of_run).collect())
            .collect();
        let seeds = Seeds::of(&sides);
        let together = |runs: &Runs| measure(runs.iter().flat_map(|(_, bins)| bins));
        let mut values: Vec<Values> = match &seeds {
            Some(seeds) => (0..sides.len()).map(|side| seeds.values(side)).collect(),
            None => sides.iter().map(together).collect(),
        };
        for (values, stated) in values.iter_mut().zip(stated) {
            let quantiles = values.iter_mut().skip(COUNT - QUANTILES.len());
            for (value, stated) in quantiles.zip(stated) {
                *value = value.or(stated);
            }
        }
        // Seeds tell more.
        let alone = if seeds.is_some() { &[] } else { &sides[..] };
        let evidence: Vec<_> = alone.iter().map(Evidence::of).collect();
        let label = group.stream();
        let changes = (1..sides.len()).map(|side| {
            let mut stream = Stream::new(0, &label);
            let (spreads, basis) = match &seeds {
                Some(seeds) => (seeds.spreads(side), Basis::PairedSeeds),
                None => evidence[0].against(&evidence[side], &mut stream),
            };
            let ios = [0, side].map(|side| ios(&sides[side]));
            let bare = seeds.is_none() && evidence[0].or_other_is_nothing(&evidence[side]);
            std::array::from_fn(|figure| {
                let relative = values[side][figure]? / values[0][figure]? - 1.0;
                let relative = Some(relative).filter(|relative| relative.is_finite())?;
                let interval = spreads[figure].and_then(|spread| spread.interval(relative));
                let interval = interval.map(|interval| (interval, basis));
                let more_is_better = !matches!(FIGURES[figure].1, Figure::Latency(_));
                let mut change = Change::new(relative, interval, more_is_better);
                // A longer run may show it, or that there is none: this one cannot tell.
                if change.verdict == Verdict::NotShown && spreads[figure]?.is_at_most() {
                    change = Change::new(relative, None, more_is_better);
                }
                let many = ios.iter().all(|&ios| has_tail(figure, ios) && ios >= MANY);
                Some(match bare && many {
                    true => change.by_size(more_is_better),
                    false => change,
                })
            })
        });
        Self {
            changes: changes.collect(),
            values,
        }
    }

    /// Whether it takes no time on any side, as the flush of a modelled volume.
    pub(crate) fn takes_no_time(&self) -> bool {
        let means = self.values.iter().filter_map(|values| values[MEAN]);
        let longest = means.reduce(f64::max);
        longest.is_some_and(|mean| mean <= NO_TIME)
    }

    /// A row for each figure that any side has.
    pub(crate) fn rows(self, group: &SeriesGroup) -> Vec<Row> {
        let row = |(place, (figure, _)): (usize, &(&'static str, Figure))| Row {
            group: group.clone(),
            figure: group.figure(figure),
            values: self.values.iter().map(|values| values[place]).collect(),
            changes: self.changes.iter().map(|changes| changes[place]).collect(),
        };
        let rows = FIGURES.iter().enumerate().map(row);
        rows.filter(|row| row.values.iter().any(Option::is_some))
            .collect()
    }
}

fn ios(runs: &Runs) -> u64 {
    let bins = runs.iter().flat_map(|(_, bins)| bins);
    bins.map(|bin| bin.ios).sum()
}
