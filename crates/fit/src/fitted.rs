//! From traces to a profile and limits.

use schemars::JsonSchema;
use serde::Serialize;

use crate::family::{Family, family};
use crate::limits::{Applies, Counts, Limit, limits};
use crate::mask;
use crate::quantiles::{Quantile, Sample, kept};
use crate::slope::{Slope, slope};
use crate::states::{self, SlowFit, States};
use crate::trace::{Bin, Kind, Op, Trace, merged};
use crate::{Figure, Verdict};

/// The profile to keep what was not measured of.
#[derive(Clone, Debug)]
pub struct Base {
    /// Quantiles of reads: probability and nanoseconds, from 0 to 1.
    pub read: Vec<(f64, u64)>,
    /// Those of writes.
    pub write: Vec<(f64, u64)>,
    /// The size that they are for.
    pub base_size: u64,
    /// Nanoseconds for each further KiB, of reads and of writes.
    pub per_kib: [f64; 2],
    /// Factor and mean stay, in seconds, of each slow state.
    pub slow: Vec<(f64, f64)>,
    /// Standard deviation of the factor of one volume beside its host's.
    pub volume_spread: f64,
}

/// A profile and limits that were made from measurements.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fitted {
    /// The size that the tables are for, in bytes.
    pub base_size: Figure,
    /// Latencies of reads.
    pub read: Vec<Quantile>,
    /// Latencies of writes.
    pub write: Vec<Quantile>,
    /// Growth with size.
    pub per_kib: Slope,
    /// The factor of the slow state; without one, 1.
    pub slow: Figure,
    /// The slow state.
    pub slow_state: Option<SlowFit>,
    /// Factor and mean stay in seconds, as a profile has them.
    pub slow_states: Vec<(f64, f64)>,
    /// How much slower than the profile to start from all volumes of the host are.
    pub family: Family,
    /// Limits that bound.
    pub limits: Vec<LimitFit>,
    /// IOs of which latencies were taken.
    pub used: u64,
    /// IOs of which none were.
    pub left_out: LeftOut,
    /// How long it was measured, in seconds.
    pub seconds: f64,
}

/// IOs whose latencies say nothing of a profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// A limit may have made them wait.
    pub limited: u64,
    /// They were done in the slow state, or next to it.
    pub slow: u64,
    /// More was done at the time, and latencies were longer, without a limit that bound.
    pub loaded: u64,
    /// Their size, or when they were issued, is not known.
    pub unlike: u64,
}

/// A limit that bound.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LimitFit {
    /// What it counts.
    pub counts: Counts,
    /// Which IOs it is for.
    pub applies: Applies,
    /// Tokens a second.
    pub rate: Figure,
    /// Tokens that a rest brings at most.
    pub depth: Figure,
    /// Whether it is a baseline that credits exceeded for a while, until they were used up.
    pub credits: bool,
    /// The mean size of the IOs that it held, in bytes.
    pub io_bytes: f64,
}

/// Fewer IOs of an operation give no table.
pub(crate) const LEAST: u64 = 100;

/// The smallest size with so many IOs is what the tables are for.
const ENOUGH: u64 = 1_000;

