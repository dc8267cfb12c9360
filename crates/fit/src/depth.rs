//! What a limit lets through at once after a rest.

use crate::limits::Tokens;
use crate::segments::Block;
use crate::trace::Trace;
use crate::{Figure, Verdict};

/// A depth is measured if its bounds lie no further apart than this share of it.
const FINE: f64 = 0.05;

/// The bucket was full if this many times more had flowed in than it then let through.
const FULL: f64 = 1.1;

/// A bucket that was emptied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Burst {
    /// What went through beyond the rate before the limit held.
    tokens: f64,
    /// What more may have: what could flow in during a window, as nothing tells where in its
    /// first one the burst began.
    unseen: f64,
    /// How far what was in flight may mislead, either way.
    in_flight: f64,
    /// What had flowed in unused before.
    rested: f64,
}

/// What each stretch that the limit held was preceded by.
pub(crate) fn bursts(
    traces: &[Trace],
    tokens: Tokens,
    rate: f64,
    held: &[Vec<Block>],
) -> Vec<Burst> {
    let mut found = Vec::new();
    for (number, trace) in traces.iter().enumerate() {
        let unused = unused(trace, tokens, rate);
        let mut from = 0;
        for stretch in held.iter().filter(|it| it[0].trace == number) {
            found.push(burst(trace, &unused, from, stretch, rate));
            from = stretch[stretch.len() - 1].windows.1;
        }
    }
    found
}

/// What had flowed in and was not used when each window began, and at the end: tokens since the
/// trace began, as if the bucket had no bottom and no rim.
fn unused(trace: &Trace, tokens: Tokens, rate: f64) -> Vec<f64> {
    let mut unused = vec![0.0];
    let mut sum = 0.0;
    for window in &trace.windows {
        sum += rate * window.seconds() - tokens.of(window);
        unused.push(sum);
    }
    unused
}

fn burst(trace: &Trace, unused: &[f64], from: usize, stretch: &[Block], rate: f64) -> Burst {
    let (begin, end) = (stretch[0].windows.0, stretch[stretch.len() - 1].windows.1);
    let mut empty = unused[begin..=end].to_vec();
    empty.sort_by(f64::total_cmp);
    let empty = empty[empty.len() / 2];
    let before = &unused[from..=begin];
    let peak = (0..before.len()).max_by(|&a, &b| before[a].total_cmp(&before[b]));
    let peak = peak.unwrap_or(0);
    let least = before[..=peak]
        .iter()
        .copied()
        .fold(f64::INFINITY, f64::min);
    Burst {
        tokens: before[peak] - empty,
        unseen: rate * trace.windows[from + peak].seconds(),
        in_flight: stretch[0].in_flight * stretch[0].tokens / stretch[0].ios.max(1) as f64,
        rested: before[peak] - least,
    }
}

/// The depth: measured if a bucket was full, was then emptied, and windows are short enough to
/// see both; bounded from below if it only was emptied.
pub(crate) fn figure(bursts: &[Burst], ios: u64) -> Figure {
    let bounds = |burst: &Burst| {
        (
            burst.tokens - burst.in_flight,
            burst.tokens + burst.unseen + burst.in_flight,
        )
    };
    let was_full = |burst: &&Burst| burst.rested >= FULL * (burst.tokens + burst.unseen);
    let largest = |a: &&Burst, b: &&Burst| a.tokens.total_cmp(&b.tokens);
    let figure = |low: f64, high, verdict, why: &str| Figure {
        value: (verdict == Verdict::Measured).then_some(low),
        low: (low > 0.0).then_some(low),
        high,
        verdict,
        ios,
        why: why.to_owned(),
    };
    if let Some(full) = bursts.iter().filter(was_full).max_by(largest) {
        let (low, high) = bounds(full);
        if low > 0.0 && high - low <= FINE * low {
            let why = "seen full after a rest, and empty";
            return Figure {
                value: Some((low + high) / 2.0),
                ..figure(low, Some(high), Verdict::Measured, why)
            };
        }
        let why = "seen full and empty, but intervals are too long, or too much was in flight";
        return figure(low, Some(high), Verdict::Bounded, why);
    }
    match bursts.iter().max_by(largest) {
        Some(burst) if bounds(burst).0 > 0.0 => {
            let why = "not seen full: nothing rested for long enough before";
            figure(bounds(burst).0, None, Verdict::Bounded, why)
        }
        _ => figure(0.0, None, Verdict::Unknown, "never seen full, then empty"),
    }
}
