//! What an observation saw of calls: how long they took, what of that was IO, how long threads
//! think in between, and how many wait at once.

use blockyard_record::result::{CallKind, Caller, LatencyUs, Observed, ObservedCalls, RunResult};

use super::phrases::{counted, in_bytes, share};
use crate::text::format::{grouped, latency};
use crate::text::table::Table;

/// Kinds and names that a summary has.
const FEW: usize = 3;

/// What a summary says, line by line.
pub(super) fn lines(observed: &Observed) -> Vec<String> {
    let Some(calls) = &observed.calls else {
        return Vec::new();
    };
    let mut kinds: Vec<_> = calls.kinds.iter().collect();
    let spent = |one: &CallKind| one.calls as f64 * one.latency_us.mean;
    kinds.sort_by(|one, other| spent(other).total_cmp(&spent(one)));
    let kinds: Vec<_> = kinds.into_iter().take(FEW).map(kind).collect();
    let mut said = Vec::new();
    if kinds.is_empty() {
        said.push("calls: none read, wrote or synced".into());
    } else {
        said.push(format!("calls: {}", kinds.join("; ")));
    }
    let waited = calls.callers.iter().filter(|caller| caller.waits > 0);
    let waited: Vec<_> = waited.take(FEW).map(caller).collect();
    if !waited.is_empty() {
        said.push(format!("threads: {}", waited.join("; ")));
    }
    said.extend(at_once(calls));
    said
}

/// Tables of kinds and of callers.
pub(super) fn tables(result: &RunResult, observed: &Observed) -> Vec<Table> {
    let calls = observed.calls.iter();
    calls
        .flat_map(|calls| [of_kinds(calls), of_callers(result, calls)])
        .collect()
}

/// How many threads wait at once.
pub(super) fn at_once(calls: &ObservedCalls) -> Option<String> {
    let shares = &calls.at_once;
    let waiting: f64 = shares.iter().skip(1).sum();
    let mean: f64 = (0..)
        .zip(shares)
        .map(|(n, share)| f64::from(n) * share)
        .sum();
    let most = shares.iter().rposition(|share| *share > 0.0)?;
    (most > 0).then(|| {
        format!(
            "threads that waited for storage at once: {} in the mean, up to {most}; none {} of the time",
            grouped(mean, if mean < 10.0 { 2 } else { 0 }),
            share(1.0 - waiting)
        )
    })
}

fn kind(of: &CallKind) -> String {
    let io = of.io_us.map_or_else(String::new, |io| {
        let ios = of.ios as f64 / of.with_io as f64;
        format!(
            ", {} of them with {} IOs of {}",
            share(of.with_io as f64 / of.calls as f64),
            grouped(ios, 1),
            both(io)
        )
    });
    format!(
        "{} {} of {}{io}",
        grouped(of.calls as f64, 0),
        of.call,
        both(of.latency_us)
    )
}

fn caller(of: &Caller) -> String {
    let thinks = of.think_us.map_or_else(String::new, |think| {
        format!(", and thought for {} in between", both(think))
    });
    let (threads, waits) = (counted(of.threads, "thread"), counted(of.waits, "time"));
    let each = latency(of.waiting_s * 1e6 / of.waits as f64);
    let left = if of.left * 2 > of.ios {
        "; most of their IOs ended later than the call"
    } else {
        ""
    };
    format!(
        "{threads} {} waited {waits}, {each} in the mean{thinks}{left}",
        of.name
    )
}

fn both(us: LatencyUs) -> String {
    format!("{} (p99 {})", latency(us.mean), latency(us.p99))
}

fn of_kinds(calls: &ObservedCalls) -> Table {
    let columns = [
        "call", "calls", "failed", "bytes", "latency", "p99", "with IO", "IOs", "in IO", "p99",
    ];
    let rows = calls.kinds.iter().map(|of| {
        let io = of.io_us.map(|us| [us.mean, us.p99].map(latency));
        let [io, io_p99] = io.unwrap_or_default();
        vec![
            of.call.clone(),
            grouped(of.calls as f64, 0),
            grouped(of.failed as f64, 0),
            in_bytes(of.bytes),
            latency(of.latency_us.mean),
            latency(of.latency_us.p99),
            grouped(of.with_io as f64, 0),
            grouped(of.ios as f64, 0),
            io,
            io_p99,
        ]
    });
    Table::new("Calls", &columns, rows.collect(), 1).without_empty()
}

fn of_callers(result: &RunResult, calls: &ObservedCalls) -> Table {
    let columns = [
        "threads", "number", "calls", "waits", "waiting", "think", "p50", "p99", "IOs", "left",
    ];
    let rows = calls.callers.iter().map(|of| {
        let think = of.think_us.map(|us| [us.mean, us.p50, us.p99].map(latency));
        let [mean, p50, p99] = think.unwrap_or_default();
        let whole = result.duration_s * of.threads as f64;
        vec![
            of.name.clone(),
            grouped(of.threads as f64, 0),
            grouped(of.calls as f64, 0),
            grouped(of.waits as f64, 0),
            share(of.waiting_s / whole),
            mean,
            p50,
            p99,
            grouped(of.ios as f64, 0),
            grouped(of.left as f64, 0),
        ]
    });
    Table::new("Threads", &columns, rows.collect(), 1).without_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_at_once_are_said_as_a_mean_and_a_peak() {
        let of = |at_once: &[f64]| ObservedCalls {
            kinds: Vec::new(),
            callers: Vec::new(),
            threads: Vec::new(),
            at_once: at_once.to_vec(),
            lost: Vec::new(),
        };
        assert_eq!(at_once(&of(&[])), None);
        assert_eq!(at_once(&of(&[1.0])), None);
        let said = at_once(&of(&[0.25, 0.25, 0.5])).unwrap();
        assert_eq!(
            said,
            "threads that waited for storage at once: 1.25 in the mean, up to 2; none 25% of the time"
        );
    }
}
