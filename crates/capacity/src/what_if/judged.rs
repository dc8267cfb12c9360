//! What a change does to each job and to each goal, beside the layout as it is.

use blockyard_experiment::{Answer, judge};
use blockyard_record::thresholds::GAIN;
use schemars::JsonSchema;
use serde::Serialize;

use super::now::{Measure, Now, OfJob, of_job};
use super::service::Moves;
use crate::figures::{Came, came};
use crate::goals::{Measured, measured};

/// What a change does to a job.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Gained {
    /// What the job does with it.
    #[serde(flatten)]
    pub came: Came,
    /// What its gain is measured in.
    pub measure: Measure,
    /// By which share the measured figure gets better, as a mean over seeds; less than 0 if it
    /// gets worse.
    pub gain: f64,
    /// Whether that may be chance: seeds do not agree on its sign or, with fewer than three, it
    /// stays where other seeds come to without the change.
    pub chance: bool,
    /// Whether its service gets better or worse: outage, errors or lost transactions.
    pub service_moves: bool,
    /// How that moves.
    #[serde(skip)]
    pub(super) service: Moves,
    /// How much better the measured figure is, in its own unit.
    #[serde(skip)]
    pub(super) better: f64,
}

/// A goal, what was measured of it and with how many seeds it is met.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OfGoal {
    /// The goal, and the outcome under the scenario's own seed.
    #[serde(flatten)]
    pub measured: Measured,
    /// With how many seeds it is met.
    pub seeds_met: u64,
    /// The job.
    #[serde(skip)]
    pub(super) job: String,
    /// What of the job it speaks of.
    #[serde(skip)]
    pub(super) of: Option<Measure>,
}

/// What a change does, all in all.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) jobs: Vec<Gained>,
    pub(super) goals: Vec<OfGoal>,
    /// The goals that are met with it and not without, by their numbers.
    repaired: Vec<usize>,
    /// Those that are met without it and not with it.
    lost: Vec<usize>,
}

impl Gained {
    pub(super) fn is_better(&self) -> bool {
        self.service.better || (!self.chance && self.gain >= GAIN)
    }

    pub(super) fn is_slower(&self) -> bool {
        !self.chance && self.gain <= -GAIN
    }

    pub(super) fn is_worse(&self) -> bool {
        self.service.worse || self.is_slower()
    }
}

/// The goals of results with several seeds, the scenario's own first.
pub(super) fn goals(of: &[(String, Option<Measure>)], answers: &[Answer]) -> Vec<OfGoal> {
    let Some(first) = answers.first() else {
        return Vec::new();
    };
    let all = measured(&first.result).into_iter().zip(of).enumerate();
    all.map(|(index, (measured, (job, of)))| {
        let met = |answer: &&Answer| {
            let goals = &answer.result.goals;
            goals.get(index).is_some_and(|goal| goal.met)
        };
        OfGoal {
            measured,
            seeds_met: answers.iter().filter(met).count() as u64,
            job: job.clone(),
            of: *of,
        }
    })
    .collect()
}

impl Judged {
    /// By the results of a change, seed by seed.
    pub(super) fn of(now: &Now, answers: &[Answer]) -> Self {
        let of = now.goals.iter().map(|goal| (goal.job.clone(), goal.of));
        let goals = goals(&of.collect::<Vec<_>>(), answers);
        let met = |goals: &[OfGoal], index: usize| goals[index].measured.met;
        let those = |before: bool| {
            let turned =
                |index: &usize| met(&now.goals, *index) == before && met(&goals, *index) != before;
            (0..goals.len()).filter(turned).collect::<Vec<_>>()
        };
        Self {
            jobs: gained(now, answers),
            repaired: those(false),
            lost: those(true),
            goals,
        }
    }

    /// Whether a goal is met that is missed without it.
    pub(super) fn repairs(&self) -> bool {
        !self.repaired.is_empty()
    }

    /// Whether the job called `only`, or any, gets better.
    pub(super) fn is_better(&self, only: Option<&str>) -> bool {
        let counts = |job: &&Gained| only.is_none_or(|only| job.came.job == only);
        self.jobs.iter().filter(counts).any(Gained::is_better)
    }

