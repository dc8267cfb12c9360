//! Advice on what would make a run faster and what would not, as trials show.

mod moved;
mod raising;

use blockyard_experiment::advice::{Advice, Moved};
use blockyard_explain::{ClosedLoop, Facts, JobHeld, LimitId, LinkHold, Modelled, RateUnit};
use blockyard_record::result::LinkCause;

use super::network::{of_link, own_latency};
use super::phrases::{amount, counted_as, listed, share};
use super::shortfall::needed;
use super::trials;
use crate::Run;
use crate::text::format::latency;
use crate::text::limit_names::in_words;

/// Sentences on the limits of modelled storage; none where limits are not known.
pub(crate) fn advice(run: &Run) -> Vec<String> {
    let Some(facts) = &run.facts else {
        return Vec::new();
    };
    let Some(modelled) = &facts.modelled else {
        return Vec::new();
    };
    let tried = trials::trials(run);
    let mut said = needed(facts);
    said.extend(raising::raising(facts, modelled, tried));
    said.extend(network(modelled, tried));
    said.extend(takers(modelled, tried));
    let loops = modelled.closed_loops.iter();
    said.extend(loops.flat_map(|own| closed_loop(run, own)));
    said.extend(idle(run, facts, modelled));
    let note = trials::note(run);
    if !said.is_empty() && !note.is_empty() {
        said.push(note);
    }
    said
}

/// The effect of more of a link, or of a mirror that asks less of it.
fn network(modelled: &Modelled, tried: Option<&Advice>) -> Vec<String> {
    let mut said = Vec::new();
    for (hold, moved) in tried.iter().flat_map(|tried| &tried.links) {
        said.push(effect(
            &format!("Raising {} by a half", of_link(hold)),
            moved,
        ));
    }
    for (other, moved) in tried.iter().flat_map(|tried| &tried.mirrors) {
        let device = &other.device;
        let done = if other.acknowledge.is_some() {
            format!("Protocol B (semi-synchronous) in place of C (synchronous) for {device}")
        } else {
            format!("Reading {device} from its local leg alone")
        };
        said.push(effect(&done, moved));
    }
    if tried.is_none_or(|tried| tried.links.is_empty()) {
        let holds = modelled.links.iter();
        let raisable =
            holds.filter(|hold| !matches!(hold.cause, LinkCause::Down | LinkCause::Loss));
        said.extend(raisable.map(link_untried));
    }
    said
}

/// Whom more of a link would help.
fn link_untried(hold: &LinkHold) -> String {
    let jobs = hold.jobs.iter().map(|JobHeld { job, .. }| job.as_str());
    let jobs = listed(&jobs.collect::<Vec<_>>());
    format!("Raising {} would help {jobs}.", of_link(hold))
}

/// What came of something that was tried.
fn effect(done: &str, moved: &[Moved]) -> String {
    if moved.is_empty() {
        format!("{done} was tried: no effect.")
    } else {
        format!("{done} was tried: {}.", moved::told(moved))
    }
}

/// Jobs that take much of what others wait for: the effect of their silence on these.
///
/// Only of what was tried: others may take what one leaves.
fn takers(modelled: &Modelled, tried: Option<&Advice>) -> Vec<String> {
    let (mut said, mut jobs) = (Vec::new(), Vec::new());
    for waits in &modelled.waits {
        for taker in waits.raising.iter().flat_map(|raising| &raising.takers) {
            let job = taker.job.as_str();
            let Some(moved) = trials::without(tried, job) else {
                continue;
            };
            if jobs.contains(&job) {
                continue;
            }
            jobs.push(job);
            let (took, limit) = (share(taker.took), in_words(&waits.limit));
            let done = format!(
                "Taking the IO of {job} away, which took {took} of the tokens of {limit} that IOs \
                 waited for, was tried"
            );
            said.push(if moved.is_empty() {
                format!("{done}: no effect on {}.", listed(&taker.others))
            } else {
                format!("{done}: {}.", moved::told(moved))
            });
        }
    }
    said
}

/// On processes that hardly waited: an IO takes its time, whatever is bought.
fn closed_loop(run: &Run, own: &ClosedLoop) -> Vec<String> {
    let saved = if own.waited == 0.0 {
        "not".to_owned()
    } else {
        format!("save at most {} of that", share(own.waited))
    };
    let mut said = vec![format!(
        "{}: an IO takes {}, nearly all of it {}. More processes at a time, or fewer IOs one after \
         another, would get more done; higher limits would {saved}.",
        own.job,
        latency(1e6 * own.mean_s),
        own_latency(&run.result, &own.job),
    )];
    if let Some(reach) = &own.reach {
        said.push(format!(
            "At that latency {} would reach {}.",
            counted_as(reach.processes, "process", "processes"),
            with_value(&reach.limit, reach.value),
        ));
    }
    said
}

/// The limits that nothing waited for, and the effect of raising them.
fn idle(run: &Run, facts: &Facts, modelled: &Modelled) -> Option<String> {
    let found = modelled.idle.iter().map(|&place| &facts.limits[place]);
    let idle: Vec<_> = found
        .map(|own| with_value(&own.limit, (own.value, own.unit)))
        .collect();
    let raising = match idle.len() {
        0 => return None,
        1 => "raising it",
        _ => "raising these",
    };
    let said = format!("No IO waited for {}", listed(&idle));
    Some(
        match trials::trials(run).and_then(|tried| tried.idle_matter) {
            Some(false) => format!("{said}: {raising} by a half was tried: no effect."),
            None if all_is_counted(run, modelled) => {
                format!("{said}: {raising} alone would have no effect.")
            }
            None | Some(true) => format!("{said}."),
        },
    )
}

/// Whether what waits is all that a limit can do.
///
/// It is not with a warm-up, whose waits are not counted, nor where IO waits for the host too, in
/// an order that is that in which volumes let it through.
fn all_is_counted(run: &Run, modelled: &Modelled) -> bool {
    let mut waits = modelled.waits.iter();
    run.warmup_s == 0.0 && waits.all(|waits| !raising::is_hosts(&waits.limit))
}

/// `data IOPS (3,000 IOPS)`.
fn with_value(limit: &LimitId, value: (f64, RateUnit)) -> String {
    format!("{} ({})", in_words(limit), amount(value))
}
