//! The goals that a load must meet, and which side of a load they are missed on.

use std::sync::Arc;

use blockyard_experiment::{Base, Edit, Error, Variant};
use blockyard_record::result::{GoalOutcome, RunResult};
use blockyard_scenario::goals::{Comparison, Figure, Goal, Latency};
use schemars::JsonSchema;
use serde::Serialize;

use crate::load::{Scaling, StepsAre};
use crate::search::Verdict;
use crate::what_if::Measure;

/// A goal and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Measured {
    /// As it was written.
    pub goal: String,
    /// Whether it was met.
    pub met: bool,
    /// What was measured and, of a missed goal, how far off that is.
    pub measured: String,
}

/// Where a goal lies among the figures of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Level {
    /// The goal as it was written.
    pub goal: String,
    /// The job.
    pub job: String,
    /// Which of its figures.
    pub of: Measure,
    /// In IOs or transactions a second, or in microseconds.
    pub value: f64,
}

/// Goals that were read.
pub(crate) struct Goals {
    goals: Vec<Goal>,
    /// The override that gives the scenario these goals; none where they are its own.
    pub(crate) set: Option<Edit>,
}

impl Goals {
    /// Those of `given`, as on the command line, or the scenario's if there are none.
    ///
    /// # Errors
    /// A line that says which goal is wrong and why, or that there are none.
    pub(crate) fn of(
        base: &Arc<Base>,
        scaling: &Scaling,
        given: &[String],
    ) -> Result<Self, String> {
        let set = (!given.is_empty()).then(|| Edit::set("goals", listed(given)));
        let read = Variant::of(base).with(set.clone()).open();
        let opened = read.map_err(|error| said(&error))?;
        let goals = opened.resolved.goals.clone();
        if goals.is_empty() {
            return Err(format!(
                "{}: goals: none; expected some, here or as --goal '{}.latency.p99 < 2ms'",
                base.text().file_name,
                opened
                    .scenario()
                    .workload
                    .keys()
                    .next()
                    .map_or("JOB", String::as_str),
            ));
        }
        for (index, goal) in goals.iter().enumerate() {
            let replaced =
                |job: &&crate::Scaled| job.job == goal.job && job.steps == StepsAre::Replaced;
            if goal.step.is_some() && scaling.jobs.iter().any(|job| replaced(&job)) {
                let place = match set {
                    Some(_) => "--goal".to_owned(),
                    None => format!("{}: goals.{index}", base.text().file_name),
                };
                return Err(format!(
                    "{place}: `{goal}` names a load step, and `{}` gets one load throughout; \
                     expected a goal of the whole run",
                    goal.job
                ));
            }
        }
        Ok(Self { goals, set })
    }

    pub(crate) fn all(&self) -> &[Goal] {
        &self.goals
    }

    /// As they were written.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.goals.iter().map(|goal| goal.text.clone()).collect()
    }

    /// Where they lie that are of a curve's figures: of a whole run, IOs or transactions a second
    /// or p99.
    pub(crate) fn levels(&self) -> Vec<Level> {
        let whole = |goal: &&Goal| goal.step.is_none() && goal.op.is_none();
        let own = self.goals.iter().filter(whole);
        let level = |goal: &Goal| {
            let (of, value) = match goal.figure {
                Figure::Iops | Figure::Tps => (Measure::PerS, goal.value),
                Figure::Latency(Latency::P99) | Figure::Transaction(Latency::P99) => {
                    (Measure::P99, goal.value * 1e6)
                }
                _ => return None,
            };
            Some(Level {
                goal: goal.text.clone(),
                job: goal.job.clone(),
                of,
                value,
            })
        };
        own.filter_map(level).collect()
    }

    /// What became of a load.
    pub(crate) fn verdict(&self, scaling: &Scaling, result: &RunResult) -> Verdict {
        let both = self.goals.iter().zip(&result.goals);
        let missed: Vec<_> = both.filter(|(_, outcome)| !outcome.met).collect();
        match missed.iter().all(|(goal, _)| asks_for_load(goal, scaling)) {
            _ if missed.is_empty() => Verdict::Met,
            true => Verdict::TooLow,
            false => Verdict::Missed,
        }
    }
}

/// Whether more load may be what a goal that is missed needs: it asks for at least so much of
/// what a job does whose load is varied.
fn asks_for_load(goal: &Goal, scaling: &Scaling) -> bool {
    let amount = matches!(
        goal.figure,
        Figure::Ios | Figure::Bytes | Figure::Iops | Figure::MibPerS | Figure::Tps
    );
    let at_least = matches!(goal.comparison, Comparison::Above | Comparison::AtLeast);
    amount && at_least && scaling.is_of(&goal.job)
}

/// What was measured of each goal.
pub(crate) fn measured(result: &RunResult) -> Vec<Measured> {
    let one = |outcome: &GoalOutcome| Measured {
        goal: outcome.goal.clone(),
        met: outcome.met,
        measured: outcome.measured.clone(),
    };
    result.goals.iter().map(one).collect()
}

/// Texts as a list in YAML.
fn listed(texts: &[String]) -> String {
    let quoted = |text: &String| format!("'{}'", text.replace('\'', "''"));
    let all: Vec<_> = texts.iter().map(quoted).collect();
    format!("[{}]", all.join(", "))
}

/// What is wrong with a goal that was given beside the scenario, which itself was read already.
fn said(error: &Error) -> String {
    match error {
        Error::Scenario(error) if error.path().starts_with("goals") => {
            format!("--goal: {}", error.message())
        }
        other => other.to_string(),
    }
}
