//! What a change does to each job and to each goal, beside the layout as it is.

use blockyard_experiment::{Answer, judge};
use blockyard_record::thresholds::{GAIN, are_enough};
use schemars::JsonSchema;
use serde::Serialize;

use super::now::{Measure, Now, OfJob, of_job};
use super::service::{Moves, Went, less};
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
    /// Whether requests that took longest take less, of a job whose gain is measured by its rate.
    #[serde(skip)]
    pub(super) waits_less: bool,
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
        let is_no_slower = self.chance || self.gain > -GAIN;
        let waits_less = self.waits_less && is_no_slower;
        self.service.better || waits_less || (!self.chance && self.gain >= GAIN)
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
            waits_less: false,
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
        let went: Vec<_> = after.iter().map(Went::of).collect();
        let service = Moves::of(&own.went, &went);
        let waits_less = own.measure == Measure::PerS && waits_less(own, &after);
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
            waits_less,
            better: effect.better,
        }
    };
    now.jobs.iter().map(one).collect()
}

/// Whether the 99th percentile of a job's latency falls by what is said to move, and by no chance:
/// what that does must be known.
fn waits_less(own: &OfJob, after: &[Came]) -> bool {
    let p99s: Vec<_> = after.iter().map(|came| Measure::P99.of(came)).collect();
    are_enough(own.p99s.len()) && less(&own.p99s, &p99s) > 0.0
}

#[cfg(test)]
mod tests {
    use blockyard_record::result::LatencyUs;

    use super::*;

    fn came_with(p99: f64) -> Came {
        Came {
            latency_us: Some(LatencyUs {
                mean: p99,
                p50: p99,
                p95: p99,
                p99,
                p99_9: p99,
                max: p99,
            }),
            ..of_job(&[], "load")
        }
    }

    fn job(p99s: &[f64]) -> OfJob {
        OfJob {
            came: came_with(p99s[0]),
            measure: Measure::PerS,
            chance: None,
            before: vec![100.0; p99s.len()],
            p99s: p99s.to_vec(),
            went: Vec::new(),
        }
    }

    /// The same rate, and those who waited longest wait less: that is an effect.
    #[test]
    fn a_shorter_p99_counts_beyond_chance() {
        let three = job(&[100.0, 110.0, 90.0]);
        let falls_to = |p99s: &[f64]| {
            let after: Vec<_> = p99s.iter().copied().map(came_with).collect();
            waits_less(&three, &after)
        };
        assert!(falls_to(&[60.0, 66.0, 54.0]));
        assert!(!falls_to(&[98.0, 107.0, 88.0]), "by too little");
        assert!(!falls_to(&[60.0, 120.0, 54.0]), "one seed says otherwise");
        assert!(falls_to(&[80.0]));
        assert!(
            !falls_to(&[92.0]),
            "other seeds have that without the change"
        );
        assert!(
            !waits_less(&job(&[100.0]), &[came_with(50.0)]),
            "what chance does is not known"
        );
    }
}
