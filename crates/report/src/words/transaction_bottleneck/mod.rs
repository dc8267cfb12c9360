//! The bottleneck of transactions, and what their time goes to.

mod clause;

use blockyard_explain::{Bottleneck, Bound, Facts, LinkHold, Settling, Unsettled};
use blockyard_record::result::RunResult;
use blockyard_record::thresholds::NOTEWORTHY;

pub(crate) use self::clause::clause;
use super::job_bottleneck::named;
use super::network::{event_named, link_named, other_nodes};
use super::phrases::{in_bytes, listed, share};
use crate::text::format::{grouped, percent};
use crate::text::limit_names::{in_words, possessive};

/// The bottleneck of a job's transactions; none of a job that does none.
pub(crate) fn bound_of<'a>(facts: &'a Facts, job: &str) -> Option<&'a Bound> {
    bounds(facts).iter().find(|bound| bound.job == job)
}

fn bounds(facts: &Facts) -> &[Bound] {
    let modelled = facts.modelled.as_ref();
    modelled.map_or(&[], |modelled| &modelled.transactions)
}

/// The share of a job's time that its bottleneck takes, and its name; none without one.
pub(crate) fn in_short(result: &RunResult, facts: &Facts, job: &str) -> Option<(f64, String)> {
    let bound = bound_of(facts, job)?;
    let by = bound.by.as_ref()?;
    let name = match by {
        Bottleneck::Limit { limit } => in_words(limit),
        _ => name(result, facts, by),
    };
    Some((own_share(bound).unwrap_or(0.0), name))
}

/// The share of the transactions' time that goes to their bottleneck.
fn own_share(bound: &Bound) -> Option<f64> {
    let by = bound.by.as_ref()?;
    let own = bound.parts.iter().find(|part| part.by == *by)?;
    Some(own.share)
}

/// Where the time of each job's transactions goes, and whether more threads would do more.
pub(crate) fn in_parts(result: &RunResult, facts: &Facts) -> Vec<String> {
    let said = bounds(facts).iter().filter_map(|bound| {
        let noteworthy = bound.parts.iter().filter(|part| part.share >= NOTEWORTHY);
        let parts = noteworthy.map(|part| {
            let on = name(result, facts, &part.by);
            format!("{} to {on}", share(part.share))
        });
        let parts: Vec<_> = parts.collect();
        let more = if bound.more_threads {
            "; more threads would do more"
        } else {
            ""
        };
        let whose = possessive(&bound.job);
        let parts = (!parts.is_empty()).then(|| listed(&parts))?;
        Some(format!(
            "the time of {whose} transactions goes {parts}{more}"
        ))
    });
    said.collect()
}

/// What of an engine had not settled by the end, so that its figures may yet shift.
#[must_use]
pub fn unsettled(facts: &Facts) -> Vec<String> {
    let shifting = bounds(facts)
        .iter()
        .filter(|bound| !bound.unsettled.is_empty());
    let said = shifting.map(|bound| {
        let shifts: Vec<_> = bound.unsettled.iter().map(settling).collect();
        format!(
            "{} has not settled, so its TPS may yet change: from the first half of the time to \
             the second {}; try a longer warm-up and duration",
            bound.job,
            listed(&shifts)
        )
    });
    said.collect()
}

fn settling(one: &Unsettled) -> String {
    let ends = [one.before, one.after];
    match one.what {
        Settling::DirtyPages => {
            let [before, after] = ends.map(|pages| grouped(pages, 0));
            format!("the most dirty pages rose from {before} to {after}")
        }
        Settling::CheckpointAge => {
            let [before, after] = ends.map(|bytes| in_bytes(bytes.round_ties_even() as u64));
            format!("the checkpoint age rose from {before} to {after}")
        }
        Settling::HitRatio => {
            let [before, after] = ends.map(|ratio| percent(ratio, 1));
            format!("the hit ratio went from {before} to {after}")
        }
    }
}

/// What holds transactions, in words.
fn name(result: &RunResult, facts: &Facts, by: &Bottleneck) -> String {
    let other = match by {
        Bottleneck::Limit { limit } => return named(facts, limit),
        Bottleneck::Event { event } => return event_named(result, *event),
        Bottleneck::Link { place } => {
            return link(facts, *place).map_or_else(String::new, link_named);
        }
        Bottleneck::Cpu => "processor cores",
        Bottleneck::Reads => "the latency of reads",
        Bottleneck::Writes => "the latency of page writes",
        Bottleneck::LogSpace => "space in the redo log",
        Bottleneck::Commit => "the latency of commits",
        Bottleneck::Replication => return other_nodes(result),
        Bottleneck::FlowControl => "a node that is behind",
        // An engine has as much in flight as its threads do.
        Bottleneck::Threads | Bottleneck::InFlight { .. } => "its number of threads",
    };
    other.to_owned()
}

fn link(facts: &Facts, place: usize) -> Option<&LinkHold> {
    facts.modelled.as_ref()?.links.get(place)
}
