//! What changes of a layout would bring, and for what money.

mod change;
mod judged;
mod now;
mod order;
mod trying;

use blockyard_explain::Facts;
use blockyard_record::result::{LimitTotal, RunResult};
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::{hint, shorten};
use blockyard_simulate::ScenarioText;
use serde::Serialize;

pub use change::{Amount, Change, Part};
pub use judged::{Gained, OfGoal};
pub use now::{Measure, Now, OfJob};
pub use order::Worth;

use self::change::proposals;
use self::now::now;
use self::trying::Trying;
use crate::bill::{Bills, Prices};
use crate::figures::ios;
use crate::runs::{Begun, Case, Error, FEWEST, Runs, SEEDS, Tried, Watch};

/// Further seeds take no more than this share of the IOs that may be simulated.
const FOR_SEEDS: u64 = 4;

/// What to try.
#[derive(Clone, Debug)]
pub struct WhatIf {
    /// The scenario.
    pub scenario: ScenarioText,
    /// The job whose gain counts; that of all jobs if none is named. Goals and losses of all count
    /// in either case.
    pub job: Option<String>,
    /// Where and by which prices it is bought.
    pub prices: Prices,
    /// Whether to begin with burst balances and tokens used up, to see what holds for good.
    pub for_good: bool,
    /// How many IOs may be simulated; what is waited for most is tried first.
    pub most_ios: u64,
}

/// What changes of a layout would bring.
#[derive(Clone, Debug, Serialize)]
pub struct Alternatives {
    /// The scenario's name.
    pub scenario: String,
    /// The seed that all were simulated with.
    pub seed: u64,
    /// What the layout comes to as it is.
    pub now: Now,
    /// The overrides that use up burst balances and tokens before the start; none unless that was
    /// asked for.
    #[serde(rename = "sustained_sets")]
    pub for_good: Vec<String>,
    /// The changes, in the order of [`Worth`].
    pub changes: Vec<Row>,
    /// What the layout as it is came to in full.
    pub result: RunResult,
    /// What its figures say of its limits.
    pub facts: Facts,
    /// IOs that all took.
    pub ios: u64,
}

/// A change and what it comes to.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The change.
    pub change: Change,
    /// The overrides that make it.
    pub sets: Vec<String>,
    /// What it comes to.
    pub worth: Worth,
    /// What it brings; none of what was not simulated.
    pub came: Option<Brought>,
    /// Why it cannot be bought or simulated.
    pub refused: Option<String>,
    /// Dollars a month more; fewer than 0 if it is cheaper.
    pub dollars: Option<f64>,
    /// Why that is not known, where the price of what there is now is.
    pub no_price: Option<String>,
    /// IOs or transactions a second, or microseconds of p99, for a dollar a month.
    pub per_dollar: Option<f64>,
}

/// What a change brings.
#[derive(Clone, Debug, Serialize)]
pub struct Brought {
    /// The job that it is told by: the one that was named, else the one whose goal it meets, that
    /// gets worse, or that gains most.
    pub job: String,
    /// The gain of that job.
    pub gain: f64,
    /// All jobs, in the order of the scenario.
    pub jobs: Vec<Gained>,
    /// All goals, in the order of the scenario.
    pub goals: Vec<OfGoal>,
    /// With how many seeds it was simulated, each beside the layout as it is with the same one.
    pub seeds: u64,
    /// How many seconds longer burst credits last that run out first: 0 if they were used up, none
    /// if this goes on for good.
    pub lasts_s: Option<f64>,
}

impl Brought {
    /// How many goals are met, each by the share of the seeds with which it is.
    fn share_met(&self) -> f64 {
        let met: u64 = self.goals.iter().map(|goal| goal.seeds_met).sum();
        met as f64 / self.seeds.max(1) as f64
    }
}

