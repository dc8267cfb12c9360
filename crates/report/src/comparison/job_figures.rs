//! The figures by which jobs are judged against each other: a rate, and a latency.

use std::collections::BTreeMap;

use blockyard_compare::{Change, Row, SeriesGroup, TRANSACTION, Verdict};
use blockyard_record::thresholds::GAIN;
use indexmap::IndexMap;

use super::figures::is_rate;
use super::whole::Whole;

/// So many IOs on one side and none on the other are chance in fewer than one of a hundred cases if
/// both do the same.
const BEYOND_CHANCE: u64 = 8;

/// A figure of both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) first: f64,
    pub(crate) other: f64,
    pub(crate) change: Change,
}

impl Figure {
    /// What a row has of the first side and of another; none unless both have the figure.
    fn of(row: &Row, side: usize) -> Option<Self> {
        Some(Self {
            name: row.figure,
            first: value(row, 0)?,
            other: value(row, side)?,
            change: (*row.changes.get(side.checked_sub(1)?)?)?,
        })
    }

    /// What is shown, without what is too small to matter.
    pub(crate) fn state(&self) -> Whole {
        let matters = self.change.relative.abs() >= GAIN;
        match self.change.verdict {
            Verdict::Unknown => Whole::Unknown,
            Verdict::Better if matters => Whole::Better,
            Verdict::Worse if matters => Whole::Worse,
            Verdict::NotShown => Whole::NotShown,
            Verdict::Better | Verdict::Worse | Verdict::Alike => Whole::Alike,
        }
    }
}

/// The value of a side.
pub(crate) fn value(row: &Row, side: usize) -> Option<f64> {
    row.values.get(side).copied().flatten()
}

/// A job that both sides did, with its rate and latency as far as both have them.
#[derive(Clone, Debug)]
pub(crate) struct Job<'a> {
    pub(crate) name: &'a str,
    pub(crate) figures: Vec<Figure>,
}

impl Job<'_> {
    /// Whether no figure of it differs.
    pub(crate) fn is_alike(&self) -> bool {
        self.figures.iter().all(|it| it.state() == Whole::Alike)
    }
}

/// A job that both sides have, and only one did any IO of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoneJob<'a> {
    pub(crate) name: &'a str,
    /// Of the rate.
    pub(crate) figure: &'static str,
    /// IOs or transactions a second, on the side that did any.
    pub(crate) value: f64,
    /// Whether that is the first side.
    pub(crate) first: bool,
}

impl LoneJob<'_> {
    /// What the side without IO, or the first against it, comes to.
    pub(crate) fn state(&self) -> Whole {
        if self.first {
            Whole::Worse
        } else {
            Whole::Better
        }
    }
}

/// The jobs that only one of the first side and another did; once each.
///
/// `both` are the jobs that both sides have, with how many IOs they did on the two.
pub(crate) fn lone<'a>(
    side: usize,
    rows: &'a [Row],
    both: &BTreeMap<&str, u64>,
) -> Vec<LoneJob<'a>> {
    let mut rates: IndexMap<&str, &Row> = IndexMap::new();
    for row in rows.iter().filter(|row| is_rate(row.figure)) {
        rates.entry(&row.group.job).or_insert(row);
    }
    let lone = |(name, row): (&'a str, &'a Row)| {
        let (value, first) = match (value(row, 0), value(row, side)) {
            (Some(value), None) => (value, true),
            (None, Some(value)) => (value, false),
            _ => return None,
        };
        let ios = both.get(name).copied().unwrap_or(0);
        (ios >= BEYOND_CHANCE).then_some(LoneJob {
            name,
            figure: row.figure,
            value,
            first,
        })
    };
    rates.into_iter().filter_map(lone).collect()
}

/// Rate and p99 of each job but those `besides`: of what comes first of it on both sides.
pub(crate) fn of<'a>(side: usize, rows: &'a [Row], besides: &[LoneJob<'_>]) -> Vec<Job<'a>> {
    let mut groups: IndexMap<&str, &SeriesGroup> = IndexMap::new();
    for row in rows {
        let is_besides = besides.iter().any(|lone| lone.name == row.group.job);
        let is_transaction = row.group.op.as_deref() == Some(TRANSACTION);
        if !is_besides && (!is_transaction || Figure::of(row, side).is_some()) {
            groups.entry(&row.group.job).or_insert(&row.group);
        }
    }
    let job = |(name, group): (&'a str, &'a SeriesGroup)| {
        let figures = figures(side, rows, group);
        (!figures.is_empty()).then_some(Job { name, figures })
    };
    groups.into_iter().filter_map(job).collect()
}

/// The rate and the latency of a group, as far as both sides have them.
fn figures(side: usize, rows: &[Row], group: &SeriesGroup) -> Vec<Figure> {
    let row = |figure: &str| {
        rows.iter()
            .find(|row| row.group == *group && row.figure == figure)
    };
    let of = |row: &Row| Figure::of(row, side);
    let rate = row("tps").or_else(|| row("iops")).and_then(of);
    // Without percentiles, as in a file of iostat, the mean is what there is of latency.
    let p99 = row("latency.p99").and_then(of);
    let slower = p99.or_else(|| row("latency.mean").and_then(of));
    rate.into_iter().chain(slower).collect()
}
