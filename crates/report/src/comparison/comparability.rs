//! Whether runs can be compared, and by what.

use std::collections::BTreeSet;

use blockyard_record::result::{Mode, Status};

use crate::Run;
use crate::text::format::{duration, grouped};

/// Mean sizes of IOs that differ by more than this are of different workloads.
const SIZES: f64 = 0.1;

/// Foreign files that name the jobs.
const WITH_JOBS: [&str; 3] = ["fio", "pgbench", "sysbench"];

/// Why runs cannot be compared with the first, a line for each reason; nothing if they can.
pub(crate) fn reasons<'a>(first: &Run, others: impl Iterator<Item = &'a Run>) -> Vec<String> {
    let mut reasons = Vec::new();
    for other in others {
        for reason in unlike(first, other) {
            let line = format!("{} and {}: {reason}", first.name, other.name);
            if !reasons.contains(&line) {
                reasons.push(line);
            }
        }
    }
    reasons
}

/// Why two runs cannot be compared, a line for each reason; nothing if they can.
///
/// Of runs whose workload is known, it and its times must be the same; of others, what
/// their IOs look like.
pub(crate) fn unlike(first: &Run, other: &Run) -> Vec<String> {
    let mut reasons: Vec<_> = [first, other].into_iter().filter_map(unfinished).collect();
    match (&first.scenario, &other.scenario) {
        (Some(mine), Some(theirs)) if is_known(first) && is_known(other) => {
            reasons.extend(mine.opened().loaded.unlike(&theirs.opened().loaded));
        }
        _ => reasons.extend(sizes(first, other)),
    }
    reasons
}

/// Whether two runs of scenarios have the same workload, warm-up and duration.
pub(crate) fn has_same_load(first: &Run, other: &Run) -> bool {
    match (&first.scenario, &other.scenario) {
        (Some(mine), Some(theirs)) => {
            let mine = &mine.opened().loaded;
            mine.unlike(&theirs.opened().loaded).is_empty()
        }
        _ => false,
    }
}

/// How a run ended, where that was not at its end.
fn unfinished(run: &Run) -> Option<String> {
    let status = match run.result.status {
        Status::Complete => return None,
        // An emulation serves until it is stopped.
        Status::Interrupted if run.is(Mode::Emulate) => return None,
        Status::Interrupted => "interrupted",
        Status::Failed => "failed",
    };
    let after = duration(run.result.duration_s);
    Some(format!("{} is {status}, after {after}", run.name))
}

fn sizes(first: &Run, other: &Run) -> Vec<String> {
    let mut reasons = Vec::new();
    for op in ["read", "write"] {
        match (mean_kib(first, op), mean_kib(other, op)) {
            (None, None) => {}
            (Some(_), None) => reasons.push(format!("{op}s: only {} has them", first.name)),
            (None, Some(_)) => reasons.push(format!("{op}s: only {} has them", other.name)),
            (Some(mine), Some(theirs)) => {
                let are_sizes = mine != 0.0 && theirs != 0.0;
                if are_sizes && (theirs / mine - 1.0).abs() > SIZES {
                    let (mine, theirs) = (grouped(mine, 1), grouped(theirs, 1));
                    reasons.push(format!("{op}s: {mine} KiB against {theirs} KiB each"));
                }
            }
        }
    }
    reasons
}

/// The mean size of a run's reads or writes in KiB; none if it has none.
pub(crate) fn mean_kib(run: &Run, op: &str) -> Option<f64> {
    let totals = || run.result.totals.iter().filter(|total| total.op == op);
    let ios: u64 = totals().map(|total| total.ios).sum();
    let bytes: u64 = totals().map(|total| total.bytes).sum();
    (ios > 0).then(|| bytes as f64 / ios as f64 / 1024.0)
}

/// What can only be compared all together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Together {
    /// Whether jobs can: an emulation knows its clients' IOs, not their jobs. Files of fio and of
    /// databases' benchmarks have jobs, which count by their names where all have the same.
    pub(crate) jobs: bool,
    /// Whether devices can: a foreign file names them its own way.
    pub(crate) devices: bool,
}

impl Together {
    pub(crate) fn of<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> Self {
        let mut each = runs.clone();
        let known = each.all(is_known);
        let names_jobs = |run: &Run| is_known(run) || WITH_JOBS.contains(&run.made());
        let named = runs.clone().all(names_jobs) && are_alike(runs.clone().map(jobs));
        Self {
            jobs: !known && !named,
            devices: !are_alike(runs.map(devices)),
        }
    }
}

fn are_alike<'a>(mut names: impl Iterator<Item = BTreeSet<&'a str>>) -> bool {
    let first = names.next();
    names.all(|other| Some(other) == first)
}

fn jobs(run: &Run) -> BTreeSet<&str> {
    let did_io = run.result.totals.iter().filter(|total| total.ios > 0);
    let of_io = did_io.map(|total| total.job.as_str());
    let transactions = run.result.transactions.iter();
    of_io
        .chain(transactions.map(|total| total.job.as_str()))
        .collect()
}

fn devices(run: &Run) -> BTreeSet<&str> {
    let devices = &run.tables.intervals.device;
    let places: BTreeSet<_> = devices.index.iter().collect();
    let names = places
        .into_iter()
        .filter_map(|&place| devices.names.get(place));
    names.map(String::as_str).collect()
}

/// Whether a run's workload is known: not of an emulation's clients, nor of foreign files.
pub(crate) fn is_known(run: &Run) -> bool {
    run.scenario.is_some() && !run.is(Mode::Emulate)
}
