//! Changes that are made together: found by what each brought, never all of them tried.
//!
//! A beam search. Of the changes of one depth a few lead on, and to each of them a few more are
//! added: where goals are met or none is asked, what saves money is added to what does; where a
//! goal is missed, what relieves the limit that binds then, and what saves money once all are met.

use blockyard_experiment::Lab;
use blockyard_explain::{Facts, LimitId};
use blockyard_record::thresholds::FELT;

use super::change::Proposal;
use super::order::Worth;
use super::trying::{Done, Tried, Trying};
use super::useful::dollars;

/// As many changes are made together at most.
const DEPTH: usize = 3;

/// As many changes lead on from one depth to the next, of those that save and of those that
/// bring more.
const LEADERS: usize = 2;

/// As many are added to each of these, by depth.
const ADDED: [usize; DEPTH - 1] = [3, 2];

impl Trying<'_> {
    /// Queues changes together, once all with fewer are known.
    pub(super) fn combine(&mut self, lab: &Lab<'_>) {
        while self.waiting.is_empty() && self.depth < DEPTH {
            self.depth += 1;
            let level = self.close_level();
            let mut found = Vec::new();
            for leader in self.leaders(&level) {
                found.extend(self.added(leader));
            }
            let each = self.now.ios.saturating_mul(self.seeds.into());
            found.truncate(lab.budget.affords(each) as usize);
            self.waiting.extend(found);
        }
        if self.waiting.is_empty() {
            self.close_level();
        }
    }

    /// What was simulated at a depth, which is known from now on.
    fn close_level(&mut self) -> Vec<Done> {
        let level = std::mem::take(&mut self.level);
        self.rows.extend(level.iter().map(|done| done.row.clone()));
        level
    }

    /// The changes of a level that more are added to.
    fn leaders<'a>(&self, level: &'a [Done]) -> Vec<&'a Done> {
        let mut saving: Vec<_> = level.iter().filter(|done| done.row.saves()).collect();
        saving.sort_by(|a, b| dollars(&a.row).total_cmp(&dollars(&b.row)));
        // What gives nothing up leads beside what saves more and does.
        let whole = saving
            .iter()
            .filter(|done| done.row.worth == Worth::Cheaper);
        let mut found: Vec<&Done> = whole.take(1).copied().collect();
        for done in saving {
            if found.len() < LEADERS && !found.iter().any(|known| std::ptr::eq(*known, done)) {
                found.push(done);
            }
        }
        if self.is_met() {
            return found;
        }
        let bound = |done: &&Done| {
            let is_part = done.row.also.is_empty();
            done.row.gains() || (is_part && self.relieves_now(&done.proposal))
        };
        let mut raising: Vec<_> = level.iter().filter(bound).collect();
        raising.sort_by(|a, b| {
            let key = |done: &Done| {
                let came = done.row.came.as_ref();
                let met = came.map_or(0.0, super::Brought::share_met);
                let gain = match done.row.meets_all() {
                    true => f64::INFINITY,
                    // Of what is alike to a percent the cheaper leads.
                    false => came.map_or(0.0, |came| (100.0 * came.gain.max(0.0)).round()),
                };
                [-met, -gain, dollars(&done.row)]
            };
            let both = key(a).into_iter().zip(key(b));
            let mut orders = both.map(|(one, other)| one.total_cmp(&other));
            orders
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        found.extend(raising.into_iter().take(LEADERS));
        found
    }

    /// What is added to a change.
    fn added(&mut self, leader: &Done) -> Vec<Tried> {
        let met = match self.now.goals.is_empty() {
            true => leader.row.saves(),
            false => leader.row.meets_all(),
        };
        let is_cure = !self.now.meets_all();
        let binding = binding(&leader.facts);
        let failed = |proposal: &Proposal| {
            let mut known = self.rows.iter();
            let own = known.find(|row| row.changes() == proposal.changes);
            own.is_some_and(|row| matches!(row.worth, Worth::Saves | Worth::Worse))
        };
        let wanted = |proposal: &Proposal| {
            let count = leader.proposal.changes.count() + proposal.changes.count();
            let fits = count <= DEPTH && !leader.proposal.changes.exclude(&proposal.changes);
            let helps = match met {
                // Another instance cures nothing there, and saves something else.
                true => !is_cure || proposal.changes.device().is_some(),
                false => {
                    let relieves = |limit| proposal.changes.relieve(limit);
                    proposal.changes.are_of_replication() || binding.iter().any(relieves)
                }
            };
            fits && helps && proposal.refused.is_none() && !failed(proposal)
        };
        let all = self.proposals(&leader.opened, &leader.facts, &leader.result);
        let mut found = Vec::new();
        for proposal in all.into_iter().filter(wanted) {
            let together = leader.proposal.clone().and(proposal);
            let Ok(tried) = self.bought(&together, &leader.pace) else {
                continue;
            };
            let Ok(dollars) = tried.dollars else {
                continue;
            };
            if !met || leader.row.dollars.is_some_and(|before| dollars < before) {
                found.push((dollars, tried));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let most = ADDED[self.depth.saturating_sub(2).min(ADDED.len() - 1)];
        let mut new = Vec::new();
        for (_, tried) in found {
            let id = self.variant(&tried.proposal).id();
            if new.len() < most && id.is_ok_and(|id| self.seen.insert(id)) {
                new.push(tried);
            }
        }
        new
    }

    /// Whether all goals are met in the layout as it is, or there are none and no limit throttles
    /// whoever would take more.
    fn is_met(&self) -> bool {
        match self.now.goals.is_empty() {
            true => !self.need.is_any_unbounded(),
            false => self.now.meets_all(),
        }
    }

    /// Whether a change relieves what binds in the layout as it is.
    fn relieves_now(&self, proposal: &Proposal) -> bool {
        let mut binding = self.now.binding.iter();
        binding.any(|limit| proposal.changes.relieve(limit))
    }
}

/// The limits that IOs wait for, if that is felt.
pub(super) fn binding(facts: &Facts) -> Vec<LimitId> {
    let modelled = facts.modelled.iter();
    let felt = modelled.filter(|modelled| modelled.waited >= FELT);
    let waits = felt.flat_map(|modelled| &modelled.waits);
    let most = waits.filter(|waits| waits.share >= FELT);
    most.map(|waits| waits.limit.clone()).collect()
}
