//! A layout as it is, and what the gain of a change is measured in.

use blockyard_cost::{Bill, Pace};
use blockyard_experiment::{Answer, Opened};
use blockyard_explain::{Facts, Kind, LimitId};
use blockyard_record::thresholds::{GAIN, are_enough};
use blockyard_scenario::goals::{Figure, Goal, Latency};
use schemars::JsonSchema;
use serde::Serialize;

use super::WhatIf;
use super::combining::binding;
use super::judged::{OfGoal, goals};
use super::service::Went;
use crate::bill::Bills;
use crate::figures::{Came, came};
use crate::sustained::{lasts_s, ready_s};

/// What gains are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// IOs or transactions a second.
    PerS,
    /// The 99th percentile of the latency: an open loop that keeps up does no more than is due.
    P99,
    /// The mean latency, of a run by interval.
    Mean,
}

/// A layout as it is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Now {
    /// The job that leads: the one that was named, else the one that is worst off. Nothing but
    /// the order of equal changes depends on it.
    pub leads: String,
    /// All jobs, in the order of the scenario.
    pub jobs: Vec<OfJob>,
    /// All goals, in the order of the scenario.
    pub goals: Vec<OfGoal>,
    /// How many seeds it was simulated with.
    pub seeds: u64,
    /// How many seconds longer burst credits last that run out first: 0 if they were used up, none
    /// if this is sustained.
    pub lasts_s: Option<f64>,
    /// How many seconds from the start of a run tokens last that lay ready in limits, of those that
    /// are used up first; none if it does without.
    pub ready_s: Option<f64>,
    /// What it costs, with the traffic of this run.
    pub bill: Option<Bill>,
    /// Why that is not known.
    pub no_price: Option<String>,
    /// What it did, with its first seed: changes are paid for the same work.
    #[serde(skip)]
    pub(super) pace: Pace,
    /// The limits that IOs wait for.
    #[serde(skip)]
    pub(super) binding: Vec<LimitId>,
    /// IOs that a simulation of it takes.
    #[serde(skip)]
    pub(super) ios: u64,
}

impl Now {
    /// Whether all goals are met, with the scenario's own seed.
    pub(super) fn meets_all(&self) -> bool {
        self.goals.iter().all(|goal| goal.measured.met)
    }

    /// Whether what is saved up lasts no shorter with a change that lives on it for `lasts_s`.
    pub(super) fn lasts_as_long(&self, lasts_s: Option<f64>) -> bool {
        match (self.lasts_s, lasts_s) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(before), Some(after)) => after >= before,
        }
    }
}

/// A job of the layout as it is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OfJob {
    /// What it does.
    #[serde(flatten)]
    pub came: Came,
    /// What its gain is measured in.
    pub measure: Measure,
    /// Between what the measured figure lies over the seeds, in IOs or transactions a second, or
    /// in microseconds; none where fewer than three were affordable.
    pub chance: Option<(f64, f64)>,
    /// The measured figure, seed by seed.
    #[serde(skip)]
    pub(super) before: Vec<f64>,
    /// The 99th percentile of its latency in microseconds, seed by seed.
    #[serde(skip)]
    pub(super) p99s: Vec<f64>,
    /// What its users went without, seed by seed.
    #[serde(skip)]
    pub(super) went: Vec<Went>,
}

pub(super) fn now(
    asked: &WhatIf,
    opened: &Opened,
    answers: &[Answer],
    facts: &Facts,
    bills: &Bills,
) -> Now {
    let of_goals = opened.resolved.goals.iter();
    let of_goals = of_goals.map(|goal| {
        let by_interval = opened.resolved.by_interval;
        (goal.job.clone(), Measure::of_goal(goal, by_interval))
    });
    let goals = goals(&of_goals.collect::<Vec<_>>(), answers);
    let jobs = jobs(opened, answers, facts);
    let pace = answers.first().map(pace).unwrap_or_default();
    let bill = bills.bill(opened, &pace);
    Now {
        leads: asked
            .job
            .clone()
            .unwrap_or_else(|| worst_off(&jobs, &goals, facts)),
        jobs,
        goals,
        seeds: answers.len() as u64,
        lasts_s: lasts_s(facts).filter(|_| !asked.sustained),
        ready_s: ready_s(facts, &opened.resolved.storage).filter(|_| !asked.sustained),
        no_price: bill.as_ref().err().cloned(),
        bill: bill.ok(),
        pace,
        binding: binding(facts),
        ios: answers.first().map_or(0, |own| own.work().whole()),
    }
}

/// What was done, and what went over links for it.
pub(super) fn pace(answer: &Answer) -> Pace {
    let warmup_s = answer.opened.scenario().warmup.nanos() as f64 / 1e9;
    Pace::of(&answer.result, warmup_s)
}

