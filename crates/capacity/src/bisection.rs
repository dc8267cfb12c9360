//! The study of loads: the search, with what was simulated for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use blockyard_experiment::budget::Budget;
use blockyard_experiment::{Answer, Answered, Base, Edit, Error, Lab, LoadUnit, Study, Variant};

use crate::goals::Goals;
use crate::load::Scaling;
use crate::search::{Next, Search, Tries};

/// A search under way.
pub(crate) struct Bisection {
    base: Arc<Base>,
    pub(crate) scaling: Scaling,
    pub(crate) goals: Goals,
    pub(crate) search: Search,
    /// What was simulated, also ahead of need.
    pub(crate) answers: BTreeMap<u64, Answer>,
    pub(crate) tries: Tries,
    /// Whether it ended with an answer, and not for want of IOs.
    pub(crate) whole: bool,
    /// The loads of the batch that is simulated, the one that is needed first.
    batch: Vec<u64>,
}

impl Study for Bisection {
    /// Tries loads until the answer is there, or the next would take too many IOs.
    fn next(&mut self, answers: Vec<Answered>, lab: &mut Lab<'_>) -> Result<Vec<Variant>, Error> {
        self.take(answers)?;
        loop {
            let (load, needed) = match self.search.next(&self.tries) {
                Next::Done => break,
                Next::Try(load) => (load, true),
                Next::Check(load) => (load, false),
            };
            if !self.is_affordable(load, &lab.budget) {
                self.whole = !needed;
                break;
            }
            let Some(answer) = self.answers.get(&load) else {
                self.batch = self.ahead(load, lab);
                return Ok(self.batch.iter().map(|load| self.variant(*load)).collect());
            };
            let answer = answer.clone();
            self.keep(load, answer, lab);
        }
        Ok(Vec::new())
    }
}

impl Bisection {
    pub(crate) fn new(base: Arc<Base>, scaling: Scaling, goals: Goals, search: Search) -> Self {
        Self {
            base,
            scaling,
            goals,
            search,
            answers: BTreeMap::new(),
            tries: Tries::new(),
            whole: true,
            batch: Vec::new(),
        }
    }

    /// Takes what the scenario's own seed gives at a load, unless it was tried before.
    pub(crate) fn keep(&mut self, load: u64, answer: Answer, lab: &mut Lab<'_>) {
        if self.tries.contains_key(&load) {
            return;
        }
        lab.budget.spend(answer.work().ios);
        let verdict = self.goals.verdict(&self.scaling, &answer.result);
        self.tries.insert(load, verdict);
        self.answers.insert(load, answer);
        lab.tried(self.in_words(load));
    }

    /// Takes the answers of a batch: the load that is needed must have one, the others may fail.
    fn take(&mut self, answers: Vec<Answered>) -> Result<(), Error> {
        let batch = std::mem::take(&mut self.batch);
        for (place, (load, answer)) in batch.into_iter().zip(answers).enumerate() {
            match answer {
                Ok(answer) => drop(self.answers.insert(load, answer)),
                Err(error) if place == 0 => return Err(error),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// `load`, and loads that may be needed after it, as many as are simulated at once.
    fn ahead(&self, load: u64, lab: &Lab<'_>) -> Vec<u64> {
        let mut ahead = self.search.ahead(&self.tries, lab.width());
        ahead.retain(|other| {
            let known = *other == load || self.answers.contains_key(other);
            !known && self.is_affordable(*other, &lab.budget)
        });
        ahead.insert(0, load);
        ahead
    }

    /// Whether a load may be tried: by what the loads next to it took.
    fn is_affordable(&self, load: u64, budget: &Budget) -> bool {
        self.affords(load, 1, budget)
    }

    /// Whether it may be with as many seeds.
    pub(crate) fn affords(&self, load: u64, seeds: u64, budget: &Budget) -> bool {
        let of = |load: &u64| self.answers[load].work().ios;
        let below = self.tries.range(..=load).next_back();
        let above = self.tries.range(load..).next();
        // No more IOs are done than in proportion to the load, or with more load.
        let below = below.map(|(own, _)| (of(own) as f64 * load as f64 / *own as f64) as u64);
        let above = above.map(|(own, _)| of(own));
        let expected = below.into_iter().chain(above).min();
        expected.is_none_or(|expected| expected.saturating_mul(seeds) <= budget.left())
    }

    /// The scenario with a load and the goals.
    pub(crate) fn variant(&self, load: u64) -> Variant {
        let edits = self.scaling.edits(load).into_iter();
        Variant::of(&self.base).with(edits.chain(self.goals.set.clone()))
    }

    /// The overrides that make a variant with a load.
    pub(crate) fn sets(&self, load: u64) -> Vec<String> {
        Edit::overrides(self.variant(load).edits())
    }

    /// A load for people to read.
    fn in_words(&self, load: u64) -> String {
        match &self.scaling.jobs[..] {
            [one] => match one.unit {
                LoadUnit::Processes => format!("{load} processes"),
                LoadUnit::Threads => format!("{load} threads"),
                LoadUnit::IosPerS => format!("{load} IOs/s"),
                LoadUnit::TransactionsPerS => format!("{load} transactions/s"),
                LoadUnit::Percent => format!("{load} % of the demand"),
            },
            _ => format!("{:.3} times the load", load as f64 / 1e3),
        }
    }
}
