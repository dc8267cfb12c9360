//! The largest load at which goals hold.

use std::collections::BTreeMap;

use blockyard_explain::Facts;
use blockyard_record::result::RunResult;
use blockyard_scenario::schema::Scenario;
use blockyard_simulate::ScenarioText;
use serde::Serialize;

use crate::figures::{Came, came, ios};
use crate::for_good::{lasts_s, ready_s};
use crate::goals::{Goals, Level, Measured, measured, told};
use crate::load::{LoadUnit, Scaled, Scaling};
use crate::runs::{Begun, Case, Error, FEWEST, Runs, SEEDS, Tried, Watch};
use crate::search::{Bracket, Next, Search, Tries, Verdict};

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
    /// Whether to begin with burst balances and tokens used up, to see what holds for good.
    /// Without it that is looked for as well, where the answer lives on them.
    pub for_good: bool,
    /// How many IOs may be simulated. The first load is tried whatever it takes.
    pub most_ios: u64,
}

/// How much load a layout takes.
#[derive(Clone, Debug, Serialize)]
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
    /// The largest load at which all goals hold, of those tried.
    pub holds: Option<u64>,
    /// The smallest load above that at which they do not; without it the smallest that is too
    /// much.
    pub missed: Option<u64>,
    /// The largest load below these at which goals are missed that ask for load.
    pub too_low: Option<u64>,
    /// Loads below `holds` at which goals were missed that less load should meet: there the
    /// curve is not monotone, by chance or otherwise.
    pub missed_below: Vec<u64>,
    /// What is sustained, where `holds` is a load that burst credits or tokens carry that lay
    /// ready at the start.
    pub sustained: Option<Sustained>,
    /// The job that the curve is to be told by: whose goal binds.
    pub told: String,
    /// The overrides that use up burst balances and tokens before the start; none unless that was
    /// asked for.
    pub for_good: Vec<String>,
    /// The loads that were tried, rising.
    pub curve: Vec<Point>,
    /// The run at `missed`, or at the largest load, where none missed a goal.
    pub ended: Ended,
    /// What other seeds came to at `holds`; none where that would have taken too long.
    pub seeds: Option<Seeds>,
    /// The largest load that would have been tried.
    pub most: u64,
    /// IOs that the loads of `curve`, the seeds and what is sustained took.
    pub ios: u64,
}

/// The largest load, up to [`Capacity::holds`], that holds with nothing saved up.
#[derive(Clone, Debug, Serialize)]
pub struct Sustained {
    /// What was found.
    pub outcome: Outcome,
    /// The largest load at which all goals hold.
    pub holds: Option<u64>,
    /// That of each job that is scaled.
    pub loads: Vec<u64>,
    /// The smallest load above that at which they do not, if one was tried.
    pub missed: Option<u64>,
    /// What other seeds came to at `holds`.
    pub seeds: Option<Seeds>,
    /// The overrides that use up burst balances and tokens before the start.
    pub for_good: Vec<String>,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The load.
    pub load: u64,
    /// The load of each job that is scaled.
    pub loads: Vec<u64>,
    /// Whether all goals were met.
    pub met: bool,
    /// Goal by goal.
    pub goals: Vec<Measured>,
    /// Job by job.
    pub jobs: Vec<Came>,
    /// How many seconds longer burst credits last that run out first: 0 if they were used up, none
    /// if this load goes on for good.
    pub lasts_s: Option<f64>,
    /// How many seconds from the start tokens last that lay ready in limits; none if this load
    /// does without.
    pub ready_s: Option<f64>,
}

/// The run that says what ends a search.
#[derive(Clone, Debug, Serialize)]
pub struct Ended {
    /// Its load.
    pub load: u64,
    /// The overrides that make it again.
    pub sets: Vec<String>,
    /// What it came to.
    pub result: RunResult,
    /// What its figures say of its limits.
    pub facts: Facts,
}

/// What other seeds came to at a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Seeds {
    /// How many there were, the scenario's own among them.
    pub seeds: u64,
    /// With how many of them all goals hold.
    pub met: u64,
}

/// Looks for the largest load at which goals hold, on `threads` threads, which change nothing
/// about the answer; none if `watch` stops it.
///
/// # Errors
/// If the scenario, a goal, a job or the largest load is wrong, or threads cannot be started.
pub fn capacity(
    asked: &Asked,
    threads: usize,
    watch: &mut dyn Watch,
) -> Result<Option<Capacity>, Error> {
    let Some(mut found) = looked(asked, None, threads, watch)? else {
        return Ok(None);
    };
    if let Some(holds) = found.holds.filter(|holds| found.is_carried(*holds)) {
        let asked = Asked {
            for_good: true,
            most_ios: asked.most_ios.saturating_sub(found.ios),
            ..asked.clone()
        };
        let Some(lasting) = looked(&asked, Some(holds), threads, watch)? else {
            return Ok(None);
        };
        found.ios += lasting.ios;
        found.sustained = Some(Sustained {
            loads: lasting
                .holds
                .map_or_else(Vec::new, |load| lasting.loads(load)),
            outcome: lasting.outcome,
            holds: lasting.holds,
            missed: lasting.missed,
            seeds: lasting.seeds,
            for_good: lasting.for_good,
        });
    }
    Ok(Some(found))
}

