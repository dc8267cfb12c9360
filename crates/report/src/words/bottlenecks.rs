//! What holds the jobs of a run back, for who asks for that alone.

use blockyard_explain::{Bottleneck, Facts, LimitId, LimitWaits, Next};
use blockyard_record::thresholds::FELT;

use super::job_bottleneck::{named, throttled_by};
use super::jobs::Teller;
use super::transaction_bottleneck::bound_of;
use super::trials;
use crate::Run;

/// What else is told of a run by itself.
pub use super::events::failures;
pub use super::transaction_bottleneck::unsettled;

/// The bottleneck of each job as the headline names it; empty of a job without one.
#[must_use]
pub fn bottlenecks(run: &Run) -> Vec<(String, String)> {
    let Some(facts) = &run.facts else {
        return Vec::new();
    };
    let teller = Teller {
        result: &run.result,
        facts,
        brief: false,
    };
    let clauses = teller.clauses().into_iter();
    clauses.map(|clause| (clause.job, clause.by)).collect()
}

/// The limit that throttles a job, and how it is called with its value; none if no limit does.
#[must_use]
pub fn throttling<'a>(facts: &'a Facts, job: &str) -> Option<(String, &'a LimitId)> {
    let bound = bound_of(facts, job).and_then(|bound| bound.by.as_ref());
    let limit = match bound {
        Some(Bottleneck::Limit { limit }) => limit,
        Some(_) => return None,
        None => &throttled_by(facts, job)?.limits.first()?.limit,
    };
    Some((named(facts, limit), limit))
}

/// The limits that IOs are felt to wait for, each with its value.
#[must_use]
pub fn felt(facts: &Facts) -> Vec<String> {
    let Some(modelled) = &facts.modelled else {
        return Vec::new();
    };
    let is_felt = |waits: &&LimitWaits| waits.share * modelled.waited >= FELT;
    let felt = modelled.waits.iter().filter(is_felt);
    felt.map(|waits| named(facts, &waits.limit)).collect()
}

/// What comes next once a limit that IOs wait for throttles none; none of other limits.
#[must_use]
pub fn next(run: &Run, limit: &LimitId) -> Option<Next> {
    let facts = run.facts.as_ref()?;
    let mut waits = facts.modelled.as_ref()?.waits.iter();
    let raising = waits
        .find(|waits| waits.limit == *limit)?
        .raising
        .as_ref()?;
    Some(trials::next(trials::trials(run), facts, limit, raising))
}
