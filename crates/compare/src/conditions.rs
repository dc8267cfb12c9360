//! Whether conditions such as `readers.latency.p99 > +5%` hold.

use blockyard_scenario::goals::{Bound, Condition, Figure, Op};
use blockyard_scenario::shorten;

use crate::compared::{Change, Outcome};
use crate::figures::{FIGURES, Values};
use crate::run::{Bin, Run, Series};
use crate::series_group::{SeriesGroup, TRANSACTION, distinct};
use crate::sides::Sides;

/// A condition on a comparison.
#[derive(Debug)]
pub(crate) struct Question {
    condition: Condition,
    /// The figure's index in the list of figures.
    figure: usize,
    group: SeriesGroup,
    /// Whether it is of all jobs together.
    every_job: bool,
}

/// What a condition calls all jobs together.
const ALL: &str = "all";

/// Parses conditions on the jobs of `sides`.
pub(crate) fn parse(sides: &[Vec<Run>], texts: &[String]) -> Result<Vec<Question>, String> {
    let series = || sides.iter().flatten().flat_map(|run| &run.series);
    let mut jobs = distinct(series().map(|series| series.job.as_str()));
    let is_name = jobs.contains(&ALL);
    if !is_name {
        jobs.push(ALL);
    }
    let question = |text: &String| {
        let condition = Condition::parse(text, &jobs);
        let condition = condition.map_err(|error| format!("`{}`: {error}", shorten(text)))?;
        let (figure, op) = compared(&condition).ok_or_else(|| {
            let names = FIGURES.map(|(name, _)| name).join(", ");
            let of = "of transactions transactions.tps and the like";
            format!(
                "`{}`: not compared; compared are {names}, {of}",
                shorten(text)
            )
        })?;
        let group = SeriesGroup {
            job: condition.job.clone(),
            device: None,
            op: op.map(str::to_owned),
        };
        let every_job = group.job == ALL && !is_name;
        let asked = |series: &Series| {
            let job = if every_job { &series.job } else { &group.job };
            let own = SeriesGroup {
                job: job.clone(),
                ..group.clone()
            };
            own.includes(series)
        };
        if !series().any(asked) {
            let what = match condition.figure.is_of_transactions() {
                true => "no run has any transaction of it",
                false => "no run has any such IO",
            };
            return Err(format!("`{}`: {what}", shorten(text)));
        }
        Ok(Question {
            condition,
            figure,
            group,
            every_job,
        })
    };
    texts.iter().map(question).collect()
}

/// Where a condition's figure stands among the figures, and of which operation it is: those of
/// transactions are the figures of IOs, of transactions. None of what is not compared.
fn compared(condition: &Condition) -> Option<(usize, Option<&'static str>)> {
    let (figure, op) = match (condition.figure, condition.op) {
        (Figure::Tps, None) => (Figure::Iops, Some(TRANSACTION)),
        (Figure::Transaction(latency), None) => (Figure::Latency(latency), Some(TRANSACTION)),
        (figure, Some(Op::Read)) => (figure, Some("read")),
        (figure, Some(Op::Write)) => (figure, Some("write")),
        (figure, None) => (figure, None),
    };
    let place = FIGURES.iter().position(|(_, known)| *known == figure)?;
    Some((place, op))
}

/// The outcome of a condition for each further side. A condition holds where nothing was
/// measured: a check that could not be made must not pass.
pub(crate) fn outcomes(sides: &[Vec<Run>], question: &Question) -> Vec<Outcome> {
    let compared = match question.every_job {
        true => Sides::new(&joined(sides), &question.group, None),
        false => Sides::new(sides, &question.group, None),
    };
    let outcome = |(side, changes): (usize, &[Option<Change>; FIGURES.len()])| {
        let found = question.answer(changes[question.figure], &compared.values[side]);
        let (holds, measured) = found.unwrap_or((true, "nothing was measured".to_owned()));
        Outcome {
            condition: question.condition.text.clone(),
            side,
            holds,
            measured,
        }
    };
    (1..).zip(&compared.changes).map(outcome).collect()
}

/// The sides with all jobs of each as one.
fn joined(sides: &[Vec<Run>]) -> Vec<Vec<Run>> {
    let together = |series: &Series, by_step: bool| Series {
        job: ALL.to_owned(),
        bins: match by_step {
            true => vec![Bin::merged(&series.bins, |sum, length| sum + length)],
            false => series.bins.clone(),
        },
        ..series.clone()
    };
    let run = |run: &Run| {
        let series = run.series.iter();
        Run {
            series: series.map(|own| together(own, run.by_step)).collect(),
            ..run.clone()
        }
    };
    let side = |runs: &Vec<Run>| runs.iter().map(run).collect();
    sides.iter().map(side).collect()
}

impl Question {
    /// Whether it holds, and what was measured; none if nothing was measured.
    fn answer(&self, change: Option<Change>, values: &Values) -> Option<(bool, String)> {
        let Condition {
            comparison, figure, ..
        } = self.condition;
        match self.condition.bound {
            Bound::Change(bound) => {
                let change = change?;
                // If there is an interval, the change must also be shown.
                let counts = change.interval.is_none() || !change.verdict.is_none_shown();
                let holds = counts && comparison.holds(change.relative, bound);
                Some((holds, printed(change)))
            }
            Bound::Value(bound) => {
                let mut value = values[self.figure]?;
                if let Figure::Latency(_) | Figure::Transaction(_) = figure {
                    value /= 1e6;
                }
                Some((comparison.holds(value, bound), figure.print(value)))
            }
        }
    }
}

fn printed(change: Change) -> String {
    let percent = |change: f64| format!("{:+.1}%", 100.0 * change);
    let relative = percent(change.relative);
    match change.interval {
        Some((low, high)) => format!("{relative} ({} to {})", percent(low), percent(high)),
        None => format!("{relative} (no interval)"),
    }
}
