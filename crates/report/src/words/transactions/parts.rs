//! Transactions that are counted together.

use blockyard_record::result::{LatencyUs, RunResult, TransactionStep, TransactionTotal};

use crate::text::format::count;

/// Transactions of a job, of a load step of it, or of a kind.
pub(super) struct Part<'a> {
    pub(super) job: &'a str,
    /// Empty of all kinds.
    pub(super) kind: &'a str,
    /// None of all load steps.
    pub(super) step: Option<&'a TransactionStep>,
    pub(super) tps: f64,
    pub(super) latency_us: Option<LatencyUs>,
}

/// Of each job its load steps, if it has several, then all of it, then its kinds.
pub(super) fn parts(result: &RunResult) -> impl Iterator<Item = Part<'_>> {
    result.transactions.iter().flat_map(of)
}

fn of(total: &TransactionTotal) -> impl Iterator<Item = Part<'_>> {
    let job = total.job.as_str();
    let several = total.steps.len() > 1;
    let steps = total.steps.iter().filter(move |_| several);
    let steps = steps.map(move |step| Part {
        job,
        kind: "",
        step: Some(step),
        tps: step.tps,
        latency_us: step.latency_us,
    });
    let whole = Part {
        job,
        kind: "",
        step: None,
        tps: total.tps,
        latency_us: total.latency_us,
    };
    let kinds = total.kinds.iter().map(move |kind| Part {
        job,
        kind: &kind.kind,
        step: None,
        tps: kind.tps,
        latency_us: kind.latency_us,
    });
    steps.chain([whole]).chain(kinds)
}

/// What a load step offered: `72 threads`, where that is what threads are called, or `1,000/s`.
pub(super) fn load(step: &TransactionStep, threads: &str) -> String {
    match step.rate {
        Some(rate) => format!("{}/s", count(rate)),
        None => format!("{} {threads}", step.threads.unwrap_or(0)),
    }
}
