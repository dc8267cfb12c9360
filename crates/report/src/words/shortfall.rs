//! Open loops that fell behind: what was due, what was served, and why.

use blockyard_explain::{Behind, Bottleneck, Facts};
use blockyard_record::result::RunResult;
use indexmap::IndexMap;

use super::clause::{LIMITED, THROTTLED};
use super::network::{event_named, link_effect, link_named};
use super::phrases::{amount, counted, listed, wait};
use crate::text::format::{duration, rate};
use crate::text::limit_names::in_words;

/// A sentence for each.
pub(crate) fn behind(result: &RunResult, facts: &Facts) -> Vec<String> {
    let sentence = |own: &Behind| {
        let at_the_end = own.to_s >= result.duration_s;
        sentence(result, own, &why(result, facts, own), at_the_end)
    };
    facts.behind.iter().map(sentence).collect()
}

fn sentence(result: &RunResult, own: &Behind, why: &str, at_the_end: bool) -> String {
    let (due, served, failed) = (own.due_per_s, own.served_per_s, own.failed_per_s);
    let falls = if at_the_end { "falls" } else { "fell" };
    let mut said = format!(
        "{}: {}{} a second were due, {} served{}; it {falls} behind by {} a second",
        own.job,
        when(own, at_the_end),
        rate(due),
        rate(served),
        failing(own),
        rate(due - served - failed),
    );
    if !own.skips {
        let waited = if at_the_end { "waits" } else { "waited" };
        said += &format!(", and {}", last(result, own, waited));
    }
    if !why.is_empty() {
        said += &format!("; {why}");
    }
    said + "."
}

/// What became of what came due last, and when.
pub(crate) fn last(result: &RunResult, own: &Behind, waited: &str) -> String {
    let how_long = wait(own.wait_s, result);
    match own.then_failed {
        true => format!("what came due last failed after {how_long}"),
        false => format!("what came due last {waited} {how_long}"),
    }
}

/// How many failed meanwhile; empty if none did.
pub(crate) fn failing(own: &Behind) -> String {
    match own.failed_per_s {
        0.0 => String::new(),
        failed => format!(", {} failed", rate(failed)),
    }
}

/// From when to when it fell behind; empty for a whole run.
pub(crate) fn when(own: &Behind, at_the_end: bool) -> String {
    let from = duration(own.from_s);
    if !at_the_end {
        format!("from {from} to {} ", duration(own.to_s))
    } else if own.from_s == 0.0 {
        String::new()
    } else {
        format!("from {from} on ")
    }
}

/// What made it fall behind; empty where that is not seen.
fn why(result: &RunResult, facts: &Facts, own: &Behind) -> String {
    let (Some(cause), Some(modelled)) = (&own.cause, &facts.modelled) else {
        return String::new();
    };
    match cause {
        Bottleneck::Link { place } => {
            let hold = &modelled.links[*place];
            format!("{} {}", link_effect(hold), link_named(hold))
        }
        Bottleneck::Event { event } => format!("{LIMITED} {}", event_named(result, *event)),
        Bottleneck::InFlight { most } => {
            let most = counted(u64::from(*most), "IO");
            format!("{LIMITED} max_outstanding, which allows {most} in flight")
        }
        Bottleneck::Limit { limit } => {
            let value = own.takes.as_ref().and_then(|takes| takes.value);
            let value = value.map_or_else(String::new, |value| format!(" ({})", amount(value)));
            format!("{THROTTLED} {}{value}", in_words(limit))
        }
        Bottleneck::Cpu
        | Bottleneck::Reads
        | Bottleneck::Writes
        | Bottleneck::LogSpace
        | Bottleneck::Commit
        | Bottleneck::Replication
        | Bottleneck::FlowControl
        | Bottleneck::Threads => String::new(),
    }
}

/// What it takes of each limit to serve all that is due.
pub(crate) fn needed(facts: &Facts) -> Vec<String> {
    let mut told: IndexMap<String, Vec<&str>> = IndexMap::new();
    for own in &facts.behind {
        if let Some(said) = takes(own) {
            told.entry(said).or_default().push(&own.job);
        }
    }
    let told = told.into_iter();
    told.map(|(said, jobs)| {
        format!(
            "To serve all that is due of {} takes {said}.",
            listed(&jobs)
        )
    })
    .collect()
}

fn takes(own: &Behind) -> Option<String> {
    let limit = match own.cause.as_ref()? {
        Bottleneck::InFlight { most } => {
            let most = counted(u64::from(*most), "IO");
            return Some(format!(
                "more than {most} in flight (max_outstanding); higher limits would not help"
            ));
        }
        Bottleneck::Limit { limit } => limit,
        _ => return None,
    };
    let takes = own.takes.as_ref()?;
    let (_, unit) = takes.value?;
    let needed = takes.needed.filter(|&needed| needed != 0.0)?;
    let more = if takes.at_least { "more than " } else { "" };
    let also = takes.also.iter().map(|other| (&other.limit, other.needed));
    let needs = [(limit, (needed, unit))].into_iter().chain(also);
    let needs: Vec<_> = needs
        .map(|(limit, of)| format!("{} of {more}{}", in_words(limit), amount(of)))
        .collect();
    Some(listed(&needs))
}
