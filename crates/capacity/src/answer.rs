//! What to look for, and what is found: how much load a layout takes.

use blockyard_experiment::ScenarioText;
use blockyard_experiment::chance::MetInSeeds;
use blockyard_explain::Facts;
use blockyard_record::result::RunResult;
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::Came;
use crate::goals::{Level, Measured};
use crate::load::Scaled;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The scenario.
    pub scenario: ScenarioText,
    /// The goals; the scenario's own if there are none.
    pub goals: Vec<String>,
    /// The job whose load is varied; all jobs by one factor if none is named.
    pub job: Option<String>,
    /// The most load: processes, threads, IOs or transactions a second, or a factor.
    pub up_to: Option<f64>,
    /// Whether to start with credits and token buckets empty, to see what is sustainable.
    /// Without it, the sustainable load is searched as well where the answer lives on them.
    pub sustained: bool,
    /// How many IOs may be simulated. The first load is tried whatever it takes.
    pub most_ios: u64,
}

/// How much load a layout takes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Capacity {
    /// The scenario's name.
    pub scenario: String,
    /// The seed that all loads were tried with.
    pub seed: u64,
    /// The goals.
    pub goals: Vec<String>,
    /// Where those goals lie that are of the curve's figures.
    pub levels: Vec<Level>,
    /// The jobs whose load was varied.
    pub scaled: Vec<Scaled>,
    /// Whether loads are factors in 1/1000 of the scenario's, of several jobs together.
    pub by_factor: bool,
    /// What was found.
    pub outcome: Outcome,
    /// The largest load at which all goals hold with that probability, of those tried; with one
    /// seed where `seeds` is none.
    pub holds: Option<u64>,
    /// The smallest load above that at which they do not; without it the smallest that is too
    /// much.
    pub missed: Option<u64>,
    /// The share of seeds in which the goals must hold.
    pub probability: f64,
    /// The largest load at which all goals hold with the scenario's own seed.
    pub one_seed: Option<u64>,
    /// The largest load below these at which goals are missed that ask for load.
    pub too_low: Option<u64>,
    /// Loads below `holds` at which goals were missed that less load should meet: there the
    /// curve is not monotone, by chance or otherwise.
    pub missed_below: Vec<u64>,
    /// What is sustained, where `holds` is a load that burst credits or tokens carry that lay
    /// ready at the start.
    pub sustained: Option<Sustained>,
    /// The job that the curve shows: whose goal binds.
    pub told: String,
    /// The overrides that use up burst balances and tokens before the start; none unless that was
    /// asked for.
    pub sustained_sets: Vec<String>,
    /// The loads that were tried, rising.
    pub curve: Vec<Point>,
    /// The run at `missed`, or at the largest load, where none missed a goal.
    pub ended: Ended,
    /// In how many seeds the goals hold at `holds`; none where that would have taken too long.
    pub seeds: Option<MetInSeeds>,
    /// The largest load that would have been tried.
    pub most: u64,
    /// IOs that the loads of `curve`, the seeds and what is sustained took.
    pub ios: u64,
}

/// The largest load, up to `holds`, that holds with nothing saved up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Sustained {
    /// What was found.
    pub outcome: Outcome,
    /// The largest load at which all goals hold.
    pub holds: Option<u64>,
    /// That of each job that is scaled.
    pub loads: Vec<u64>,
    /// The smallest load above that at which they do not, if one was tried.
    pub missed: Option<u64>,
    /// In how many seeds the goals hold at `holds`.
    pub seeds: Option<MetInSeeds>,
    /// The overrides that use up burst balances and tokens before the start.
    pub sustained_sets: Vec<String>,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The load, to 1 %.
    Found,
    /// The goals hold up to the largest load.
    NeverMissed,
    /// They are missed at the smallest load.
    NeverMet,
    /// The largest load is still too low for those goals that ask for load.
    NeverReached,
    /// Where goals that ask for load are met, others are missed.
    Nowhere,
    /// As many IOs were simulated as may be, and the load lies between two that are further
    /// apart.
    Stopped,
}

/// A load that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Point {
    /// The load.
    pub load: u64,
    /// The load of each job that is scaled.
    pub loads: Vec<u64>,
    /// Whether all goals were met with the scenario's own seed.
    pub met: bool,
    /// In how many seeds they were; none where others were not tried.
    pub seeds: Option<MetInSeeds>,
    /// Goal by goal.
    pub goals: Vec<Measured>,
    /// Job by job.
    pub jobs: Vec<Came>,
    /// How many seconds longer burst credits last that run out first: 0 if they were used up, none
    /// if this load is sustained.
    pub lasts_s: Option<f64>,
    /// How many seconds from the start tokens last that lay ready in limits; none if this load
    /// does without.
    pub ready_s: Option<f64>,
}

/// The run that says what ends a search.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Ended {
    /// Its load.
    pub load: u64,
    /// The overrides that make it again.
    pub sets: Vec<String>,
    /// Its result.
    pub result: RunResult,
    /// What its figures say of its limits.
    pub facts: Facts,
}

impl Capacity {
    /// Whether a load lives on burst credits or on tokens that lay ready.
    pub(crate) fn is_carried(&self, load: u64) -> bool {
        let point = self.curve.iter().find(|point| point.load == load);
        point.is_some_and(|point| point.lasts_s.is_some() || point.ready_s.is_some())
    }

    /// What each job gets at a load that was tried.
    pub(crate) fn loads(&self, load: u64) -> Vec<u64> {
        let point = self.curve.iter().find(|point| point.load == load);
        point.map_or_else(Vec::new, |point| point.loads.clone())
    }
}