/// The profile and limits of the storage that all of `traces` are of.
///
/// # Errors
/// A line that says what is missing.
pub fn fit(traces: &[Trace], base: &Base) -> Result<Fitted, String> {
    let total = count(traces, |_, _| true);
    if total == 0 {
        return Err("no read or write in it".to_owned());
    }
    let limits = limits(traces);
    let mut clear: Vec<Vec<bool>> = traces
        .iter()
        .map(|trace| mask::untouched(trace, &limits))
        .collect();
    let free = count(traces, |trace, window| clear[trace][window]);
    let states = states::find(traces, &mut clear);
    let samples = samples(traces, &clear);
    let used: u64 = samples.iter().map(|(_, sample)| sample.count).sum();
    if used < LEAST && limits.is_empty() {
        return Err(format!(
            "{used} reads and writes whose latency is the storage's own, of {total}; \
             expected at least {LEAST}"
        ));
    }
    let normal = count(traces, |trace, window| clear[trace][window]);
    let size = base_size(&samples, base);
    let per_kib = [Op::Read, Op::Write].map(|op| op_slope(&samples, op, size.0, base));
    let table = |op: Op| op_table(&samples, op, size.0, &per_kib[op as usize], base);
    let (read, write) = (table(Op::Read), table(Op::Write));
    let family = family([&read, &write], size.0, &every(traces), base);
    let (slow, slow_states) = slow(&states, base);
    Ok(Fitted {
        base_size: size.1,
        read,
        write,
        family,
        slow,
        slow_state: states.slow,
        slow_states,
        limits: limits.into_iter().map(limit_fit).collect(),
        used,
        left_out: LeftOut {
            limited: total - free,
            slow: if states.loaded { 0 } else { free - normal },
            loaded: if states.loaded { free - normal } else { 0 },
            unlike: normal - used,
        },
        seconds: seconds(traces),
        per_kib: {
            let [read, write] = per_kib;
            Slope { read, write }
        },
    })
}

fn seconds(traces: &[Trace]) -> f64 {
    let windows = traces.iter().flat_map(|trace| &trace.windows);
    windows.map(crate::Window::seconds).sum()
}

/// The IOs in the windows that `taken` takes, by the numbers of trace and window.
fn count(traces: &[Trace], taken: impl Fn(usize, usize) -> bool) -> u64 {
    let of = |(number, trace): (usize, &Trace)| -> u64 {
        let windows = trace.windows.iter().enumerate();
        let windows = windows.filter(|(window, _)| taken(number, *window));
        windows.map(|(_, window)| window.ios()).sum()
    };
    traces.iter().enumerate().map(of).sum()
}

/// The latencies of each kind with a size, whatever held them.
fn every(traces: &[Trace]) -> Vec<(Kind, Sample)> {
    let all = traces.iter().map(|trace| vec![true; trace.windows.len()]);
    samples(traces, &all.collect::<Vec<_>>())
}

/// The latencies of each kind with a size, in clear windows.
fn samples(traces: &[Trace], clear: &[Vec<bool>]) -> Vec<(Kind, Sample)> {
    let mut kinds: Vec<Kind> = traces.iter().flat_map(Trace::kinds).collect();
    kinds.sort();
    kinds.dedup();
    kinds.retain(|kind| kind.bytes.is_some());
    let percentiles = traces.iter().any(|trace| trace.percentiles);
    let error = traces.iter().map(|trace| trace.error).fold(0.0, f64::max);
    let of = |kind: Kind| {
        let pairs = traces.iter().zip(clear);
        let bins = pairs.flat_map(|(trace, clear)| trace.clear_bins(clear, kind));
        let bins: Vec<Bin> = merged(bins);
        (kind, Sample::new(bins, error, percentiles))
    };
    let all = kinds.into_iter().map(of);
    all.filter(|(_, sample)| sample.count > 0).collect()
}

/// The size that the tables are for: the smallest with enough IOs, as only larger ones take
/// longer in the model; otherwise that with the most.
fn base_size(samples: &[(Kind, Sample)], base: &Base) -> (u64, Figure) {
    let mut sizes: Vec<(u64, u64)> = Vec::new();
    for (kind, sample) in samples {
        let bytes = kind.bytes.unwrap_or(0);
        match sizes.iter_mut().find(|(size, _)| *size == bytes) {
            Some((_, count)) => *count += sample.count,
            None => sizes.push((bytes, sample.count)),
        }
    }
    sizes.sort_unstable();
    let most = sizes.iter().max_by_key(|(_, count)| *count);
    let enough = sizes.iter().find(|(_, count)| *count >= ENOUGH).or(most);
    let (size, ios, verdict, why) = match enough {
        Some(&(size, ios)) => (size, ios, Verdict::Measured, "the size of the IOs"),
        None => (base.base_size, 0, Verdict::Kept, "no IO to go by"),
    };
    let figure = Figure {
        value: Some(size as f64),
        low: None,
        high: None,
        verdict,
        ios,
        why: why.to_owned(),
    };
    (size, figure)
}