/// The same, of loads up to `most`, without what is sustained.
fn looked(
    asked: &Asked,
    most: Option<u64>,
    threads: usize,
    watch: &mut dyn Watch,
) -> Result<Option<Capacity>, Error> {
    let Begun {
        text,
        for_good,
        loaded,
    } = Begun::of(&asked.scenario, asked.for_good)?;
    let runs = Runs { of: &text, threads };
    let scaling = Scaling::of(&loaded, asked.job.as_deref()).map_err(Error::Input)?;
    let goals = Goals::of(&text, &loaded, &scaling, &asked.goals).map_err(Error::Input)?;
    let search = scaling.search(asked.up_to).map_err(Error::Input)?;
    let search = most.map_or(search, |most| search.up_to(most));
    let mut looking = Looking {
        scenario: &loaded.scenario,
        for_good,
        scaling,
        goals,
        runs,
        most_ios: asked.most_ios,
        results: BTreeMap::new(),
        tries: Tries::new(),
        ios: 0,
    };
    match looking.follow(search, watch)? {
        Some(whole) => looking.answer(search, whole, watch),
        None => Ok(None),
    }
}

impl Capacity {
    /// Whether a load lives on burst credits or on tokens that lay ready.
    fn is_carried(&self, load: u64) -> bool {
        let point = self.curve.iter().find(|point| point.load == load);
        point.is_some_and(|point| point.lasts_s.is_some() || point.ready_s.is_some())
    }

    /// What each job gets at a load that was tried.
    fn loads(&self, load: u64) -> Vec<u64> {
        let point = self.curve.iter().find(|point| point.load == load);
        point.map_or_else(Vec::new, |point| point.loads.clone())
    }
}

/// A search under way.
struct Looking<'a> {
    scenario: &'a Scenario,
    for_good: Vec<String>,
    scaling: Scaling,
    goals: Goals,
    runs: Runs<'a>,
    most_ios: u64,
    /// What was simulated, also ahead of need.
    results: BTreeMap<u64, RunResult>,
    tries: Tries,
    /// IOs of the loads that were needed.
    ios: u64,
}