    /// Whether a job gets worse, or a goal is missed that is met without it.
    pub(super) fn is_worse(&self) -> bool {
        !self.lost.is_empty() || self.jobs.iter().any(Gained::is_worse)
    }

    /// Whether goals are asked and all met before, each is met with as many seeds as before, and
    /// no job gets worse in what no goal of its own speaks of.
    pub(super) fn keeps_goals(&self, now: &Now) -> bool {
        let both = now.goals.iter().zip(&self.goals);
        let met = both
            .into_iter()
            .all(|(before, after)| after.measured.met && after.seeds_met >= before.seeds_met);
        let spoken_of = |job: &Gained| {
            let mut goals = self.goals.iter();
            goals.any(|goal| goal.job == job.came.job && goal.of == Some(job.measure))
        };
        let mut worse = self.jobs.iter().filter(|job| job.is_worse());
        !now.goals.is_empty() && now.meets_all() && met && worse.all(spoken_of)
    }

    /// The job that sums up a change: whose goal it meets, else the one that gets worse most,
    /// else the one that gains most, else the one that anything happens to, else `leads`.
    pub(super) fn told(&self, leads: &str) -> Option<&Gained> {
        let of = |goals: &[usize]| -> Vec<&Gained> {
            let is_one = |job: &str| goals.iter().any(|&index| self.goals[index].job == job);
            let own = self.jobs.iter().filter(|job| is_one(&job.came.job));
            own.collect()
        };
        let those = |is_one: fn(&Gained) -> bool| -> Vec<&Gained> {
            self.jobs.iter().filter(|job| is_one(job)).collect()
        };
        let leads = || self.jobs.iter().find(|job| job.came.job == leads);
        most(of(&self.repaired), |gain| gain)
            .or_else(|| most(of(&self.lost), |gain| -gain))
            .or_else(|| most(those(Gained::is_worse), |gain| -gain))
            .or_else(|| most(those(Gained::is_better), |gain| gain))
            .or_else(|| most(those(|job| job.gain != 0.0), f64::abs))
            .or_else(leads)
    }
}

/// The job with most by its gain; of equals the first.
fn most(jobs: Vec<&Gained>, by: fn(f64) -> f64) -> Option<&Gained> {
    let more = |a: &&Gained, b: &&Gained| by(a.gain).total_cmp(&by(b.gain));
    jobs.into_iter().rev().max_by(more)
}

#[cfg(test)]
impl Judged {
    /// Jobs `0`, `1` and so on with these gains, each with whether it may be chance; no goals.
    pub(super) fn of_gains(gains: &[(f64, bool)]) -> Self {
        let job = |(number, &(gain, chance)): (usize, &(f64, bool))| Gained {
            came: of_job(&[], &number.to_string()),
            measure: Measure::PerS,
            gain,
            chance,
            service_moves: false,
            service: Moves::default(),
            better: gain,
        };
        Self {
            jobs: gains.iter().enumerate().map(job).collect(),
            goals: Vec::new(),
            repaired: Vec::new(),
            lost: Vec::new(),
        }
    }
}

/// What a change brings each job, in the order of the scenario.
fn gained(now: &Now, answers: &[Answer]) -> Vec<Gained> {
    let all: Vec<_> = answers.iter().map(came).collect();
    let one = |own: &OfJob| {
        let after = all.iter().map(|came| of_job(came, &own.came.job));
        let after: Vec<_> = after.collect();
        let services: Vec<_> = after.iter().filter_map(|came| came.service).collect();
        let service = Moves::of(&own.services, &services);
        let after: Vec<_> = after.iter().map(|came| own.measure.of(came)).collect();
        let better = |before, after| own.measure.better(before, after);
        let effect = judge(&own.before, &after, better, own.chance);
        Gained {
            came: of_job(all.first().map_or(&[][..], Vec::as_slice), &own.came.job),
            measure: own.measure,
            gain: effect.gain,
            chance: effect.chance,
            service_moves: service != Moves::default(),
            service,
            better: effect.better,
        }
    };
    now.jobs.iter().map(one).collect()
}
