//! The largest load at which goals hold.

use std::collections::BTreeMap;

use blockyard_record::result::RunResult;
use blockyard_scenario::schema::Scenario;

use crate::answer::{Asked, Capacity, Ended, Outcome, Point, Seeds, Sustained};
use crate::figures::{came, ios};
use crate::for_good::{lasts_s, ready_s};
use crate::goals::{Goals, measured};
use crate::load::{LoadUnit, Scaling};
use crate::runs::{Begun, Case, Error, FEWEST, Runs, SEEDS, Tried, Watch};
use crate::search::{Bracket, Next, Search, Tries, Verdict};
use crate::told::told;

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
