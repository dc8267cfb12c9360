//! Runs side by side: whether they are comparable, what differs, and what it amounts to.
//!
//! [`compare`] is the whole of it: it takes [`Side`]s, and its answer has figures, sentences and
//! notes. [`Compared::tables`] and [`Compared::passages`] put these into tables and under headings.

mod burst_credits;
mod clauses;
mod comparability;
mod conclusion;
mod figures;
mod further_seeds;
mod job_figures;
mod journal_mirrors;
mod model;
mod notes;
mod page;
mod recorded;
mod scenario_differences;
mod side;
mod side_costs;
mod tables;
#[cfg(test)]
mod tests;
mod whole;

use std::fmt;

use blockyard_compare::{Comparison, Outcome, Row, StepRow};
use schemars::JsonSchema;
use serde::Serialize;

pub use burst_credits::Ends;
pub use conclusion::Conclusion;
pub use further_seeds::{Again, simulated};
pub use scenario_differences::{Changed, Differing};
pub use side::Side;
pub use side_costs::SideCost;
pub use tables::{Line, LineVerdict, SideTables, StepLine, Tables};
pub use whole::Whole;

use comparability::Together;
use conclusion::Weighed;
use figures::ALL;

/// How sides are to be compared.
#[derive(Debug, Default)]
pub struct Asked<'a> {
    /// Conditions such as `readers.latency.p99 > +5%`.
    pub fail_if: &'a [String],
    /// Whether to compare what is not comparable.
    pub anyway: bool,
    /// The sides simulated with further seeds.
    pub again: Again,
}

/// Why nothing was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Runs are not comparable: a line for each reason.
    Unlike(Vec<String>),
    /// What is wrong with a condition or a run, in one line.
    Input(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlike(reasons) => f.write_str(&reasons.join("\n")),
            Self::Input(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Refused {}

/// What differs between sides.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Compared {
    /// Their names.
    pub sides: Vec<String>,
    /// In what each further side's scenario, kind of run and storage differ from the first's.
    pub differing: Vec<Differing>,
    /// The seeds that simulations of all sides were made again with; empty if there are none.
    pub seeds: Vec<u64>,
    /// Every figure of every job, device and operation.
    pub rows: Vec<Row>,
    /// The same of each load step.
    pub steps: Vec<StepRow>,
    /// What each side costs; none where that is not known.
    pub costs: Vec<Option<SideCost>>,
    /// Which burst credits each side lives on; none of one that goes on as it is.
    pub credits: Vec<Option<Ends>>,
    /// What to keep in mind, a line each.
    pub notes: Vec<String>,
    /// The outcome of each condition, against each further side.
    pub conditions: Vec<Outcome>,
    /// What each further side comes to.
    pub conclusions: Vec<Conclusion>,
}

/// Checks that the runs of all sides are comparable with the first: [`compare`] does too, unless it
/// is asked not to, but who simulates sides again wants to know before.
///
/// # Errors
/// Where they are not.
pub fn check(sides: &[Side<'_>]) -> Result<(), Refused> {
    let runs = || sides.iter().flat_map(Side::runs);
    let reasons = runs()
        .next()
        .map(|first| comparability::reasons(first, runs().skip(1)));
    match reasons {
        Some(reasons) if !reasons.is_empty() => Err(Refused::Unlike(reasons)),
        _ => Ok(()),
    }
}

/// Compares every side, a run or its repeats, with the first.
///
/// Where jobs or devices cannot be told from each other in all runs, they count together as `all`.
///
/// # Errors
/// Where runs are not comparable, unless that is asked for, and for what is wrong with a condition.
pub fn compare(sides: &[Side<'_>], asked: &Asked<'_>) -> Result<Compared, Refused> {
    let [first, others @ ..] = sides else {
        return Err(Refused::Input("no side; expected at least two".to_owned()));
    };
    if !asked.anyway {
        check(sides)?;
    }
    let together = Together::of(sides.iter().flat_map(Side::runs));
    let figures = figures_of(sides, asked, together).map_err(Refused::Input)?;
    let costs: Vec<_> = sides.iter().map(side_costs::of).collect();
    let credits: Vec<_> = sides.iter().map(burst_credits::of).collect();
    let seeds = asked
        .again
        .paired()
        .map_or_else(Vec::new, |it| it.seeds.clone());
    let differing = (1..)
        .zip(others)
        .map(|(number, other)| scenario_differences::of(first, number, other, !seeds.is_empty()));
    let weighed = |number: usize, side| Weighed {
        side,
        cost: costs.get(number).and_then(Option::as_ref),
        ends: credits.get(number).and_then(Option::as_ref),
    };
    let conclusions = (1..).zip(others).map(|(number, other)| {
        conclusion::of(
            weighed(0, first),
            number,
            weighed(number, other),
            &figures.rows,
        )
    });
    let conditions = figures.conditions.into_iter();
    Ok(Compared {
        sides: sides.iter().map(|side| side.name.clone()).collect(),
        differing: differing.collect(),
        conclusions: conclusions.collect(),
        notes: notes_of(sides, asked, &credits),
        conditions: conditions
            .map(|outcome| with_credits(outcome, sides, &credits))
            .collect(),
        seeds,
        rows: figures.rows,
        steps: figures.steps,
        costs,
        credits,
    })
}

/// The figures of all sides: of the simulations with further seeds where there are any.
fn figures_of(
    sides: &[Side<'_>],
    asked: &Asked<'_>,
    together: Together,
) -> Result<Comparison, String> {
    let sides = match asked.again.paired() {
        Some(paired) => {
            let mut sides = paired.sides.clone();
            let series = sides.iter_mut().flatten().flat_map(|run| &mut run.series);
            // Transactions are on no device.
            for own in series.filter(|own| together.devices && !own.device.is_empty()) {
                ALL.clone_into(&mut own.device);
            }
            sides
        }
        None => {
            let side = |side: &Side<'_>| {
                let runs = side.runs().map(|run| recorded::recorded(run, together));
                runs.collect::<Result<Vec<_>, _>>()
            };
            sides.iter().map(side).collect::<Result<_, _>>()?
        }
    };
    blockyard_compare::compare(&sides, asked.fail_if)
}

/// What to keep in mind, each line once.
fn notes_of(sides: &[Side<'_>], asked: &Asked<'_>, credits: &[Option<Ends>]) -> Vec<String> {
    let mut notes: Vec<_> = asked.again.note(sides).into_iter().collect();
    for note in notes::of(sides, credits) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// An outcome that says which side's burst credits it holds as long as.
fn with_credits(outcome: Outcome, sides: &[Side<'_>], credits: &[Option<Ends>]) -> Outcome {
    let mut measured = outcome.measured;
    for number in [0, outcome.side] {
        if let (Some(side), Some(Some(ends))) = (sides.get(number), credits.get(number)) {
            measured = format!("{measured}; {}", ends.clause(&side.name));
        }
    }
    Outcome {
        measured,
        ..outcome
    }
}