fn of_op(samples: &[(Kind, Sample)], op: Op) -> Vec<(u64, &Sample)> {
    let of = samples.iter().filter(|(kind, _)| kind.op == op);
    let of = of.filter(|(_, sample)| sample.count >= LEAST);
    of.filter_map(|(kind, sample)| Some((kind.bytes?, sample)))
        .collect()
}

fn op_slope(samples: &[(Kind, Sample)], op: Op, size: u64, base: &Base) -> Figure {
    let mut sizes = of_op(samples, op);
    sizes.retain(|(bytes, _)| *bytes >= size);
    slope(&sizes, base.per_kib[op as usize])
}

fn op_table(
    samples: &[(Kind, Sample)],
    op: Op,
    size: u64,
    per_kib: &Figure,
    base: &Base,
) -> Vec<Quantile> {
    let table = match op {
        Op::Read => &base.read,
        Op::Write => &base.write,
    };
    let sizes = of_op(samples, op);
    let at_size = sizes.iter().find(|(bytes, _)| *bytes == size);
    let Some((bytes, sample)) = at_size.or(sizes.iter().find(|(bytes, _)| *bytes > size)) else {
        let of = samples.iter().filter(|(kind, _)| kind.op == op);
        let ios = of.map(|(_, sample)| sample.count).sum();
        return kept(table, ios, &format!("fewer than {LEAST} IOs"));
    };
    let beyond = (bytes - size) as f64 / 1024.0 * per_kib.value.unwrap_or(0.0);
    let mut rows = sample.table(table);
    for row in rows.iter_mut().filter(|_| beyond > 0.0) {
        let less = |nanos: &mut f64| *nanos = (*nanos - beyond).max(0.0);
        row.figure.value.iter_mut().for_each(less);
        row.figure.low.iter_mut().for_each(less);
        row.figure.high.iter_mut().for_each(less);
        row.figure.why = format!("of IOs of {} KiB", bytes / 1024);
    }
    rows
}

fn slow(states: &States, base: &Base) -> (Figure, Vec<(f64, f64)>) {
    let looked = format!(
        "{} stretches of 100 IOs or more, {:.0} s",
        states.stretches, states.seconds
    );
    let figure = |value, limits: Option<(f64, f64)>, verdict, why| Figure {
        value,
        low: limits.map(|(low, _)| low),
        high: limits.map(|(_, high)| high),
        verdict,
        ios: 0,
        why,
    };
    match states.slow {
        Some(slow) => {
            // The factor is well known after one visit, the stays only after several.
            let verdict = match slow.visits {
                0..10 => Verdict::Bounded,
                _ => Verdict::Measured,
            };
            let why = format!("{} slow states in {looked}", slow.visits);
            (
                figure(Some(slow.times), Some(slow.within), verdict, why),
                vec![(1.0, slow.normal_s), (slow.times, slow.slow_s)],
            )
        }
        None if states.stretches > 0 => {
            let why = format!("none in {looked}");
            (figure(Some(1.0), None, Verdict::Bounded, why), Vec::new())
        }
        None => {
            let why = "too few IOs to look for one".to_owned();
            let times = base
                .slow
                .iter()
                .map(|(times, _)| *times)
                .fold(1.0, f64::max);
            (
                figure(Some(times), None, Verdict::Kept, why),
                base.slow.clone(),
            )
        }
    }
}

fn limit_fit(limit: Limit) -> LimitFit {
    LimitFit {
        counts: limit.counts,
        applies: limit.tokens.applies,
        rate: limit.rate,
        depth: limit.depth,
        credits: limit.credits,
        io_bytes: limit.io_bytes,
    }
}