fn jobs(opened: &Opened, answers: &[Answer], facts: &Facts) -> Vec<OfJob> {
    let all: Vec<_> = answers.iter().map(came).collect();
    let one = |job: &String| {
        let by_interval = answers
            .iter()
            .any(|answer| answer.result.by_interval_s.is_some());
        let measure = match by_interval {
            true => Measure::Mean,
            false if fails(job, answers) => Measure::PerS,
            false if makes_up(job, answers) => Measure::P99,
            false => measure(job, facts),
        };
        let each = all.iter().map(|came| of_job(came, job));
        let each: Vec<Came> = each.collect();
        let before: Vec<f64> = each.iter().map(|came| measure.of(came)).collect();
        let least = before.iter().copied().min_by(f64::total_cmp);
        let most = before.iter().copied().max_by(f64::total_cmp);
        OfJob {
            came: of_job(all.first().map_or(&[][..], Vec::as_slice), job),
            measure,
            chance: least.zip(most).filter(|_| are_enough(answers.len())),
            before,
            p99s: each.iter().map(|came| Measure::P99.of(came)).collect(),
            went: each.iter().map(Went::of).collect(),
        }
    };
    opened.scenario().workload.keys().map(one).collect()
}

/// The job that misses most goals, else the one that is furthest behind what is due, has a goal,
/// does transactions, or has most IOs. In which order goals are written does not matter.
fn worst_off(jobs: &[OfJob], goals: &[OfGoal], facts: &Facts) -> String {
    let rank = |job: &OfJob| {
        let name = &job.came.job;
        let own = || goals.iter().filter(|goal| goal.job == *name);
        let missed = own().filter(|goal| !goal.measured.met).count();
        let behind = facts.behind.iter().filter(|behind| behind.job == *name);
        let behind_s = behind.map(|behind| behind.wait_s).fold(0.0, f64::max);
        let kind = (own().next().is_some(), job.came.transactions);
        (missed, behind_s, kind, job.came.per_s)
    };
    let worse = |a: &&OfJob, b: &&OfJob| {
        let (a, b) = (rank(a), rank(b));
        let first = a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        first.then(a.2.cmp(&b.2)).then(a.3.total_cmp(&b.3))
    };
    // Of equals the first.
    let worst = jobs.iter().rev().max_by(worse);
    worst.map(|job| job.came.job.clone()).unwrap_or_default()
}

pub(super) fn of_job(all: &[Came], job: &str) -> Came {
    let none = Came {
        job: job.to_owned(),
        transactions: false,
        per_s: 0.0,
        of: None,
        latency_us: None,
        mean_us: None,
        service: None,
    };
    all.iter()
        .find(|came| came.job == job)
        .cloned()
        .unwrap_or(none)
}

/// Whether so much of a job's IO fails that fewer failures are a gain.
fn fails(job: &str, answers: &[Answer]) -> bool {
    let totals = answers.iter().flat_map(|answer| &answer.result.totals);
    let own = totals.filter(|total| total.job == job);
    let (done, failed) = own.fold((0, 0), |(done, failed), total| {
        (done + total.ios, failed + total.errors)
    });
    failed as f64 >= GAIN * (done + failed) as f64 && failed > 0
}

/// Whether an open loop did nearly all that was due, if it fell behind for a while: it cannot do
/// more.
fn makes_up(job: &str, answers: &[Answer]) -> bool {
    let loops = answers.iter().flat_map(|answer| &answer.result.open_loop);
    let own = loops.filter(|own| own.job == job);
    let (due, served) = own.fold((0, 0), |(due, served), own| {
        (due + own.offered, served + own.served)
    });
    due > 0 && served as f64 * (1.0 + GAIN) >= due as f64
}

/// An open loop that keeps up cannot do more.
fn measure(job: &str, facts: &Facts) -> Measure {
    let load = facts.loads.iter().find(|load| load.job == job);
    let is_open = load.is_some_and(|load| match &load.load {
        Kind::Open { .. } => true,
        Kind::Transactions { per_s, .. } => per_s.is_some(),
        Kind::Closed { .. } | Kind::Database { .. } => false,
    });
    let engines = facts
        .modelled
        .iter()
        .flat_map(|modelled| &modelled.transactions);
    let is_short = engines
        .filter(|own| own.short.is_some())
        .any(|own| own.job == job);
    let is_behind = is_short || facts.behind.iter().any(|behind| behind.job == job);
    match is_open && !is_behind {
        true => Measure::P99,
        false => Measure::PerS,
    }
}

impl Measure {
    /// What a goal speaks of; none of failed IOs and transactions.
    fn of_goal(goal: &Goal, by_interval: bool) -> Option<Self> {
        match goal.figure {
            Figure::Ios
            | Figure::Bytes
            | Figure::Iops
            | Figure::MibPerS
            | Figure::Tps
            | Figure::Done => Some(Self::PerS),
            Figure::Latency(Latency::Mean) if by_interval => Some(Self::Mean),
            Figure::Latency(_)
            | Figure::WorstSecond(_)
            | Figure::Transaction(_)
            | Figure::Outage
            | Figure::Unserved
            | Figure::TimeAbove(_) => Some(Self::P99),
            Figure::Errors | Figure::Undone | Figure::Lost | Figure::LostBytes => None,
        }
    }

    /// The figure of what a job did; 0 where there is none.
    pub(crate) fn of(self, came: &Came) -> f64 {
        match self {
            Self::PerS => came.per_s,
            Self::P99 => came.latency_us.map_or(0.0, |us| us.p99),
            Self::Mean => came.mean_us.unwrap_or(0.0),
        }
    }

    /// By how much a figure is better than before, in its own unit.
    pub(super) fn better(self, before: f64, after: f64) -> f64 {
        match self {
            Self::PerS => after - before,
            Self::P99 | Self::Mean => before - after,
        }
    }
}
