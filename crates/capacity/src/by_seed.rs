//! What other seeds say of the load that a search with one seed has found: where the goals hold
//! with the probability that a user may rely on.

use std::collections::BTreeMap;

use blockyard_experiment::chance::{MetInSeeds, SeedRule, USUAL};
use blockyard_experiment::{Error, Lab};
use blockyard_record::thresholds::FEWEST;

use crate::bisection::Bisection;
use crate::descent::{Descent, Verdicts, bounds};
use crate::search::Bracket;

/// Loads that can be judged with as many seeds as are wanted: about what a search needs.
const LOADS: u64 = 3;

/// What other seeds say.
#[derive(Debug, Default)]
pub(crate) struct BySeed {
    /// The largest load at which the goals hold with the probability.
    pub(crate) holds: Option<u64>,
    /// The smallest above it at which they do not.
    pub(crate) missed: Option<u64>,
    /// In how many seeds they hold, by load.
    pub(crate) held: BTreeMap<u64, MetInSeeds>,
    /// Whether it ended with an answer, and not for want of IOs.
    pub(crate) whole: bool,
}

impl BySeed {
    /// Looks where goals hold that hold with one seed as `bracket` says; none if too few seeds are
    /// affordable to say more.
    ///
    /// # Errors
    /// If it is stopped, the executor fails, or a load cannot be simulated.
    pub(crate) fn of(
        study: &mut Bisection,
        bracket: Bracket,
        lab: &mut Lab<'_>,
    ) -> Result<Option<Self>, Error> {
        let Some(start) = bracket.holds else {
            return Ok(None);
        };
        let each = study.answers[&start].work().ios.max(1);
        let seeds = lab.budget.affords(each.saturating_mul(LOADS));
        if seeds < FEWEST.into() {
            return Ok(None);
        }
        let rule = match SeedRule::of(USUAL) {
            whole if whole.seeds() <= seeds => whole,
            _ => SeedRule::with(USUAL, seeds),
        };
        let descent = Descent {
            start,
            missed: bracket.missed,
            least: bracket.too_low.map_or(study.search.least, |load| load + 1),
            most: study.search.most,
        };
        let mut found = Self {
            whole: true,
            ..Self::default()
        };
        let mut verdicts = Verdicts::new();
        while let Some(load) = descent.next(&verdicts) {
            let Some(holds) = found.judge(study, load, rule, lab)? else {
                found.whole = false;
                break;
            };
            verdicts.insert(load, holds);
        }
        (found.holds, found.missed) = bounds(&verdicts);
        Ok(Some(found))
    }

    /// Simulates a load with seed after seed until it is clear whether the goals hold; none if
    /// that takes more IOs than are left.
    fn judge(
        &mut self,
        study: &mut Bisection,
        load: u64,
        rule: SeedRule,
        lab: &mut Lab<'_>,
    ) -> Result<Option<bool>, Error> {
        let mut held = MetInSeeds::default();
        loop {
            if let Some(holds) = rule.verdict(held) {
                return Ok(Some(holds));
            }
            let (seen, next) = (held.seeds, rule.next(held.seeds));
            if !study.affords(load, next, &lab.budget) {
                return Ok(None);
            }
            let all = study.variant(load).by_seed((seen + next) as u32);
            let (mut met, mut ios) = (0, 0);
            for (place, answer) in lab.ask(&all[seen as usize..])?.into_iter().enumerate() {
                let answer = answer?;
                met += u64::from(answer.meets_goals());
                match seen as usize + place {
                    0 => study.keep(load, answer, lab),
                    _ => ios += answer.work().ios,
                }
            }
            lab.budget.spend(ios);
            held = held.and(next, met);
            self.held.insert(load, held);
        }
    }
}
