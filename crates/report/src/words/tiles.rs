//! A run in four figures: what it delivered, its p99, its bottleneck, its price.

use blockyard_cost::RegionFrom;
use blockyard_explain::{Facts, Kind};
use blockyard_record::result::{Event, RunResult};
use serde::Serialize;

use super::balances::running_out;
use super::headline::longest_outage;
use super::job_bottleneck::{limited_by, throttled_by};
use super::outcome::Outcome;
use super::phrases::{counted, listed, share};
use super::transaction_bottleneck::in_short;
use super::transactions::stops;
use crate::Run;
use crate::text::format::{duration, grouped, latency, number, rate};
use crate::text::limit_names::{in_words, possessive};

/// A figure, what it is, and a few words on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tile {
    /// What it is.
    pub label: String,
    /// The figure.
    pub value: String,
    /// A few words on it.
    pub note: String,
}

impl Tile {
    fn new(label: &str, value: String, note: String) -> Self {
        Self {
            label: label.to_owned(),
            value,
            note,
        }
    }
}

/// The figures that are known, of four: real storage shows no limits, and has no bill.
#[must_use]
pub fn tiles(run: &Run) -> Vec<Tile> {
    let result = &run.result;
    let found = [delivered(result), p99(result), bottleneck(run), price(run)];
    found.into_iter().flatten().collect()
}

fn delivered(result: &RunResult) -> Option<Tile> {
    let engines = &result.transactions;
    let failed = failed_ios(result);
    let after = if failed > 0 {
        format!("; {} failed", counted(failed, "IO"))
    } else {
        String::new()
    };
    if !engines.is_empty() {
        let tps = engines.iter().fold(0.0, |sum, total| sum + total.tps);
        let jobs: Vec<_> = engines.iter().map(|total| total.job.as_str()).collect();
        let value = format!("{} TPS", rate(tps));
        return Some(Tile::new("Delivered", value, listed(&jobs) + &after));
    }
    let moved = Outcome::of(&result.totals);
    if moved.totals.is_empty() && failed == 0 {
        return None;
    }
    let value = format!("{} IOPS", rate(moved.iops()));
    let bytes_too = format!("{} MiB/s{after}", number(moved.mib_per_s()));
    Some(Tile::new("Delivered", value, bytes_too))
}

fn failed_ios(result: &RunResult) -> u64 {
    result.totals.iter().map(|total| total.errors).sum()
}

/// The largest p99; of an engine that of its transactions, which wait for its IO.
fn p99(result: &RunResult) -> Option<Tile> {
    let engines = &result.transactions;
    let transactions = engines.iter().filter_map(|total| {
        let whose = format!("{}, transactions", total.job);
        Some((total.latency_us?.p99, whose))
    });
    let others = Outcome::of(&result.totals).totals.into_iter();
    let others = others.filter(|total| engines.iter().all(|engine| engine.job != total.job));
    let others = others.filter_map(|total| {
        let whose = format!("{}, {}", total.job, total.op);
        Some((total.latency_us?.p99, whose))
    });
    let found: Vec<_> = transactions.chain(others).collect();
    let label = if found.len() == 1 {
        "p99"
    } else {
        "Largest p99"
    };
    let worst = found.into_iter();
    let (us, whose) = worst.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)))?;
    Some(Tile::new(label, latency(us), whose))
}

/// That of the job that waits most for its own.
fn bottleneck(run: &Run) -> Option<Tile> {
    let (result, facts) = (&run.result, run.facts.as_ref()?);
    if facts.modelled.is_none() || Outcome::of(&result.totals).totals.is_empty() {
        return None;
    }
    if let Some(failed) = mostly_failed(result) {
        return Some(failed);
    }
    let found = bottlenecks(result, facts).into_iter().max_by(|a, b| {
        let by_name = || (&a.what, a.job).cmp(&(&b.what, b.job));
        a.waited.total_cmp(&b.waited).then_with(by_name)
    });
    let (what, note) = match found {
        Some(most) => {
            let whose = possessive(most.job);
            let note = format!("{} of {whose} latency", share(most.waited));
            (most.what, note)
        }
        None => ("none".to_owned(), without(result, facts)),
    };
    Some(Tile::new("Bottleneck", what, note))
}

/// Where more IOs failed than completed, no limit is the bottleneck.
fn mostly_failed(result: &RunResult) -> Option<Tile> {
    let failed = failed_ios(result);
    let done: u64 = result.totals.iter().map(|total| total.ios).sum();
    if failed <= done {
        return None;
    }
    let events = result.events.iter().filter(|event| failed_in(event) > 0);
    // Of equals the first, which `max_by_key` would pass over.
    let most = events.rev().max_by_key(|event| failed_in(event));
    let what = most.map_or("failed IO", |event| &event.what);
    let part = share(failed as f64 / (failed + done) as f64);
    let note = format!("{part} of IOs failed");
    Some(Tile::new("Bottleneck", what.to_owned(), note))
}

fn failed_in(event: &Event) -> u64 {
    event.effect.map_or(0, |effect| effect.failed_ios)
}

/// Why a run has no bottleneck: it may not last, or nothing was left to be throttled.
fn without(result: &RunResult, facts: &Facts) -> String {
    let stop = stops(result).into_iter().next();
    if let Some(said) = stop.or_else(|| longest_outage(result)) {
        return said;
    }
    let last_s = running_out(facts).first().and_then(|first| first.last_s);
    match last_s {
        Some(last_s) if last_s != 0.0 => {
            format!("for {} more, on burst credits", duration(last_s))
        }
        _ => "no limit reached".to_owned(),
    }
}

/// The bottleneck of a job, and the share of the job's time that it takes.
struct Held<'a> {
    waited: f64,
    what: String,
    job: &'a str,
}

fn bottlenecks<'a>(result: &RunResult, facts: &'a Facts) -> Vec<Held<'a>> {
    let of = |job: &str, load: &Kind| match load {
        Kind::Transactions { .. } => in_short(result, facts, job),
        Kind::Closed { .. } | Kind::Open { .. } | Kind::Database { .. } => {
            of_io(result, facts, job)
        }
    };
    let loads = facts.loads.iter();
    let held = loads.filter_map(|load| {
        let job = load.job.as_str();
        let (waited, what) = of(job, &load.load)?;
        Some(Held { waited, what, job })
    });
    held.collect()
}

fn of_io(result: &RunResult, facts: &Facts, job: &str) -> Option<(f64, String)> {
    if let Some(held) = throttled_by(facts, job) {
        return Some((held.waited, in_words(&held.limits.first()?.limit)));
    }
    let (what, _, waited) = limited_by(result, facts, job)?;
    Some((waited, what))
}

/// A month of it; the page says elsewhere why there is no bill.
fn price(run: &Run) -> Option<Tile> {
    let bill = run.bill.as_ref().filter(|bill| !bill.lines.is_empty())?;
    let assumed = match bill.region_from {
        RegionFrom::Assumed => " (assumed)",
        RegionFrom::Asked | RegionFrom::Scenario | RegionFrom::Zones => "",
    };
    let value = format!("${}", grouped(bill.per_month.dollars(), 2));
    let note = format!("a month in {}{assumed}", bill.region);
    Some(Tile::new("Price", value, note))
}
