//! What the storage was, or of a modelled one what throttled IOs.

use blockyard_explain::{Facts, Held, Modelled, Waited};
use blockyard_record::result::{Machine, Mode, RunResult, Target};
use blockyard_record::thresholds::NOTEWORTHY;

use crate::text::format::{count, duration, latency, percent};
use crate::text::limit_names::in_words;
use crate::words::balances::balances;
use crate::words::network::others_held;
use crate::words::observed;
use crate::words::run_bottleneck::nearest;
use crate::words::transaction_bottleneck::{in_parts, unsettled};

/// What throttles jobs without a limit of storage: a link or an event may hold them, or nothing.
const NO_LIMIT: &str = "no limit of storage";
const NOTHING: &str = "nothing";

/// What throttled a run, then where its storage was.
pub(super) fn storage(result: &RunResult, facts: Option<&Facts>) -> Vec<String> {
    let modelled = facts.and_then(|facts| Some((facts, facts.modelled.as_ref()?)));
    let held = modelled.map(|(facts, modelled)| waiting(result, facts, modelled));
    let held = held.unwrap_or_default();
    let Some(machine) = &result.machine else {
        return held;
    };
    match result.mode {
        Mode::Emulate => [held, served(result, machine)].concat(),
        Mode::Simulate | Mode::Bench => real(machine),
        Mode::Observe => result
            .observed
            .as_ref()
            .map(observed::lines)
            .unwrap_or_default(),
    }
}

/// Where real storage was, and how IO was issued to it.
fn real(machine: &Machine) -> Vec<String> {
    let targets = machine.targets.iter();
    let mut lines: Vec<_> = targets
        .map(|own| format!("{}: {}", own.device, target(own)))
        .collect();
    let threads = match machine.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let cpu = processor_time(machine, 2);
    lines.push(format!("{}, {threads}{cpu}", machine.engine));
    if let Some(steady_s) = machine.steady_s {
        lines.push(format!("steady after {}", duration(steady_s)));
    }
    if let Some(verified) = &machine.verified {
        let (blocks, bad) = (count(verified.blocks), count(verified.bad));
        lines.push(format!("verified: {blocks} blocks, {bad} bad"));
    }
    lines
}

/// Where an emulated device was, and how well this machine kept its time.
fn served(result: &RunResult, machine: &Machine) -> Vec<String> {
    let targets = machine.targets.iter();
    let mut lines: Vec<_> = targets
        .map(|own| {
            let backing = own.backing.as_deref().unwrap_or_default();
            format!("{}: {}, {backing}", own.device, own.path)
        })
        .collect();
    let overhead = latency(machine.overhead_us.unwrap_or(0.0));
    let cpu = processor_time(machine, 1);
    let mut own = format!("{}, {overhead} of its own{cpu}", machine.engine);
    if let Some(late) = &result.lateness_us {
        let (p50, p99) = (latency(late.p50), latency(late.p99));
        own += &format!("; answers late by {p50}, p99 {p99}");
    }
    lines.push(own);
    lines
}

/// What an IO took of the processors, with this many places; empty where that was not measured.
fn processor_time(machine: &Machine, places: usize) -> String {
    let us = machine.cpu.and_then(|cpu| cpu.us_per_io);
    us.map_or_else(String::new, |us| {
        format!(", {us:.places$} µs of processor time an IO")
    })
}

fn target(of: &Target) -> String {
    let model = of.model.as_deref().filter(|model| !model.is_empty());
    let model = model.map_or_else(String::new, |model| format!(", {model}"));
    if of.kind != "file" {
        return format!("{}{model}", of.path);
    }
    let cached = if of.direct {
        ""
    } else {
        ", through the page cache"
    };
    let on = of
        .block_device
        .as_deref()
        .filter(|device| !device.is_empty());
    let on = on.map_or_else(String::new, |device| format!(" on {device}"));
    let file_system = of.file_system.as_deref().unwrap_or("None");
    format!("{}, {file_system}{on}{model}{cached}", of.path)
}

/// What throttled each job, and how long burst balances last.
fn waiting(result: &RunResult, facts: &Facts, modelled: &Modelled) -> Vec<String> {
    let others = others_held(result, facts);
    let mut throttled = modelled.held.iter().filter(|one| !one.limits.is_empty());
    let mut lines = match (throttled.next(), modelled.held.len()) {
        (None, _) => {
            let by = if others.is_empty() { NOTHING } else { NO_LIMIT };
            vec![format!("throttled by: {by}{}", nearest(result, facts))]
        }
        (Some(only), 1) => vec![format!("throttled by: {}", held(only, "all"))],
        (Some(_), _) => modelled.held.iter().map(of_job).collect(),
    };
    lines.extend(in_parts(result, facts));
    lines.extend(unsettled(facts));
    lines.extend(others);
    lines.extend(balances(facts));
    lines
}

/// What throttled one job of several.
fn of_job(one: &Held) -> String {
    let by = if !one.limits.is_empty() {
        held(one, "its")
    } else if one.by.is_some() {
        NO_LIMIT.to_owned()
    } else {
        NOTHING.to_owned()
    };
    format!("{} throttled by: {by}", one.job)
}

fn held(one: &Held, whose: &str) -> String {
    let by = throttled_by(&one.limits);
    // What was throttled may have completed after the time that counts.
    if one.waited == 0.0 {
        by
    } else {
        format!("{by}; {} of {whose} latency", share(one.waited))
    }
}

/// Which limits throttled IOs, with their shares; `nothing` if no IO was throttled.
#[must_use]
pub fn throttled_by(waited: &[Waited]) -> String {
    let noteworthy = waited.iter().filter(|found| found.share > NOTEWORTHY);
    let mut shown: Vec<_> = noteworthy
        .map(|found| (found.share, in_words(&found.limit)))
        .collect();
    shown.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    if shown.is_empty() {
        return NOTHING.to_owned();
    }
    let shown = shown.iter();
    shown
        .map(|(share, name)| format!("{name} {}", percent(*share, 0)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn share(of: f64) -> String {
    if of < 0.01 {
        "under 1%".to_owned()
    } else {
        percent(of.min(1.0), 0)
    }
}
