//! The provenance of figures of modelled storage, beside the figures.
//!
//! What is measured or fitted is said once, quietly. What is assumed has a mark in the table, a
//! line of its own, and is said behind each goal that depends on it.

use std::collections::BTreeSet;

use blockyard_catalog::Class;
use blockyard_record::result::{GoalOutcome, RunResult};
use blockyard_scenario::{Direction, RestsOn};
use indexmap::{IndexMap, IndexSet};

use crate::words::phrases::listed;

/// Behind the name of what has assumed figures.
pub(crate) const MARK: &str = "*";

/// The lines below a table: what the mark means, and the source of unmarked latencies.
pub(crate) fn legend(result: &RunResult) -> Vec<String> {
    let assumed = assumed(result, false).into_iter();
    let marked = assumed.map(|line| format!("{MARK} {line}"));
    marked.chain(known(result)).collect()
}

/// The devices and operations that have figures with something assumed behind them.
pub(crate) fn marked(result: &RunResult) -> BTreeSet<(&str, &str)> {
    let marked = |one: &&RestsOn| one.assumed().next().is_some();
    used(result).into_iter().filter(marked).map(place).collect()
}

/// What is assumed, a line for each profile, and for limits with the same assumptions.
///
/// With what the catalog says of the latencies if `why`.
pub(crate) fn assumed(result: &RunResult, why: bool) -> Vec<String> {
    let mut latencies: IndexMap<(String, String), Vec<&RestsOn>> = IndexMap::new();
    let mut limits: IndexMap<&[String], Vec<&str>> = IndexMap::new();
    for one in used(result) {
        if one.latencies == Class::Assumed {
            let told = why && !one.note.is_empty();
            let note = if told {
                format!(" ({})", one.note)
            } else {
                String::new()
            };
            latencies.entry((profile(one), note)).or_default().push(one);
        }
        if !one.assumed_limits.is_empty() {
            let devices = limits.entry(&one.assumed_limits).or_default();
            devices.push(&one.device);
        }
    }
    let latencies = latencies.into_iter().map(|((profile, note), found)| {
        let whose = whose(result, &found);
        format!("assumed, not measured: latencies of {whose}, {profile}{note}")
    });
    let limits = limits.into_iter().map(|(reasons, devices)| {
        let reasons = reasons_of(result, reasons);
        format!("assumed: limits of {}; {reasons}", each_once(devices))
    });
    latencies.chain(limits).collect()
}

/// Why limits are assumed. What is said of the run as a whole is not said again.
fn reasons_of(result: &RunResult, reasons: &[String]) -> String {
    let new = |reason: &&String| !result.notices.contains(reason);
    let said: Vec<_> = reasons.iter().filter(new).map(String::as_str).collect();
    if said.is_empty() {
        "see the note".to_owned()
    } else {
        said.join("; ")
    }
}

/// The source of latencies that are not assumed, a line for each profile.
pub(crate) fn known(result: &RunResult) -> Vec<String> {
    let mut profiles: IndexMap<(Option<&str>, &str), Vec<&RestsOn>> = IndexMap::new();
    for one in used(result) {
        if one.latencies != Class::Assumed {
            // What is your own may be another on each device.
            let own = named_profile(one).map_or(one.device.as_str(), |_| "");
            let key = (one.profile.as_deref(), own);
            profiles.entry(key).or_default().push(one);
        }
    }
    let lines = profiles.into_values().filter_map(|found| {
        let profile = profile(found.first()?);
        let whose = whose(result, &found);
        Some(format!(
            "latencies of {whose}: {profile}{}",
            classes(&found)
        ))
    });
    lines.collect()
}

/// The assumptions behind a goal's outcome, as the end of a sentence.
pub(crate) fn behind(goal: &GoalOutcome) -> String {
    if goal.assumed.is_empty() {
        return String::new();
    }
    let assumed = each_once(goal.assumed.iter().map(String::as_str));
    format!("; depends on assumed {assumed}")
}

/// The entries of what had IO.
fn used(result: &RunResult) -> Vec<&RestsOn> {
    let totals = result.totals.iter().filter(|total| total.ios > 0);
    let had: BTreeSet<_> = totals
        .map(|total| (total.device.as_str(), total.op.as_str()))
        .collect();
    let entries = result.rests_on.iter();
    entries.filter(|one| had.contains(&place(one))).collect()
}

/// The device and the operation that an entry is of.
fn place(one: &RestsOn) -> (&str, &str) {
    (&one.device, op(one.op))
}

/// An operation as totals call it.
fn op(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "write",
    }
}

/// Operations as sentences call them.
fn ops(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "reads",
        Direction::Write => "writes",
    }
}

/// The catalog's profile; none of the user's own.
fn named_profile(one: &RestsOn) -> Option<&str> {
    one.profile.as_deref().filter(|name| !name.is_empty())
}

fn profile(one: &RestsOn) -> String {
    named_profile(one).map_or_else(
        || "your own profile".to_owned(),
        |name| format!("profile {name}"),
    )
}

/// `data`, `data and log`; `reads of data` where its writes have another source.
fn whose(result: &RunResult, found: &[&RestsOn]) -> String {
    let used: BTreeSet<_> = used(result).into_iter().map(place).collect();
    let ours: BTreeSet<_> = found.iter().map(|one| place(one)).collect();
    let names = found.iter().map(|one| {
        let whole = [Direction::Read, Direction::Write].into_iter().all(|way| {
            let it = (one.device.as_str(), op(way));
            ours.contains(&it) || !used.contains(&it)
        });
        if whole {
            one.device.clone()
        } else {
            format!("{} of {}", ops(one.op), one.device)
        }
    });
    each_once(names)
}

/// `, measured`; `, reads measured, writes fitted`; nothing of one that is yours.
fn classes(found: &[&RestsOn]) -> String {
    let classes: BTreeSet<_> = found.iter().map(|one| one.latencies).collect();
    if classes.len() == 1 {
        return match classes.first() {
            None | Some(Class::Yours) => String::new(),
            Some(&class) => format!(", {}", class_name(class)),
        };
    }
    let each = found
        .iter()
        .map(|one| format!(", {} {}", ops(one.op), class_name(one.latencies)));
    each.collect::<IndexSet<_>>().into_iter().collect()
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Assumed => "assumed",
        Class::Yours => "yours",
        Class::Fitted => "fitted",
        Class::Measured => "measured",
    }
}

/// Each once: `a`, `a and b`, `a, b and c`.
fn each_once<T: AsRef<str> + Eq + std::hash::Hash>(names: impl IntoIterator<Item = T>) -> String {
    let names: IndexSet<T> = names.into_iter().collect();
    listed(&names.into_iter().collect::<Vec<_>>())
}