/// Tries what one more volume, more IOPS, more throughput, the next instance size, other volume
/// types and io2 for the journal would bring, each by itself, on `threads` threads, which change
/// nothing about the answer; none if `watch` stops it.
///
/// # Errors
/// If the scenario, the job or the prices are wrong, or threads cannot be started.
pub fn what_if(
    asked: &WhatIf,
    threads: usize,
    watch: &mut dyn Watch,
) -> Result<Option<Alternatives>, Error> {
    let Begun {
        text,
        for_good,
        loaded,
    } = Begun::of(&asked.scenario, asked.for_good)?;
    let runs = Runs { of: &text, threads };
    if let Some(job) = &asked.job {
        known(job, &loaded.scenario)?;
    }
    let bills = Bills::of(&asked.prices).map_err(Error::Input)?;
    let Some((results, mut took)) = as_it_is(&runs, &loaded.scenario, asked.most_ios, watch)?
    else {
        return Ok(None);
    };
    let result = results[0].clone();
    let facts = runs.facts(&[], &result)?;
    let now = now(asked, &loaded, &results, &facts, &bills);
    let resolved = loaded
        .resolve()
        .map_err(|error| Error::Input(error.to_string()))?;
    let waited = |device: &str| waited_s(&result.limits, device);
    let proposals = proposals(&loaded.scenario, &resolved, &facts, waited);
    let each = ios(&loaded.scenario, &result).max(1);
    let affordable = asked.most_ios.saturating_sub(took) / each;
    let seeds = affordable / (proposals.len() as u64).max(1);
    let mut trying = Trying {
        runs: &runs,
        now: &now,
        only: asked.job.as_deref(),
        seeds: if seeds >= FEWEST {
            seeds.min(now.seeds)
        } else {
            1
        },
        bills: &bills,
        scenario: &loaded.scenario,
        for_good: asked.for_good,
    };
    let Some(mut rows) = trying.all(proposals, affordable, &mut took, asked.most_ios, watch)?
    else {
        return Ok(None);
    };
    order::sort(&mut rows);
    Ok(Some(Alternatives {
        scenario: loaded.scenario.name.clone(),
        seed: loaded.scenario.seed,
        now,
        for_good,
        changes: rows,
        result,
        facts,
        ios: took,
    }))
}

fn known(job: &str, scenario: &Scenario) -> Result<(), Error> {
    let names = || scenario.workload.keys().map(String::as_str);
    if names().any(|name| name == job) {
        return Ok(());
    }
    let (shown, hint) = (shorten(job), hint(job, names()));
    Err(Error::Input(format!(
        "--job: no job is called `{shown}`{hint}"
    )))
}

/// The results of a scenario as it is with its seed and further ones, and the IOs that these took.
fn as_it_is(
    runs: &Runs<'_>,
    scenario: &Scenario,
    most_ios: u64,
    watch: &mut dyn Watch,
) -> Result<Option<(Vec<RunResult>, u64)>, Error> {
    let mut simulated = |seeds| -> Result<Option<Vec<RunResult>>, Error> {
        let sets = Vec::new();
        let found = runs.all(&[Case { sets, seeds }], &mut || watch.stopped())?;
        let first = found.and_then(|found| found.into_iter().next());
        first.transpose().map_err(Error::Input)
    };
    let Some(one) = simulated(1)? else {
        return Ok(None);
    };
    let each = one.first().map_or(1, |result| ios(scenario, result).max(1));
    let seeds = (most_ios / FOR_SEEDS / each).min(SEEDS);
    let results = match seeds >= FEWEST {
        true => simulated(seeds)?,
        false => Some(one),
    };
    let took = each * if seeds >= FEWEST { seeds } else { 1 };
    watch.tried(&Tried {
        last: "the layout as it is".to_owned(),
        ios: took,
        most_ios,
    });
    Ok(results.map(|results| (results, took)))
}

/// How long IOs waited for limits of a device.
fn waited_s(limits: &[LimitTotal], device: &str) -> f64 {
    let own = limits.iter().filter(|limit| {
        let rest = limit.owner.strip_prefix(device);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    own.map(|limit| limit.throttled_s + limit.lag_s).sum()
}
