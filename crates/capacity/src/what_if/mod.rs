//! What changes of a layout would bring, and for what money.

mod change;
mod journal;
mod order;

use blockyard_cost::Bill;
use blockyard_explain::{Facts, Kind};
use blockyard_record::result::{LimitTotal, RunResult};
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::{Loaded, hint, shorten};
use blockyard_simulate::ScenarioText;
use serde::Serialize;

pub use change::Change;
pub use order::Worth;

use self::change::{Proposal, proposals};
use crate::bill::{Bills, Prices};
use crate::figures::{Came, came, ios};
use crate::runs::{Case, Error, FEWEST, Ran, Runs, SEEDS, Tried, Watch};

/// Further seeds take no more than this share of the IOs that may be simulated.
const FOR_SEEDS: u64 = 4;

/// What to try.
#[derive(Clone, Debug)]
pub struct WhatIf {
    /// The scenario.
    pub scenario: ScenarioText,
    /// The job whose gain counts; by default the one with a goal, that does transactions, or with
    /// most IOs.
    pub job: Option<String>,
    /// Where and by which prices it is bought.
    pub prices: Prices,
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
    /// The changes, in the order of [`Worth`].
    pub changes: Vec<Row>,
    /// What the layout as it is came to in full.
    pub result: RunResult,
    /// What its figures say of its limits.
    pub facts: Facts,
    /// IOs that all took.
    pub ios: u64,
}

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
    /// What it costs, on demand.
    pub bill: Option<Bill>,
    /// Why that is not known.
    pub no_price: Option<String>,
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
    /// The job whose gain counts, and what it comes to.
    pub came: Came,
    /// All jobs.
    pub jobs: Vec<Came>,
    /// With how many seeds it was simulated, each beside the layout as it is with the same one.
    pub seeds: u64,
    /// By which share the measured figure gets better, as a mean over these; less than 0 if it
    /// gets worse.
    pub gain: f64,
    /// Whether that may be chance: seeds do not agree on its sign or, with fewer than three, it
    /// stays where other seeds come to without the change.
    pub chance: bool,
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
    let input = |error: blockyard_scenario::Error| Error::Input(error.to_string());
    let runs = Runs {
        of: &asked.scenario,
        threads,
    };
    let loaded = runs.load(&[]).map_err(input)?;
    loaded.needs_jobs().map_err(input)?;
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
    let before = results
        .iter()
        .map(|result| now.measured(&loaded.scenario, result));
    let resolved = loaded.resolve().map_err(input)?;
    let waited = |device: &str| waited_s(&result.limits, device);
    let proposals = proposals(&loaded.scenario, &resolved, waited);
    let each = ios(&loaded.scenario, &result).max(1);
    let affordable = asked.most_ios.saturating_sub(took) / each;
    let seeds = affordable / (proposals.len() as u64).max(1);
    let mut trying = Trying {
        runs: &runs,
        now: &now,
        before: before.collect(),
        seeds: if seeds >= FEWEST {
            seeds.min(now.seeds)
        } else {
            1
        },
        bills: &bills,
        scenario: &loaded.scenario,
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

fn now(
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

fn of_job(all: Vec<Came>, job: &str) -> Came {
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
    fn measured(&self, scenario: &Scenario, result: &RunResult) -> f64 {
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
    fn better(self, before: f64, after: f64) -> f64 {
        match self {
            Self::PerS => after - before,
            Self::P99 => before - after,
        }
    }
}

/// Changes that are tried.
struct Trying<'a> {
    runs: &'a Runs<'a>,
    now: &'a Now,
    /// The measured figure as it is, seed by seed.
    before: Vec<f64>,
    /// With how many of these seeds to simulate each change.
    seeds: u64,
    bills: &'a Bills,
    scenario: &'a Scenario,
}

impl Trying<'_> {
    fn all(
        &mut self,
        proposals: Vec<Proposal>,
        affordable: u64,
        took: &mut u64,
        most_ios: u64,
        watch: &mut dyn Watch,
    ) -> Result<Option<Vec<Row>>, Error> {
        let mut rows = Vec::new();
        let mut waiting = Vec::new();
        for proposal in proposals {
            match self.bought(&proposal) {
                Err(refused) => rows.push(unsimulated(proposal, Worth::Refused, Some(refused))),
                Ok(_) if waiting.len() as u64 >= affordable => {
                    rows.push(unsimulated(proposal, Worth::Untried, None));
                }
                Ok(loaded) => waiting.push((proposal, loaded)),
            }
        }
        while !waiting.is_empty() {
            let some = waiting.len().min(self.runs.threads);
            let some: Vec<_> = waiting.drain(..some).collect();
            let case = |(proposal, _): &(Proposal, Loaded)| Case {
                sets: proposal.sets.clone(),
                seeds: self.seeds,
            };
            let cases: Vec<_> = some.iter().map(case).collect();
            let Some(found) = self.runs.all(&cases, &mut || watch.stopped())? else {
                return Ok(None);
            };
            for ((proposal, loaded), ran) in some.into_iter().zip(found) {
                rows.push(self.row(proposal, &loaded, ran, took));
                watch.tried(&Tried {
                    last: rows
                        .last()
                        .map_or_else(String::new, |row| row.sets.join(" ")),
                    ios: *took,
                    most_ios,
                });
            }
        }
        Ok(Some(rows))
    }

    /// The scenario with a change, if the catalog allows it.
    fn bought(&self, proposal: &Proposal) -> Result<Loaded, String> {
        if let Change::Instance { from, to: None, .. } = &proposal.change {
            return Err(format!("{from} is the largest of its family"));
        }
        let said = |error: blockyard_scenario::Error| match error.path() {
            "" => error.message().to_owned(),
            path => format!("{path}: {}", error.message()),
        };
        let loaded = self.runs.load(&proposal.sets).map_err(said)?;
        loaded.resolve().map_err(said)?;
        Ok(loaded)
    }

    /// What a change brings, from the measured figure seed by seed.
    fn gained(&self, after: &[f64]) -> Gained {
        let measure = self.now.measure;
        let pairs = || self.before.iter().zip(after);
        let each = || pairs().map(|(before, after)| measure.better(*before, *after));
        let count = pairs().count().max(1) as f64;
        let better = each().sum::<f64>() / count;
        let before = pairs().map(|(before, _)| before).sum::<f64>() / count;
        let within = |(least, most): (f64, f64)| (least..=most).contains(&after[0]);
        Gained {
            better,
            gain: if before > 0.0 { better / before } else { 0.0 },
            chance: match after.len() as u64 >= FEWEST {
                true => better != 0.0 && each().any(|each| each * better <= 0.0),
                false => self.now.chance.is_some_and(within),
            },
        }
    }

    fn row(&self, proposal: Proposal, loaded: &Loaded, ran: Ran, took: &mut u64) -> Row {
        let results = match ran {
            Ok(results) if !results.is_empty() => results,
            Ok(_) => return unsimulated(proposal, Worth::Untried, None),
            Err(error) => return unsimulated(proposal, Worth::Refused, Some(error)),
        };
        *took += results
            .iter()
            .map(|result| ios(self.scenario, result))
            .sum::<u64>();
        let jobs = came(self.scenario, &results[0]);
        let own = of_job(jobs.clone(), &self.now.came.job);
        let after: Vec<_> = results
            .iter()
            .map(|result| self.now.measured(self.scenario, result))
            .collect();
        let Gained {
            better,
            gain,
            chance,
        } = self.gained(&after);
        let bill = self.bills.bill(loaded);
        let both = bill.as_ref().ok().zip(self.now.bill.as_ref());
        let dollars = both.map(|(then, now)| then.per_month.dollars() - now.per_month.dollars());
        let paid = dollars.filter(|dollars| *dollars > 0.0 && better > 0.0 && !chance);
        Row {
            change: proposal.change,
            sets: proposal.sets,
            worth: order::worth(gain, chance, dollars),
            came: Some(Brought {
                came: own,
                jobs,
                seeds: after.len() as u64,
                gain,
                chance,
            }),
            refused: None,
            dollars,
            no_price: bill.err().filter(|_| self.now.no_price.is_none()),
            per_dollar: paid.map(|dollars| better / dollars),
        }
    }
}

fn unsimulated(proposal: Proposal, worth: Worth, refused: Option<String>) -> Row {
    Row {
        change: proposal.change,
        sets: proposal.sets,
        worth,
        came: None,
        refused,
        dollars: None,
        no_price: None,
        per_dollar: None,
    }
}

/// What a change brings, as a mean over seeds.
struct Gained {
    /// How much better the measured figure is, in its own unit.
    better: f64,
    /// The share that this is.
    gain: f64,
    /// Whether that may be chance.
    chance: bool,
}
