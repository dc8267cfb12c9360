//! Tables of transactions: how many, how long they take, and what on.

use blockyard_record::result::{
    LatencyUs, Quartiles, RunResult, TransactionRange, TransactionTotal,
};

use super::parts::{load, parts};
use super::spent_on;
use crate::text::format::{latency, rate};
use crate::text::table::Table;
use crate::words::phrases::{between, counted, share};
use crate::words::tables::seeds_caption;

/// A row for each job, load step and kind.
pub(super) fn delivered(result: &RunResult) -> Table {
    let rows = parts(result).map(|part| {
        let load = part.step.map(|step| load(step, "threads"));
        let mut row = vec![part.job.to_owned(), part.kind.to_owned()];
        row.extend([load.unwrap_or_default(), rate(part.tps)]);
        row.extend(latencies(part.latency_us));
        row
    });
    let columns = [
        "job", "kind", "load", "TPS", "mean", "p50", "p95", "p99", "p99.9", "max",
    ];
    let caption = "Transactions a second, and how long they take";
    Table::new(caption, &columns, rows.collect(), 3)
}

fn latencies(us: Option<LatencyUs>) -> [String; 6] {
    us.map_or_else(Default::default, |us| {
        [us.mean, us.p50, us.p95, us.p99, us.p99_9, us.max].map(latency)
    })
}

/// Ranges over the seeds.
pub(super) fn seeds(result: &RunResult) -> Table {
    let of = |one: &TransactionRange| {
        let us = one.latency_us;
        let ranges = us.map(|us| [us.mean, us.p99].map(|figure| between(&figure, latency)));
        let mut row = vec![one.job.clone(), between(&one.tps, rate)];
        row.extend(ranges.unwrap_or_default());
        row
    };
    let ranges = result.by_seed.iter().flat_map(|it| &it.transactions);
    let rows = ranges.map(of).collect();
    let columns = ["job", "TPS", "mean", "p99"];
    Table::new(&seeds_caption(result), &columns, rows, 1)
}

/// What time goes to.
pub(super) fn spent(found: &[TransactionTotal]) -> Table {
    let parts = found
        .iter()
        .flat_map(|total| total.time.iter().map(|part| (&total.job, part)));
    let rows = parts.map(|(job, part)| {
        vec![
            job.clone(),
            spent_on(part.on).to_owned(),
            latency(1e3 * part.ms),
            share(part.share),
        ]
    });
    let columns = ["job", "time goes to", "of a transaction", "share"];
    let caption = "What the time of a transaction goes to, on average";
    Table::new(caption, &columns, rows.collect(), 2)
}

/// How figures differ from one five seconds to others.
pub(super) fn by_5s(found: &[TransactionTotal]) -> Table {
    let mut rows = Vec::new();
    for total in found {
        if let Some(spread) = total.by_5s {
            let intervals = counted(spread.count as u64, "interval");
            let job = format!("{}, {intervals}", total.job);
            rows.push(quartiles(&job, "TPS", &spread.tps, rate));
            rows.push(quartiles(&job, "p99", &spread.p99_us, latency));
        }
    }
    let columns = [
        "job",
        "figure",
        "lowest",
        "1st quartile",
        "median",
        "3rd quartile",
        "highest",
    ];
    Table::new("Every 5 s by itself", &columns, rows, 2)
}

fn quartiles(job: &str, figure: &str, of: &Quartiles, written: fn(f64) -> String) -> Vec<String> {
    let mut row = vec![job.to_owned(), figure.to_owned()];
    row.extend([of.min, of.q1, of.median, of.q3, of.max].map(written));
    row
}
