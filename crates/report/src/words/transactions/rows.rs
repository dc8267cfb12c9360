//! The table of a summary.

use blockyard_record::result::{Range, RunResult, TransactionRange};

use super::parts::{Part, load, parts};
use crate::text::format::{latency, rate};

/// The table of a summary.
pub(crate) const HEADINGS: [&str; 8] = [
    "transactions",
    "load",
    "TPS",
    "mean",
    "p50",
    "p95",
    "p99",
    "max",
];

/// What narrow terminals do without there: TPS and p99 stay.
pub(crate) const FIRST_TO_GO: [&str; 5] = ["p95", "p50", "max", "mean", "load"];

/// The rows of a summary, under [`HEADINGS`].
pub(crate) fn rows(result: &RunResult) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for part in parts(result) {
        found.push(row(&part));
        if part.step.is_none() && part.kind.is_empty() {
            found.extend(over_seeds(result, part.job));
        }
    }
    found
}

fn row(part: &Part<'_>) -> Vec<String> {
    let load = part
        .step
        .map_or_else(|| "all".to_owned(), |step| load(step, "thr"));
    let latencies = part.latency_us.map_or_else(
        || ["-"; 5].map(str::to_owned),
        |us| [us.mean, us.p50, us.p95, us.p99, us.max].map(latency),
    );
    let name = format!("{} {}", part.job, part.kind);
    let mut row = vec![name.trim_end().to_owned(), load, rate(part.tps)];
    row.extend(latencies);
    row
}

/// Minimum and maximum of a job's transactions over several seeds, if these differ.
fn over_seeds(result: &RunResult, job: &str) -> Vec<Vec<String>> {
    let ranges = result.by_seed.iter().flat_map(|it| &it.transactions);
    let own = ranges.filter(|one| one.job == job);
    let ends = own.map(|one| [end(one, |range| range.min), end(one, |range| range.max)]);
    let differing = ends.filter(|[low, high]| low != high);
    differing
        .flat_map(|[low, high]| [("min", low), ("max", high)])
        .map(|(which, end)| [job.to_owned(), which.to_owned()].into_iter().chain(end))
        .map(Iterator::collect)
        .collect()
}

fn end(one: &TransactionRange, end: impl Fn(&Range) -> f64) -> [String; 6] {
    let [mean, p50, p99] = one.latency_us.map_or_else(
        || ["-"; 3].map(str::to_owned),
        |us| [us.mean, us.p50, us.p99].map(|range| latency(end(&range))),
    );
    let tps = rate(end(&one.tps));
    [tps, mean, p50, String::new(), p99, String::new()]
}