impl Looking<'_> {
    /// Tries loads until the answer is there, or the next would take too many IOs: whether it is
    /// there; none if it is stopped.
    fn follow(&mut self, search: Search, watch: &mut dyn Watch) -> Result<Option<bool>, Error> {
        loop {
            let (load, needed) = match search.next(&self.tries) {
                Next::Done => return Ok(Some(true)),
                Next::Try(load) => (load, true),
                Next::Check(load) => (load, false),
            };
            if !self.affordable(load) {
                return Ok(Some(!needed));
            }
            if !self.results.contains_key(&load) {
                let ahead = search.ahead(&self.tries, self.runs.threads);
                let new = |other: &u64| {
                    *other == load || !self.results.contains_key(other) && self.affordable(*other)
                };
                let loads: Vec<_> = ahead.into_iter().filter(new).collect();
                if self.simulate(&loads, load, watch)?.is_none() {
                    return Ok(None);
                }
            }
            let result = &self.results[&load];
            self.ios += ios(self.scenario, result);
            self.tries
                .insert(load, self.goals.verdict(&self.scaling, result));
            watch.tried(&Tried {
                last: in_words(&self.scaling, load),
                ios: self.ios,
                most_ios: self.most_ios,
            });
        }
    }

    /// Simulates `loads`, of which `needed` is one; the others may fail.
    fn simulate(
        &mut self,
        loads: &[u64],
        needed: u64,
        watch: &mut dyn Watch,
    ) -> Result<Option<()>, Error> {
        let case = |load: &u64| Case {
            sets: self.sets(*load),
            seeds: 1,
        };
        let cases: Vec<_> = loads.iter().map(case).collect();
        let Some(found) = self.runs.all(&cases, &mut || watch.stopped())? else {
            return Ok(None);
        };
        for (load, ran) in loads.iter().zip(found) {
            match ran.map(|mut results| results.pop()) {
                Ok(Some(result)) => {
                    self.results.insert(*load, result);
                }
                Ok(None) => return Ok(None),
                Err(error) if *load == needed => return Err(Error::Input(error)),
                Err(_) => {}
            }
        }
        Ok(Some(()))
    }

    /// Whether a load may be tried: by what the loads next to it took.
    fn affordable(&self, load: u64) -> bool {
        let of = |load: &u64| ios(self.scenario, &self.results[load]);
        let below = self.tries.range(..=load).next_back();
        let above = self.tries.range(load..).next();
        // No more IOs are done than in proportion to the load, or with more load.
        let below = below.map(|(own, _)| (of(own) as f64 * load as f64 / *own as f64) as u64);
        let above = above.map(|(own, _)| of(own));
        let expected = below.into_iter().chain(above).min();
        expected.is_none_or(|expected| self.ios.saturating_add(expected) <= self.most_ios)
    }

    fn sets(&self, load: u64) -> Vec<String> {
        let mut sets = self.scaling.sets(load);
        sets.extend(self.goals.set.clone());
        sets
    }

    /// The answer, once nothing more is tried; `whole` unless that is for want of IOs.
    fn answer(
        mut self,
        search: Search,
        whole: bool,
        watch: &mut dyn Watch,
    ) -> Result<Option<Capacity>, Error> {
        let bracket = Bracket::of(&self.tries);
        let outcome = match (bracket.holds, bracket.missed, bracket.too_low) {
            _ if !whole => Outcome::Stopped,
            (Some(_), Some(_), _) => Outcome::Found,
            (Some(_), None, _) => Outcome::NeverMissed,
            (None, Some(_), Some(_)) => Outcome::Nowhere,
            (None, Some(_), None) => Outcome::NeverMet,
            (None, None, _) => Outcome::NeverReached,
        };
        let seeds = match bracket.holds {
            Some(holds) => match self.seeds(holds, watch)? {
                Some(seeds) => seeds,
                None => return Ok(None),
            },
            None => None,
        };
        let last = self.tries.keys().next_back().copied();
        let Some(end) = bracket.missed.or(bracket.holds).or(last) else {
            return Ok(None);
        };
        let result = self.results[&end].clone();
        let facts = self.runs.facts(&self.sets(end), &result)?;
        let sets = self.for_good.iter().cloned().chain(self.sets(end));
        let sets = sets.collect();
        let curve = self.tries.keys().map(|load| self.point(*load));
        let curve = curve.collect::<Result<Vec<_>, _>>()?;
        let below = bracket.holds.unwrap_or(0);
        let told = told(self.scenario, &curve, end, &self.goals);
        let missed_below = self.tries.range(..below);
        let missed_below = missed_below.filter(|(_, verdict)| **verdict == Verdict::Missed);
        Ok(Some(Capacity {
            scenario: self.scenario.name.clone(),
            seed: self.scenario.seed,
            goals: self.goals.texts(),
            levels: self.goals.levels(),
            by_factor: self.scaling.by_factor(),
            outcome,
            holds: bracket.holds,
            missed: bracket.missed,
            too_low: bracket.too_low,
            missed_below: missed_below.map(|(load, _)| *load).collect(),
            sustained: None,
            told,
            curve,
            for_good: self.for_good,
            ended: Ended {
                load: end,
                sets,
                result,
                facts,
            },
            seeds,
            most: search.most,
            ios: self.ios,
            scaled: self.scaling.jobs,
        }))
    }

    /// With how many seeds the goals hold at a load, as many as may be simulated; the outer none
    /// if it is stopped.
    fn seeds(&mut self, load: u64, watch: &mut dyn Watch) -> Result<Option<Option<Seeds>>, Error> {
        let one = ios(self.scenario, &self.results[&load]).max(1);
        let seeds = (1 + self.most_ios.saturating_sub(self.ios) / one).min(SEEDS);
        if seeds < FEWEST {
            return Ok(Some(None));
        }
        let case = Case {
            sets: self.sets(load),
            seeds,
        };
        let Some(found) = self.runs.all(&[case], &mut || watch.stopped())? else {
            return Ok(None);
        };
        let results = found.into_iter().next().unwrap_or_else(|| Ok(Vec::new()));
        let results = results.map_err(Error::Input)?;
        self.ios += one * (seeds - 1);
        let met = results
            .iter()
            .filter(|result| result.goals.iter().all(|goal| goal.met));
        Ok(Some(Some(Seeds {
            seeds,
            met: met.count() as u64,
        })))
    }

    fn point(&self, load: u64) -> Result<Point, Error> {
        let result = &self.results[&load];
        let (facts, resolved) = self.runs.seen(&self.sets(load), result)?;
        let ready_s = ready_s(&facts, &resolved.storage);
        Ok(Point {
            load,
            loads: self.scaling.loads(load),
            met: self.tries[&load] == Verdict::Met,
            goals: measured(result),
            jobs: came(self.scenario, result),
            lasts_s: lasts_s(&facts).filter(|_| self.for_good.is_empty()),
            ready_s: ready_s.filter(|_| self.for_good.is_empty()),
        })
    }
}

/// A load for people to read.
fn in_words(scaling: &Scaling, load: u64) -> String {
    match &scaling.jobs[..] {
        [one] => match one.unit {
            LoadUnit::Processes => format!("{load} processes"),
            LoadUnit::Threads => format!("{load} threads"),
            LoadUnit::IosPerS => format!("{load} IOs/s"),
            LoadUnit::TransactionsPerS => format!("{load} transactions/s"),
        },
        _ => format!("{:.3} times the load", load as f64 / 1e3),
    }
}
