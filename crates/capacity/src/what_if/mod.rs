//! What changes of a layout would bring, and for what money.

mod change;
mod combining;
mod durability;
mod gives_up;
mod judged;
mod need;
mod now;
mod order;
mod replicas;
mod service;
mod trying;
mod useful;

use std::collections::{HashSet, VecDeque};

use blockyard_experiment::{
    Answer, Error, Executor, Lab, ScenarioText, Variant, Watch, unless_stopped,
};
use blockyard_explain::Facts;
use blockyard_record::result::RunResult;
use blockyard_record::thresholds::{SEEDS, are_enough};
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::{hint, shorten};
use schemars::JsonSchema;
use serde::Serialize;

pub use change::{Amount, Change, Least, Part};
pub use gives_up::{GivesUp, Headroom};
pub use judged::{Gained, OfGoal};
pub use now::{Measure, Now, OfJob};
pub use order::Worth;

use self::change::Changes;
use self::need::Need;
use self::now::now;
use self::trying::Trying;
use crate::bill::{Bills, Prices};
use crate::start::Start;

/// Further seeds take no more than this share of the IOs that may be simulated.
const FOR_SEEDS: u64 = 4;

/// As many changes made together are reckoned with.
const FOR_COMBINATIONS: usize = 15;

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
    /// Whether to start with credits and token buckets empty, to see what is sustainable.
    pub sustained: bool,
    /// What an instance must have at least. Where nothing is stated smaller sizes of a family are
    /// tried, and of other families those that have no less.
    pub least: Least,
    /// How many IOs may be simulated; what is waited for most is tried first.
    pub most_ios: u64,
}

/// What changes of a layout would bring.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Alternatives {
    /// The scenario's name.
    pub scenario: String,
    /// The seed that all were simulated with.
    pub seed: u64,
    /// The layout as it is.
    pub now: Now,
    /// The overrides that use up burst balances and tokens before the start; none unless that was
    /// asked for.
    pub sustained_sets: Vec<String>,
    /// The changes, in the order of what they are worth. Of those made together the best ones.
    pub changes: Vec<Row>,
    /// How many changes were simulated by themselves.
    pub tried: u64,
    /// How many combinations of two or three were simulated.
    pub tried_together: u64,
    /// The full result of the layout as it is.
    pub result: RunResult,
    /// What its figures say of its limits.
    pub facts: Facts,
    /// IOs that all took.
    pub ios: u64,
}

/// A change and its outcome.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// The change.
    pub change: Change,
    /// The others that are made with it, where two or three are made together.
    pub also: Vec<Change>,
    /// The overrides that make it.
    pub sets: Vec<String>,
    /// Its outcome.
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
    /// What it gives up.
    pub gives_up: Vec<GivesUp>,
}

/// What a change brings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Brought {
    /// The job that sums it up: the one that was named, else the one whose goal it meets, that
    /// gets worse, or that gains most.
    pub job: String,
    /// The gain of that job.
    pub gain: f64,
    /// All jobs, in the order of the scenario.
    pub jobs: Vec<Gained>,
    /// All goals, in the order of the scenario.
    pub goals: Vec<OfGoal>,
    /// The limit of which least is free with it in the busiest second; none where no limit has a
    /// value.
    pub headroom: Option<Headroom>,
    /// With how many seeds it was simulated, each beside the layout as it is with the same one.
    pub seeds: u64,
    /// How many seconds longer burst credits last that run out first: 0 if they were used up, none
    /// if this is sustained.
    pub lasts_s: Option<f64>,
}

impl Row {
    fn changes(&self) -> Changes {
        Changes::new(self.change.clone(), self.also.clone())
    }
}

impl Brought {
    /// How many goals are met, each by the share of the seeds with which it is.
    fn share_met(&self) -> f64 {
        let met: u64 = self.goals.iter().map(|goal| goal.seeds_met).sum();
        met as f64 / self.seeds.max(1) as f64
    }
}

/// Tries what one more volume, more IOPS, more throughput, the next instance size, other volume
/// types, io2 for the journal and other settings of clusters would bring, what less of each would
/// save, and two or three of these together, on `executor`, which changes nothing about the answer;
/// none if `watch` stops it.
///
/// # Errors
/// If the scenario, the job or the prices are wrong, or the executor fails.
pub fn what_if(
    asked: &WhatIf,
    executor: &dyn Executor,
    watch: &mut dyn Watch,
) -> Result<Option<Alternatives>, Error> {
    let mut lab = Lab::new(executor, asked.most_ios, watch);
    unless_stopped(alternatives(asked, &mut lab))
}

fn alternatives(asked: &WhatIf, lab: &mut Lab<'_>) -> Result<Alternatives, Error> {
    let Start { base, emptied } = Start::of(&asked.scenario, asked.sustained)?;
    let opened = base.opened();
    let scenario = opened.scenario();
    if let Some(job) = &asked.job {
        known(job, scenario)?;
    }
    let bills = Bills::of(&asked.prices).map_err(Error::Input)?;
    let answers = as_it_is(&Variant::of(&base), lab)?;
    let own = &answers[0];
    let facts = own.facts()?;
    let now = now(asked, opened, &answers, &facts, &bills);
    let need = Need::of(&answers, &facts, &opened.resolved);
    let region = now.bill.as_ref().map(|bill| bill.region.clone());
    let price = |instance: &str| bills.instance(region.as_deref()?, scenario.as_of, instance);
    let mut trying = Trying {
        base: &base,
        now: &now,
        need: &need,
        only: asked.job.as_deref(),
        least: asked.least,
        seeds: 1,
        bills: &bills,
        price: &price,
        sustained: asked.sustained,
        waiting: VecDeque::new(),
        batch: Vec::new(),
        level: Vec::new(),
        depth: 1,
        seen: HashSet::new(),
        counts: (0, 0),
        rows: Vec::new(),
    };
    let mut proposals = trying.proposals(opened, &facts, &own.result);
    // Less is worth a try only where nothing is missing.
    proposals.retain(|proposal| now.meets_all() || !proposal.saves);
    let affordable = lab.budget.affords(own.work().whole());
    let seeds = affordable as usize / (proposals.len() + FOR_COMBINATIONS).max(1);
    if are_enough(seeds) {
        trying.seeds = seeds.min(answers.len()) as u32;
    }
    trying.queue(proposals, affordable);
    lab.conduct(&mut trying)?;
    let (mut rows, counts) = (trying.rows, trying.counts);
    useful::keep_useful(&mut rows);
    order::sort(&mut rows);
    Ok(Alternatives {
        scenario: scenario.name.clone(),
        seed: scenario.seed,
        changes: rows,
        tried: counts.0,
        tried_together: counts.1,
        result: own.result.clone(),
        facts,
        ios: lab.budget.spent(),
        sustained_sets: emptied,
        now,
    })
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

/// The scenario as it is, with its seed and further ones.
fn as_it_is(variant: &Variant, lab: &mut Lab<'_>) -> Result<Vec<Answer>, Error> {
    let mut answers = Vec::new();
    for answer in lab.ask(std::slice::from_ref(variant))? {
        answers.push(answer?);
    }
    let each = answers.first().map_or(1, |own| own.work().whole().max(1));
    let seeds = (lab.budget.most() / FOR_SEEDS / each).min(SEEDS.into()) as u32;
    if are_enough(seeds as usize) {
        for answer in lab.ask(&variant.by_seed(seeds).split_off(1))? {
            answers.push(answer?);
        }
    }
    lab.budget.spend(each * answers.len() as u64);
    lab.tried("the layout as it is".to_owned());
    Ok(answers)
}
