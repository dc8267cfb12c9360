//! Several runs over each other: a line for each, over all jobs, operation by operation.

use indexmap::IndexSet;

use crate::Run;
use crate::charts::axes::{name_of, time};
use crate::charts::history::{History, history};
use crate::charts::series::{SeriesKey, devices, movers};
use crate::charts::spans::spans;
use crate::figure::{Axis, DASHES, Figure, Lines, Plot, Series};
use crate::text::format::{capital, duration};

/// Where runs are laid over each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place<'a> {
    /// The device; none for all together.
    pub(crate) device: Option<&'a str>,
    pub(crate) op: &'a str,
}

impl Place<'_> {
    /// The place as part of a figure's name.
    pub(crate) fn name(&self) -> String {
        name_of(&[self.device.unwrap_or("all"), self.op])
    }

    /// The place as part of a title: `read on data`.
    pub(crate) fn title(&self) -> String {
        match self.device {
            Some(device) => format!("{} on {device}", self.op),
            None => format!("{}, all devices", self.op),
        }
    }

    /// Whether a series belongs here.
    pub(crate) fn holds(&self, key: &SeriesKey<'_>) -> bool {
        key.op == self.op && self.device.is_none_or(|device| device == key.device)
    }
}

/// The operations of any run; device by device where all runs have the same devices.
pub(crate) fn places<'a>(runs: &[&'a Run]) -> Vec<Place<'a>> {
    let found: Vec<_> = runs.iter().map(|run| movers(run)).collect();
    let used: Vec<_> = found.iter().map(|keys| devices(keys)).collect();
    // Sets are equal whatever their order.
    let alike = used.windows(2).all(|pair| pair[0] == pair[1]);
    let places = found.iter().flatten().map(|key| Place {
        device: alike.then_some(key.device),
        op: key.op,
    });
    places.collect::<IndexSet<_>>().into_iter().collect()
}

/// A width for the bins of all runs, in seconds: at least the longest of their intervals.
pub(crate) fn common_bin_s(runs: &[&Run], bin_s: f64) -> f64 {
    let intervals = runs.iter().map(|run| run.interval_s);
    intervals.fold(bin_s, f64::max)
}

/// A figure of a measure for each place: of values of some series in the bins of a history.
pub(crate) fn figures(
    runs: &[&Run],
    bin_s: f64,
    name: &str,
    axis: &Axis,
    measure: impl Fn(&History<'_>, &[SeriesKey<'_>]) -> Vec<Option<f64>>,
) -> Vec<Figure> {
    let width = common_bin_s(runs, bin_s);
    let histories: Vec<_> = runs.iter().map(|run| history(run, width)).collect();
    let mut at: &[f64] = &[];
    for found in &histories {
        if found.at.len() > at.len() {
            at = &found.at;
        }
    }
    let line = |place: &Place<'_>, number: usize| {
        let found = &histories[number];
        let keys = found.series.keys().copied();
        let here: Vec<_> = keys.filter(|key| place.holds(key)).collect();
        if here.is_empty() {
            return None;
        }
        let mut values = measure(found, &here);
        values.resize(at.len(), None);
        let dash = DASHES[number % DASHES.len()];
        Some(Series::new(&runs[number].name, values, Some(number), dash))
    };
    let places = places(runs).into_iter();
    places
        .map(|place| Figure {
            name: format!("{name}-{}", place.name()),
            title: format!("{}: {}", capital(&axis.label), place.title()),
            caption: format!(
                "Each run over all its jobs, in means of {}.",
                duration(width)
            ),
            plot: Plot::Lines(Lines {
                x: time(),
                y: axis.clone(),
                at: at.to_vec(),
                series: (0..runs.len())
                    .filter_map(|number| line(&place, number))
                    .collect(),
                levels: Vec::new(),
                spans: spans(runs),
            }),
            group: format!("{name}-overlay"),
        })
        .collect()
}
