//! The largest load at which goals hold.

use blockyard_experiment::{Error, Executor, Lab, Watch, unless_stopped};
use blockyard_record::thresholds::{SEEDS, are_enough};

use crate::answer::{Asked, Capacity, Ended, Outcome, Point, Seeds, Sustained};
use crate::binding_job::binding_job;
use crate::bisection::Bisection;
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
    let seeds = match bracket.holds {
        Some(holds) => seeds(&study, holds, lab)?,
        None => None,
    };
    Found {
        study,
        emptied,
        seeds,
    }
    .answer(bracket, lab.budget.spent())
}

/// With how many seeds the goals hold at a load, as many as are affordable; none if too few are.
fn seeds(study: &Bisection, load: u64, lab: &mut Lab<'_>) -> Result<Option<Seeds>, Error> {
    let own = &study.answers[&load];
    let each = own.work().ios.max(1);
    let further = lab.budget.affords(each).min(u64::from(SEEDS - 1)) as u32;
    if !are_enough(1 + further as usize) {
        return Ok(None);
    }
    let others = study.variant(load).by_seed(1 + further).split_off(1);
    let mut met = u64::from(own.meets_goals());
    for answer in lab.ask(&others)? {
        met += u64::from(answer?.meets_goals());
    }
    lab.budget.spend(each * u64::from(further));
    let seeds = u64::from(1 + further);
    Ok(Some(Seeds { seeds, met }))
}

/// A search that has ended.
struct Found {
    study: Bisection,
    emptied: Vec<String>,
    seeds: Option<Seeds>,
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
        let below = bracket.holds.unwrap_or(0);
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
            holds: bracket.holds,
            missed: bracket.missed,
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
            seeds: self.seeds,
            most: study.search.most,
            ios,
            scaled: self.study.scaling.jobs,
            sustained_sets: self.emptied,
        })
    }

    fn outcome(&self, bracket: Bracket) -> Outcome {
        match (bracket.holds, bracket.missed, bracket.too_low) {
            _ if !self.study.whole => Outcome::Stopped,
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
            goals: measured(&answer.result),
            jobs: came(answer),
            lasts_s: lasts_s(&facts).filter(|_| saved_up),
            ready_s: ready_s.filter(|_| saved_up),
        })
    }
}
