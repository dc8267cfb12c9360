//! The largest load at which goals hold, with the scenario's own seed and with 95 % of all.

use blockyard_experiment::chance::{MetInSeeds, USUAL};
use blockyard_experiment::{Error, Executor, Lab, Watch, unless_stopped};

use crate::answer::{Asked, Capacity, Ended, Outcome, Point, Sustained};
use crate::binding_job::binding_job;
use crate::bisection::Bisection;
use crate::by_seed::BySeed;
use crate::figures::came;
use crate::goals::{Goals, measured};
use crate::load::Scaling;
use crate::search::{Bracket, Verdict};
use crate::start::Start;
use crate::sustained::{lasts_s, ready_s};

/// Looks for the largest load at which goals hold, on `executor`, which changes nothing about the
/// answer; none if `watch` stops it.
///
/// # Errors
/// If the scenario, a goal, a job or the largest load is wrong, or the executor fails.
pub fn capacity(
    asked: &Asked,
    executor: &dyn Executor,
    watch: &mut dyn Watch,
) -> Result<Option<Capacity>, Error> {
    let mut lab = Lab::new(executor, asked.most_ios, watch);
    unless_stopped(both(asked, &mut lab))
}

/// The largest load, and where that lives on what was saved up also what is sustained.
fn both(asked: &Asked, lab: &mut Lab<'_>) -> Result<Capacity, Error> {
    let mut found = largest(asked, None, lab)?;
    if let Some(holds) = found.holds.filter(|holds| found.is_carried(*holds)) {
        let asked = Asked {
            sustained: true,
            ..asked.clone()
        };
        let lasting = largest(&asked, Some(holds), lab)?;
        found.ios = lasting.ios;
        found.sustained = Some(Sustained {
            loads: lasting
                .holds
                .map_or_else(Vec::new, |load| lasting.loads(load)),
            outcome: lasting.outcome,
            holds: lasting.holds,
            missed: lasting.missed,
            seeds: lasting.seeds,
            sustained_sets: lasting.sustained_sets,
        });
    }
    Ok(found)
}

/// The largest load, of those up to `most`.
fn largest(asked: &Asked, most: Option<u64>, lab: &mut Lab<'_>) -> Result<Capacity, Error> {
    let Start { base, emptied } = Start::of(&asked.scenario, asked.sustained)?;
    let loaded = &base.opened().loaded;
    let scaling = Scaling::of(loaded, asked.job.as_deref()).map_err(Error::Input)?;
    let goals = Goals::of(&base, &scaling, &asked.goals).map_err(Error::Input)?;
    let search = scaling.search(asked.up_to).map_err(Error::Input)?;
    let search = most.map_or(search, |most| search.up_to(most));
    let mut study = Bisection::new(base, scaling, goals, search);
    lab.conduct(&mut study)?;
    let bracket = Bracket::of(&study.tries);
    let by_seed = BySeed::of(&mut study, bracket, lab)?;
    Found {
        study,
        emptied,
        by_seed,
    }
    .answer(bracket, lab.budget.spent())
}

/// A search that has ended.
struct Found {
    study: Bisection,
    emptied: Vec<String>,
    by_seed: Option<BySeed>,
}

impl Found {
    fn answer(self, bracket: Bracket, ios: u64) -> Result<Capacity, Error> {
        let study = &self.study;
        let last = study.tries.keys().next_back().copied();
        // The first load is tried whatever it takes.
        let end = bracket.missed.or(bracket.holds).or(last);
        let end = end.ok_or_else(|| Error::Input("no load was tried".to_owned()))?;
        let ended = &study.answers[&end];
        let scenario = ended.opened.scenario();
        let curve = study.tries.keys().map(|load| self.point(*load));
        let curve = curve.collect::<Result<Vec<_>, _>>()?;
        let (holds, missed) = self.bounds(bracket);
        let below = holds.unwrap_or(0);
        let missed_below = study.tries.range(..below);
        let missed_below = missed_below.filter(|(_, verdict)| **verdict == Verdict::Missed);
        let sets = self.emptied.iter().cloned().chain(study.sets(end));
        Ok(Capacity {
            scenario: scenario.name.clone(),
            seed: scenario.seed,
            goals: study.goals.texts(),
            levels: study.goals.levels(),
            by_factor: study.scaling.by_factor(),
            outcome: self.outcome(bracket),
            holds,
            missed,
            probability: USUAL as f64 / 1e3,
            one_seed: bracket.holds,
            too_low: bracket.too_low,
            missed_below: missed_below.map(|(load, _)| *load).collect(),
            sustained: None,
            told: binding_job(scenario, &curve, end, &study.goals),
            curve,
            ended: Ended {
                load: end,
                sets: sets.collect(),
                result: ended.result.clone(),
                facts: ended.facts()?,
            },
            seeds: holds.and_then(|load| self.held(load)),
            most: study.search.most,
            ios,
            scaled: self.study.scaling.jobs,
            sustained_sets: self.emptied,
        })
    }

    /// The largest load that holds and the smallest above it that does not: by all seeds where
    /// these say so.
    fn bounds(&self, bracket: Bracket) -> (Option<u64>, Option<u64>) {
        match &self.by_seed {
            Some(found) if found.whole || found.holds.is_some() => (found.holds, found.missed),
            _ => (bracket.holds, bracket.missed),
        }
    }

    fn held(&self, load: u64) -> Option<MetInSeeds> {
        self.by_seed.as_ref()?.held.get(&load).copied()
    }

    fn outcome(&self, bracket: Bracket) -> Outcome {
        let whole = self.by_seed.as_ref().is_none_or(|found| found.whole);
        let (holds, missed) = self.bounds(bracket);
        match (holds, missed, bracket.too_low) {
            _ if !self.study.whole || !whole => Outcome::Stopped,
            (Some(_), Some(_), _) => Outcome::Found,
            (Some(_), None, _) => Outcome::NeverMissed,
            (None, Some(_), Some(_)) => Outcome::Nowhere,
            (None, Some(_), None) => Outcome::NeverMet,
            (None, None, _) => Outcome::NeverReached,
        }
    }

    fn point(&self, load: u64) -> Result<Point, Error> {
        let study = &self.study;
        let answer = &study.answers[&load];
        let facts = answer.facts()?;
        let ready_s = ready_s(&facts, &answer.opened.resolved.storage);
        let saved_up = self.emptied.is_empty();
        Ok(Point {
            load,
            loads: study.scaling.loads(load),
            met: study.tries[&load] == Verdict::Met,
            seeds: self.held(load),
            goals: measured(&answer.result),
            jobs: came(answer),
            lasts_s: lasts_s(&facts).filter(|_| saved_up),
            ready_s: ready_s.filter(|_| saved_up),
        })
    }
}
