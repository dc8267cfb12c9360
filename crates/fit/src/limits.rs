//! Limits that were seen to bind: their rate, and how much they let through after a rest.

use schemars::JsonSchema;
use serde::Serialize;

use crate::credits;
use crate::depth;
use crate::segments::{self, Block};
use crate::trace::{Kind, Op, Trace, Window};
use crate::{Figure, Verdict};

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Counts {
    /// IOs.
    Ios,
    /// Bytes.
    Bytes,
    /// One or the other: all IOs had one size, which does not tell.
    Either,
}

/// Which IOs a limit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Applies {
    /// All of them.
    Both,
    /// Reads.
    Reads,
    /// Writes.
    Writes,
}

impl Applies {
    pub(crate) fn to(self, op: Op) -> bool {
        match self {
            Self::Both => true,
            Self::Reads => op == Op::Read,
            Self::Writes => op == Op::Write,
        }
    }
}

/// What IOs take of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) bytes: bool,
    pub(crate) applies: Applies,
}

impl Tokens {
    pub(crate) fn of(self, window: &Window) -> f64 {
        let parts = window.parts.iter().filter(|it| self.applies.to(it.kind.op));
        let taken: u64 = match self.bytes {
            true => parts.map(|part| part.bytes).sum(),
            false => parts.map(|part| part.ios).sum(),
        };
        taken as f64
    }

    /// What one IO of a window takes on average.
    pub(crate) fn grain(self, window: &Window) -> f64 {
        match self.bytes {
            true => {
                let bytes: u64 = window.parts.iter().map(|part| part.bytes).sum();
                bytes as f64 / window.ios().max(1) as f64
            }
            false => 1.0,
        }
    }
}

/// A limit, where it applied, and its fitted value.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub(crate) tokens: Tokens,
    pub(crate) counts: Counts,
    /// Tokens a second.
    pub(crate) rate: Figure,
    /// Tokens.
    pub(crate) depth: Figure,
    /// What the bucket lets through at least after a rest, for [`crate::mask`].
    pub(crate) burst: f64,
    /// Whether it is a baseline that credits exceed for a while.
    pub(crate) credits: bool,
    /// The mean size of the IOs that it held.
    pub(crate) io_bytes: f64,
    /// The stretches that it held.
    held: Vec<Vec<Block>>,
}

/// A limit whose bucket would hold more than this many seconds of its rate was exceeded for a
/// while by something that is no burst.
pub(crate) const LONGEST_BURST_S: f64 = 3.0;

/// The largest IO that surely counts as one: storage counts larger ones several times.
const LARGEST_COUNTED_ONCE: f64 = 256.0 * 1024.0;

/// The limits that bound in some trace.
pub(crate) fn limits(traces: &[Trace]) -> Vec<Limit> {
    let best = segments::best_medians(traces);
    let both = of(traces, Applies::Both, &best);
    if !both.is_empty() {
        return both;
    }
    let mut found = of(traces, Applies::Reads, &best);
    found.extend(of(traces, Applies::Writes, &best));
    // With one operation only, what bounds it bounds all.
    found
}

/// The limits that hold throughout, and below them the baseline that used-up credits leave.
fn of(traces: &[Trace], applies: Applies, best: &[(Kind, f64)]) -> Vec<Limit> {
    let mut found = one_of(traces, applies, |tokens| limit(traces, tokens, best));
    let rates = |tokens| found.iter().map(move |limit| limit.rate_in(tokens));
    let below = |tokens| rates(tokens).fold(f64::INFINITY, f64::min);
    let baseline = one_of(traces, applies, |tokens| {
        credits::baseline(traces, tokens, best, below(tokens))
    });
    found.extend(baseline);
    found
}

fn one_of(
    traces: &[Trace],
    applies: Applies,
    find: impl Fn(Tokens) -> Option<Limit>,
) -> Vec<Limit> {
    let [ios, bytes] = [false, true].map(|bytes| find(Tokens { bytes, applies }));
    let ios = ios.filter(|limit| limit.io_bytes <= LARGEST_COUNTED_ONCE);
    match (ios, bytes) {
        (Some(ios), Some(bytes)) if ios.overlaps(&bytes) => vec![ios.or(bytes, traces)],
        (ios, bytes) => ios.into_iter().chain(bytes).collect(),
    }
}

impl Limit {
    /// Its rate in other tokens, for IOs of the size that it held.
    fn rate_in(&self, tokens: Tokens) -> f64 {
        let rate = self.rate.value.unwrap_or(f64::INFINITY);
        match (self.tokens.bytes, tokens.bytes) {
            (false, true) => rate * self.io_bytes,
            (true, false) => rate / self.io_bytes.max(1.0),
            _ => rate,
        }
    }

