//! What another program saw, in a clause: it tells nothing of limits.

use blockyard_record::result::{Total, TransactionTotal};
use indexmap::IndexMap;

use super::mean_latency::mean_us;
use super::outcome::Outcome;
use crate::text::format::{latency, rate};
use crate::{Intervals, Run};

/// What was done in all, and of several jobs or devices by the one with most in flight.
pub(crate) fn seen(run: &Run) -> String {
    let intervals = &run.tables.intervals;
    let whole = Outcome::of(&run.result.totals);
    let (by, iops) = (by(run), rate(whole.iops()));
    let jobs = parts(run, |total| &total.job);
    let (key, done) = if jobs.len() > 1 {
        ("job", jobs)
    } else {
        ("device", parts(run, |total| &total.device))
    };
    if let (1, Some((name, _))) = (done.len(), done.first()) {
        let of = match run.result.totals.first() {
            Some(total) if run.foreign.as_deref() == Some("fio") => format!(" of {}", total.job),
            _ => String::new(),
        };
        return format!("{iops} IOPS{}{of} on {name}{by}", each(&whole, intervals));
    }
    let in_flight = |outcome: &Outcome<'_>| {
        let mean = mean(outcome, intervals).filter(|&mean| mean != 0.0);
        outcome.iops() * mean.unwrap_or(1.0)
    };
    // Of equal ones the first.
    let backwards = done.iter().rev();
    let busiest = backwards.max_by(|one, other| in_flight(one.1).total_cmp(&in_flight(other.1)));
    let busiest = busiest.map_or_else(String::new, |(name, own)| {
        let (iops, at) = (rate(own.iops()), each(own, intervals));
        format!("; the busiest is {name}, with {iops} IOPS{at}")
    });
    format!("{iops} IOPS of {} {key}s{by}{busiest}", done.len())
}

/// How many transactions a second were done, of which a file tells no more.
pub(crate) fn transactions_seen(run: &Run) -> String {
    let done = run.result.transactions.iter().map(|total| {
        let (tps, at) = (rate(total.tps), at(total));
        format!("{tps} transactions a second{at}")
    });
    format!("{}{}", done.collect::<Vec<_>>().join("; "), by(run))
}

/// The program, and what its file lacks.
fn by(run: &Run) -> &'static str {
    match run.foreign.as_deref() {
        Some("fio") => ", measured by fio, which tells nothing of limits",
        Some("iostat") => ", seen by iostat, which tells nothing of limits",
        Some("yaspe") => ", from yaspe's database, which tells nothing of limits",
        Some("sar") => ", seen by sar, which tells nothing of limits",
        Some("diskstats") => ", from /proc/diskstats, which tells nothing of limits",
        Some("prometheus") => ", seen by Prometheus, which tells nothing of limits",
        Some("systemperformance") => ", from SystemPerformance, which tells nothing of limits",
        Some("pgbench") => ", measured by pgbench, which tells nothing of storage",
        Some("sysbench") => ", measured by sysbench, which tells nothing of storage",
        _ => "",
    }
}

/// What was done under each name that totals have.
fn parts(run: &Run, name: impl Fn(&Total) -> &str) -> IndexMap<&str, Outcome<'_>> {
    let mut found: IndexMap<&str, Vec<&Total>> = IndexMap::new();
    for total in &run.result.totals {
        found.entry(name(total)).or_default().push(total);
    }
    let found = found.into_iter();
    found
        .map(|(name, totals)| (name, Outcome::of(totals)))
        .collect()
}

fn at(total: &TransactionTotal) -> String {
    let figures = total.latency_us.as_ref();
    figures.map_or_else(String::new, |figures| {
        let (mean, p99) = (latency(figures.mean), latency(figures.p99));
        format!(" at {mean} (p99 {p99})")
    })
}

/// The latency; by the means of intervals where nothing else is known.
fn each(outcome: &Outcome<'_>, intervals: &Intervals) -> String {
    if outcome.mean_us().is_some() {
        return outcome.latency(None);
    }
    let mean = mean(outcome, intervals);
    mean.map_or_else(String::new, |mean| format!(" at {}", latency(mean)))
}

fn mean(outcome: &Outcome<'_>, intervals: &Intervals) -> Option<f64> {
    if let Some(mean) = outcome.mean_us() {
        return Some(mean);
    }
    let totals = outcome.totals.iter();
    let known = totals.filter_map(|total| Some((total.ios, mean_us(intervals, total)?)));
    let (ios, whole) = known.fold((0, 0.0), |(ios, whole), (more, mean)| {
        (ios + more, whole + more as f64 * mean)
    });
    (ios > 0).then(|| whole / ios as f64)
}
