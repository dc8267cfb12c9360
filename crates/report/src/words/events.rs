//! What happened to the storage or the jobs while they ran, and what it did to their IO.

use blockyard_record::result::{Event, EventEffect, RunResult};
use blockyard_scenario::EventKind;

use super::outages::parts;
use super::phrases::{counted, listed};
use crate::text::format::{clock, duration, grouped};

/// Each event with what it did: `at 0:20: data pauses until 0:30: 2,017 IOPS before, …`.
pub(crate) fn happened(result: &RunResult) -> Vec<String> {
    let said = |event: &Event| {
        let (at, what) = (clock(event.t_s), &event.what);
        let (until, did) = (until(event), did(event));
        format!("at {at}: {what}{until}{did}{}", outage(event))
    };
    result.events.iter().map(said).collect()
}

/// `2,399 IOs failed (data fails at 0:05 until 0:20)`; empty where none did.
#[must_use]
pub fn failures(result: &RunResult) -> String {
    let failed = result.totals.iter().map(|total| total.errors).sum();
    if failed == 0 {
        return String::new();
    }
    let behind = |event: &&Event| event.effect.is_some_and(|effect| effect.failed_ios > 0);
    let causes = result.events.iter().filter(behind);
    let causes: Vec<_> = causes
        .map(|event| format!("{} at {}{}", event.what, clock(event.t_s), until(event)))
        .collect();
    let causes = if causes.is_empty() {
        String::new()
    } else {
        format!(" ({})", listed(&causes))
    };
    format!("{} failed{causes}", counted(failed, "IO"))
}

fn until(event: &Event) -> String {
    // An end that reads like the begin says nothing.
    let lasts = |until: &f64| clock(*until) != clock(event.t_s);
    let Some(until) = event.until_s.filter(lasts) else {
        return String::new();
    };
    let optimised = if event.kind == EventKind::Modify {
        ", optimised"
    } else {
        ""
    };
    format!("{optimised} until {}", clock(until))
}

/// What an outage of a cluster consisted of, after a semicolon.
fn outage(event: &Event) -> String {
    let outage = event.outage.as_ref();
    outage.map_or_else(String::new, |outage| format!("; {}", parts(outage)))
}

/// What an event did, after a colon; nothing of what was done from outside.
fn did(event: &Event) -> String {
    let Some(effect) = &event.effect else {
        return String::new();
    };
    let mut said = Vec::new();
    said.extend(rates(event, effect));
    if effect.failed_ios > 0 {
        said.push(format!("{} failed", counted(effect.failed_ios, "IO")));
    }
    // Of a cluster it follows with its parts.
    if effect.outage_s != 0.0 && event.outage.is_none() {
        said.push(format!("{} without IO", duration(effect.outage_s)));
    }
    if let Some(recovered_s) = effect.recovered_s.filter(|&after| after != 0.0) {
        said.push(format!("recovered within {}", duration(recovered_s)));
    }
    if said.is_empty() {
        return String::new();
    }
    format!(": {}", said.join("; "))
}

/// The rates of IO around an event, as one part of a sentence.
fn rates(event: &Event, effect: &EventEffect) -> Option<String> {
    let lasts = if event.until_s.is_some() {
        "meanwhile"
    } else {
        "from then on"
    };
    let rates = [
        (effect.iops_before, "before"),
        (effect.iops_during, lasts),
        (effect.iops_after, "after"),
    ];
    let known = rates
        .into_iter()
        .filter_map(|(rate, when)| Some((rate?, when)));
    // The unit stands once.
    let said: Vec<_> = known
        .zip([" IOPS", "", ""])
        .map(|((rate, when), unit)| format!("{}{unit} {when}", grouped(rate, 0)))
        .collect();
    (!said.is_empty()).then(|| said.join(", "))
}
