//! A clause on an open loop that fell behind.

use blockyard_explain::{Behind, Bottleneck};

use super::clause::{Clause, LIMITED, THROTTLED};
use super::job_bottleneck::named;
use super::jobs::Teller;
use super::network::{event_named, link_effect, link_named};
use super::phrases::counted;
use super::shortfall::{failing, last, when};
use crate::text::format::rate;

/// What was due, what was served, and why it was no more.
pub(crate) fn clause(teller: &Teller<'_>, own: &Behind) -> Clause {
    let at_the_end = own.to_s >= teller.result.duration_s;
    let tense = |present, past| {
        if at_the_end {
            teller.tense(present, past)
        } else {
            past
        }
    };
    let (due, served) = (own.due_per_s, own.served_per_s);
    let few = due - served;
    let since = when(own, at_the_end);
    let since = match since.trim_end() {
        "" => String::new(),
        since => format!(" {since}"),
    };
    let mut text = format!(
        "of {} IOPS due of {}, {} {} served{}{since}, {} too few",
        rate(due),
        own.job,
        rate(served),
        tense("are", "were"),
        failing(own),
        rate(few),
    );
    if let Some(Bottleneck::InFlight { most }) = own.cause {
        let most = counted(most.into(), "IO");
        text += &format!(", as no more than {most} may be in flight");
    }
    let after = if own.skips {
        String::new()
    } else {
        let waits = tense("waits", "waited");
        format!("; {}", last(teller.result, own, waits))
    };
    let (by, how) = cause(teller, own.cause.as_ref());
    Clause {
        by,
        after,
        how,
        ..Clause::new(&own.job, text, (2, few / due))
    }
}

/// Why an open loop fell behind, and how; empty for a bound of its own.
fn cause(teller: &Teller<'_>, cause: Option<&Bottleneck>) -> (String, &'static str) {
    match cause {
        Some(Bottleneck::Limit { limit }) => (named(teller.facts, limit), THROTTLED),
        Some(Bottleneck::Link { place }) => {
            let modelled = teller.facts.modelled.as_ref();
            let hold = modelled.and_then(|modelled| modelled.links.get(*place));
            hold.map_or((String::new(), THROTTLED), |hold| {
                (link_named(hold), link_effect(hold))
            })
        }
        Some(Bottleneck::Event { event }) => (event_named(teller.result, *event), LIMITED),
        _ => (String::new(), LIMITED),
    }
}
