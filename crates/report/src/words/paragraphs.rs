//! A run in words: what was delivered, what throttled it, what would help.
//!
//! Every sentence follows from figures of the result; none guesses at what the result does not
//! say.

use super::advice::advice;
use super::caveats::{caveats, goals_met};
use super::cost::cost;
use super::delivery::delivered;
use super::drive;
use super::events::happened;
use super::network::network;
use super::outages::outages;
use super::run_bottleneck::throttling;
use super::transaction_bottleneck::in_parts;
use super::transactions::transactions;
use super::{observed, observed_load};
use crate::Run;
use crate::text::format::sentence;
use crate::text::table::{Passage, Said};

/// The paragraphs that there is something to say in, what matters most first.
#[must_use]
pub fn paragraphs(run: &Run) -> Vec<Passage> {
    let result = &run.result;
    let found = [
        ("Read this first", said(caveats(run))),
        (
            "What was delivered",
            both(said(goals_met(run)), delivered(run)),
        ),
        ("Transactions", transactions(result)),
        ("Devices and processes", observed::told(result)),
        ("The load", observed_load::told(run)),
        (
            "What happened meanwhile",
            both(said(sentences(&happened(result))), said(outages(result))),
        ),
        (
            "What throttled it",
            both(
                said(drive::said(run)),
                both(said(throttling(run)), said(bound(run))),
            ),
        ),
        (
            "Mirrors and links",
            said(network(result, run.facts.as_ref())),
        ),
        ("What would help, and what would not", said(advice(run))),
        ("What it costs", cost(run)),
    ];
    let found = found.into_iter();
    let told = found.filter(|(_, content)| !content.is_empty());
    told.map(|(heading, content)| Passage {
        heading: heading.to_owned(),
        content,
    })
    .collect()
}

/// Where the time of transactions goes, as sentences.
fn bound(run: &Run) -> Vec<String> {
    let parts = run.facts.as_ref().map(|facts| in_parts(&run.result, facts));
    sentences(&parts.unwrap_or_default())
}

fn sentences(said: &[String]) -> Vec<String> {
    said.iter().map(|said| sentence(said)).collect()
}

fn said<T: Into<Said>>(what: impl IntoIterator<Item = T>) -> Vec<Said> {
    what.into_iter().map(Into::into).collect()
}

fn both(mut first: Vec<Said>, last: Vec<Said>) -> Vec<Said> {
    first.extend(last);
    first
}
