//! Which limit a job felt most, and in which of its load steps.

use blockyard_explain::{Bottleneck, Facts, Held, LimitId, LimitWaits};
use blockyard_record::result::{RunResult, Step};
use indexmap::IndexMap;

use super::clause::LIMITED;
use super::network::{event_named, link_effect, link_named};
use super::phrases::loads;
use super::run_bottleneck;
use super::steps::{load_of, loaded};
use crate::text::limit_names::in_words;

/// More load steps are told by their end.
const FEW_STEPS: usize = 3;

/// The limits that throttle a job, if that is felt and limits are its bottleneck.
pub(crate) fn throttled_by<'a>(facts: &'a Facts, job: &str) -> Option<&'a Held> {
    held(facts, job).filter(|held| matches!(held.by, Some(Bottleneck::Limit { .. })))
}

/// The link or event that is a job's bottleneck, how it acts, and its share of the latency.
///
/// None if there is none, or if limits of volumes and hosts are the bottleneck.
pub(crate) fn limited_by(
    result: &RunResult,
    facts: &Facts,
    job: &str,
) -> Option<(String, &'static str, f64)> {
    let held = held(facts, job)?;
    match held.by.as_ref()? {
        Bottleneck::Link { place } => {
            let hold = facts.modelled.as_ref()?.links.get(*place)?;
            Some((link_named(hold), link_effect(hold), held.by_waited))
        }
        Bottleneck::Event { event } => Some((event_named(result, *event), LIMITED, held.by_waited)),
        _ => None,
    }
}

fn held<'a>(facts: &'a Facts, job: &str) -> Option<&'a Held> {
    let mut held = facts.modelled.as_ref()?.held.iter();
    held.find(|one| one.job == job)
}

/// A limit with its value: `data IOPS (3,000 IOPS)`.
pub(crate) fn named(facts: &Facts, limit: &LimitId) -> String {
    waits(facts, limit).map_or_else(
        || in_words(limit),
        |waits| run_bottleneck::named(facts, waits),
    )
}

/// With which loads a limit is felt, if not with all: ` from 32 processes on`.
pub(crate) fn felt_in(result: &RunResult, facts: &Facts, limit: &LimitId) -> String {
    let felt = waits(facts, limit).and_then(|waits| waits.felt_in.as_ref());
    let Some(felt) = felt.filter(|felt| !felt.is_empty()) else {
        return String::new();
    };
    let mut first: IndexMap<usize, &Step> = IndexMap::new();
    for step in &result.steps {
        first.entry(step.step).or_insert(step);
    }
    let steps = first.into_values().filter(|step| loaded(step));
    let mut steps: Vec<_> = steps.collect();
    steps.sort_by_key(|step| load(step));
    let is_felt = |step: &&Step| felt.contains(&step.step);
    let within: Vec<_> = steps.iter().copied().filter(is_felt).collect();
    if steps.len() < 2 || within.len() == steps.len() {
        return String::new();
    }
    let from = steps.iter().position(is_felt);
    match &within[..] {
        [lightest, _, ..] if from == Some(steps.len() - within.len()) => {
            format!(" from {} on", load_of(lightest))
        }
        few if few.len() <= FEW_STEPS => format!(" at {}", loads(few)),
        _ => String::new(),
    }
}

fn waits<'a>(facts: &'a Facts, limit: &LimitId) -> Option<&'a LimitWaits> {
    let mut waits = facts.modelled.as_ref()?.waits.iter();
    waits.find(|one| one.limit == *limit)
}

fn load(step: &Step) -> u64 {
    let rate = step.rate.filter(|&rate| rate > 0);
    rate.or(step.processes).unwrap_or(0)
}
