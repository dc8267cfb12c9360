//! A layout as it is, and what the gain of a change is measured in.

use blockyard_cost::Bill;
use blockyard_explain::{Facts, Kind};
use blockyard_record::result::RunResult;
use blockyard_scenario::Loaded;
use blockyard_scenario::schema::Scenario;
use serde::Serialize;

use super::WhatIf;
use crate::bill::Bills;
use crate::figures::{Came, came};
use crate::for_good::lasts_s;
use crate::runs::FEWEST;

/// What gains are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// IOs or transactions a second.
    PerS,
    /// The 99th percentile of the latency: an open loop that keeps up does no more than is due.
    P99,
}

/// A layout as it is.
#[derive(Clone, Debug, Serialize)]
pub struct Now {
    /// The job whose gain counts, and what it comes to.
    pub came: Came,
    /// What its gain is measured in.
    pub measure: Measure,
    /// How many seeds it was simulated with.
    pub seeds: u64,
    /// Between what the measured figure lies over these, in IOs or transactions a second, or in
    /// microseconds; none where fewer than three were affordable.
    pub chance: Option<(f64, f64)>,
    /// How many seconds longer burst credits last that run out first: 0 if they were used up, none
    /// if this goes on for good.
    pub lasts_s: Option<f64>,
    /// What it costs.
    pub bill: Option<Bill>,
    /// Why that is not known.
    pub no_price: Option<String>,
}

pub(super) fn now(
    asked: &WhatIf,
    loaded: &Loaded,
    results: &[RunResult],
    facts: &Facts,
    bills: &Bills,
) -> Now {
    let scenario = &loaded.scenario;
    let job = asked
        .job
        .clone()
        .unwrap_or_else(|| main_job(loaded, &results[0]));
    let own = |result: &RunResult| of_job(came(scenario, result), &job);
    let measure = measure(&job, facts);
    let figures = results.iter().filter_map(|result| measure.of(&own(result)));
    let figures: Vec<f64> = figures.collect();
    let least = figures.iter().copied().min_by(f64::total_cmp);
    let most = figures.iter().copied().max_by(f64::total_cmp);
    let bill = bills.bill(loaded);
    Now {
        came: own(&results[0]),
        measure,
        seeds: results.len() as u64,
        chance: least.zip(most).filter(|_| results.len() as u64 >= FEWEST),
        lasts_s: lasts_s(facts).filter(|_| !asked.for_good),
        no_price: bill.as_ref().err().cloned(),
        bill: bill.ok(),
    }
}

/// The job whose gain counts: that of the first goal, the first that does transactions, or the
/// one with most IOs.
fn main_job(loaded: &Loaded, result: &RunResult) -> String {
    let goal = loaded
        .resolve()
        .ok()
        .and_then(|resolved| Some(resolved.goals.first()?.job.clone()));
    let engine = result.transactions.first().map(|own| own.job.clone());
    let all = came(&loaded.scenario, result);
    let most = all.into_iter().max_by(|a, b| a.per_s.total_cmp(&b.per_s));
    goal.or(engine)
        .or(most.map(|came| came.job))
        .unwrap_or_default()
}

pub(super) fn of_job(all: Vec<Came>, job: &str) -> Came {
    let none = Came {
        job: job.to_owned(),
        transactions: false,
        per_s: 0.0,
        of: None,
        latency_us: None,
    };
    all.into_iter().find(|came| came.job == job).unwrap_or(none)
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

impl Now {
    /// The measured figure of a result; 0 where there is none.
    pub(super) fn measured(&self, scenario: &Scenario, result: &RunResult) -> f64 {
        let own = of_job(came(scenario, result), &self.came.job);
        self.measure.of(&own).unwrap_or(0.0)
    }
}

impl Measure {
    fn of(self, came: &Came) -> Option<f64> {
        match self {
            Self::PerS => Some(came.per_s),
            Self::P99 => came.latency_us.map(|us| us.p99),
        }
    }

    /// By how much a figure is better than before, in its own unit.
    pub(super) fn better(self, before: f64, after: f64) -> f64 {
        match self {
            Self::PerS => after - before,
            Self::P99 => before - after,
        }
    }
}