    /// Whether both held at the same times.
    fn overlaps(&self, other: &Self) -> bool {
        let place = |block: &Block| (block.trace, block.windows);
        let theirs: Vec<_> = other.held.iter().flatten().map(place).collect();
        let mut mine = self.held.iter().flatten().map(place);
        mine.any(|block| theirs.contains(&block))
    }

    /// Which of two that held at the same times it was: the one that held its rate more evenly.
    fn or(self, bytes: Self, traces: &[Trace]) -> Self {
        let mut sizes = traces.iter().flat_map(Trace::kinds).map(|kind| kind.bytes);
        let first = sizes.next().flatten();
        if first.is_some() && sizes.all(|size| size == first) {
            return Self {
                counts: Counts::Either,
                ..self
            };
        }
        match scatter(&self.held) <= scatter(&bytes.held) {
            true => self,
            false => bytes,
        }
    }
}

fn limit(traces: &[Trace], tokens: Tokens, best: &[(Kind, f64)]) -> Option<Limit> {
    let blocks: Vec<Vec<Block>> = traces
        .iter()
        .enumerate()
        .map(|(number, trace)| segments::blocks(number, trace, tokens, best))
        .collect();
    let near = blocks
        .iter()
        .filter_map(|it| segments::flat_rate(it, f64::INFINITY));
    let near = near.reduce(f64::max)?;
    if segments::is_free_at(&blocks, near) {
        return None;
    }
    let held: Vec<_> = blocks
        .iter()
        .flat_map(|it| segments::held(it, near))
        .collect();
    let all = held.concat();
    if all.is_empty() {
        return None;
    }
    let rate = segments::mean_rate(&all);
    let above = traces.iter().map(|trace| most_above(trace, tokens, rate));
    let burst = above.fold(0.0, f64::max);
    if burst > LONGEST_BURST_S * rate {
        return None;
    }
    Some(Limit::of(traces, tokens, held, burst))
}

impl Limit {
    /// That of the stretches that it held, and of what it lets through at least after a rest.
    pub(crate) fn of(traces: &[Trace], tokens: Tokens, held: Vec<Vec<Block>>, burst: f64) -> Self {
        let all = held.concat();
        let rate = segments::mean_rate(&all);
        let (ios, bytes) = all.iter().fold((0, 0), |(ios, bytes), block| {
            (ios + block.ios, bytes + block.bytes)
        });
        let bursts = depth::bursts(traces, tokens, rate, &held);
        Self {
            tokens,
            counts: match tokens.bytes {
                true => Counts::Bytes,
                false => Counts::Ios,
            },
            rate: rate_figure(&held, rate, ios),
            depth: depth::figure(&bursts, ios),
            burst,
            credits: false,
            io_bytes: bytes as f64 / ios.max(1) as f64,
            held,
        }
    }
}

/// The most that any stretch of a trace let through beyond `rate`: the depth of the shallowest
/// bucket of that rate which would have.
pub(crate) fn most_above(trace: &Trace, tokens: Tokens, rate: f64) -> f64 {
    let (mut above, mut most) = (0.0_f64, 0.0_f64);
    for window in &trace.windows {
        above = (above + tokens.of(window) - rate * window.seconds()).max(0.0);
        most = most.max(above);
    }
    most
}

/// The rate with its limits: the scatter of blocks, and at the ends of a stretch what was in
/// flight, which may count on either side.
fn rate_figure(held: &[Vec<Block>], rate: f64, ios: u64) -> Figure {
    let all = held.concat();
    let seconds: f64 = all.iter().map(|block| block.seconds).sum();
    let ends = held.iter().filter_map(|stretch| stretch.first());
    let ends: f64 = ends
        .map(|block| (block.in_flight + 1.0) * block.tokens / block.ios.max(1) as f64)
        .sum();
    let chance = 2.0 * scatter(held) * rate / (all.len() as f64).sqrt();
    let error = ends / seconds + chance;
    Figure {
        value: Some(rate),
        low: Some(rate - error),
        high: Some(rate + error),
        verdict: Verdict::Measured,
        ios,
        why: format!("flat for {seconds:.0} s while IOs waited"),
    }
}

/// The standard deviation of blocks' rates, as a share of their mean.
pub(crate) fn scatter(held: &[Vec<Block>]) -> f64 {
    let all = held.concat();
    let mean = segments::mean_rate(&all);
    let square = |block: &Block| (block.rate() / mean - 1.0).powi(2);
    let squares: f64 = all.iter().map(square).sum();
    (squares / (all.len().max(2) - 1) as f64).sqrt()
}
