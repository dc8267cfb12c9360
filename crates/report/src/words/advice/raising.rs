//! The effect of raising a limit: as it was tried, or as the run shows it.

use blockyard_experiment::advice::{Advice, FACTOR, Moved};
use blockyard_explain::{Facts, InIos, LimitId, LimitWaits, Modelled, Next, Owner};
use blockyard_explain::{Raising, RateUnit};

use super::{moved, with_value};
use crate::text::format::{grouped, number, rounded, significant};
use crate::text::limit_names::in_words;
use crate::words::phrases::{amount, listed, unit_name};
use crate::words::trials;

/// The effect of raising the limits with most of the waiting.
pub(super) fn raising(facts: &Facts, modelled: &Modelled, tried: Option<&Advice>) -> Vec<String> {
    let limits = modelled.waits.iter();
    let limits = limits.filter_map(|waits| Some((waits, waits.raising.as_ref()?)));
    let sentences = limits.map(|(waits, raising)| {
        let Some(moved) = trials::raising(tried, &waits.limit) else {
            return untried(waits, raising);
        };
        let beyond = trials::next(tried, facts, &waits.limit, raising);
        let lasts = lasting(raising.lasts.as_ref());
        format!("{}{lasts}.", was_tried(waits, moved, &beyond))
    });
    sentences.collect()
}

/// Whether a limit is a host's.
pub(super) fn is_hosts(limit: &LimitId) -> bool {
    match limit.owner {
        Owner::Host(_) => true,
        Owner::Device(_) | Owner::Leg { .. } => false,
    }
}

/// The effect of raising a limit, and the limit `beyond` it.
fn was_tried(waits: &LimitWaits, moved: &[Moved], beyond: &Next) -> String {
    let (limit, further, elsewhere) = (in_words(&waits.limit), by_a_half(waits), elsewhere(waits));
    let done = format!("Raising {limit}{further}{elsewhere} was tried");
    if moved.is_empty() {
        return match beyond {
            Next::AtOnce(beyond) => format!("{done}: no effect; {}", as_soon(beyond)),
            Next::UpTo(_) | Next::Nothing => format!("{done}: no effect"),
        };
    }
    let found = format!("{done}: {}", moved::told(moved));
    match beyond {
        Next::UpTo(beyond) => format!("{found}. The next limit is {}", reached(beyond)),
        Next::AtOnce(beyond) => format!("{found}; {}", as_soon(beyond)),
        Next::Nothing => found,
    }
}

/// The effect that raising a limit would have, as the run shows it.
fn untried(waits: &LimitWaits, raising: &Raising) -> String {
    let elsewhere = elsewhere(waits);
    let limit = match waits.value {
        Some(value) if is_hosts(&waits.limit) => with_value(&waits.limit, value),
        _ => in_words(&waits.limit),
    };
    let helped = listed(&raising.helps);
    let mut found = format!("Raising {limit}{elsewhere} would help {helped}");
    match &raising.next {
        Next::AtOnce(beyond) => {
            let why = as_soon(beyond);
            return format!("Raising {limit}{elsewhere} alone would have little effect: {why}.");
        }
        Next::UpTo(beyond) => found += &format!(", up to the next limit: {}", reached(beyond)),
        Next::Nothing => {}
    }
    if let Some(lasts) = &raising.lasts {
        let sustained = reached(lasts);
        found +=
            &format!("; the burst balance would end sooner, and what is sustained is {sustained}");
    }
    found + "."
}

/// A limit that is reached already.
fn as_soon(beyond: &InIos) -> String {
    if beyond.limit.kind.credits {
        format!("sustained: {}", reached(beyond))
    } else {
        format!("{} is reached at the same point", reached(beyond))
    }
}

/// What is left once a burst balance has ended, if that is less than what comes next.
fn lasting(lasts: Option<&InIos>) -> String {
    lasts.map_or_else(String::new, |lasts| {
        format!("; sustained, without a burst balance: {}", reached(lasts))
    })
}

fn elsewhere(waits: &LimitWaits) -> &'static str {
    if is_hosts(&waits.limit) {
        ", by another instance,"
    } else {
        ""
    }
}

/// From which value to which: ` from 3,000 to 4,500`, ` from 125 to 188 MiB/s`.
fn by_a_half(waits: &LimitWaits) -> String {
    let Some((value, unit)) = waits.value else {
        return String::new();
    };
    let said = match unit {
        RateUnit::Iops => String::new(),
        RateUnit::MibPerS | RateUnit::MbPerS => format!(" {}", unit_name(unit)),
    };
    let (was, is_now) = (number(value), number(FACTOR * value));
    format!(" from {was} to {is_now}{said}")
}

/// A limit with its value; of a device's throughput, also in IOs of their mean size.
fn reached(beyond: &InIos) -> String {
    let mut value = amount(beyond.value);
    if let Some((per_s, size)) = beyond.ios {
        // Three digits, as of the size: the mean of 8 KiB blocks may be a byte more.
        let (ios, kib) = (rounded(per_s, 3), significant(size / 1024.0, 3));
        value += &format!(" or {} IOs of {kib} KiB a second", grouped(ios, 0));
    }
    format!("{} ({value})", in_words(&beyond.limit))
}
