//! Stretches of a trace in which a rate stayed flat although IOs waited.

use crate::limits::Tokens;
use crate::trace::{Bin, Kind, Trace, Window, at_rank, merged};

/// The number of blocks in a row that must agree.
const ROW: usize = 5;

/// How far the rates of such blocks may lie apart, as a share.
const FLAT: f64 = 0.02;

/// Blocks whose rate lies so near to a limit's count as held by it.
const NEAR: f64 = 0.015;

/// IOs wait if they take this many times as long as at the best of times. Between that and 1 lie
/// the chance in the median of [`GROUP`] IOs, and slow states of little effect.
const WAITING: f64 = 1.5;

/// IOs surely do not wait if they take less than this factor longer.
const FREE: f64 = 1.2;

/// A limit makes IOs wait only while some are in flight: a closed loop of one IO at a time has 1,
/// less what the application does between two. Storage that rests for more of a second is at no
/// limit, however even the application's own pace.
const BUSY: f64 = 0.9;

/// The IOs of which a median is taken to find the best of times.
const GROUP: u64 = 100;

/// Seconds of a block, if the trace has enough of them.
const BLOCK_S: f64 = 1.0;

/// A stretch of about a second, or of one window if that is longer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// The number of its trace.
    pub(crate) trace: usize,
    /// Its windows: the first, and the one after the last.
    pub(crate) windows: (usize, usize),
    pub(crate) seconds: f64,
    pub(crate) tokens: f64,
    pub(crate) ios: u64,
    pub(crate) bytes: u64,
    /// IOs in flight on average.
    pub(crate) in_flight: f64,
    /// How many times as long as at the best of times its IOs took.
    slowness: f64,
    /// What one IO takes at least.
    grain: f64,
}

impl Block {
    pub(crate) fn rate(&self) -> f64 {
        self.tokens / self.seconds
    }

    /// Whether its IOs waited, for storage that always had some.
    pub(crate) fn waits(&self) -> bool {
        self.slowness >= WAITING && self.is_busy()
    }

    fn is_busy(&self) -> bool {
        self.in_flight >= BUSY
    }

    pub(crate) fn is_near(&self, rate: f64) -> bool {
        (self.rate() - rate).abs() <= NEAR * rate + self.grain / self.seconds
    }
}

/// The median latency of each kind at the best of times, over all traces.
pub(crate) fn best_medians(traces: &[Trace]) -> Vec<(Kind, f64)> {
    let mut kinds: Vec<Kind> = traces.iter().flat_map(Trace::kinds).collect();
    kinds.sort();
    kinds.dedup();
    let best = |kind: &Kind| {
        let medians = traces.iter().flat_map(|trace| medians(trace, *kind));
        Some((*kind, medians.reduce(f64::min)?))
    };
    kinds.iter().filter_map(best).collect()
}

/// The medians of [`GROUP`] or more IOs of a kind in a row.
fn medians(trace: &Trace, kind: Kind) -> Vec<f64> {
    let (mut found, mut group, mut count) = (Vec::new(), Vec::new(), 0);
    for window in &trace.windows {
        for part in window.parts.iter().filter(|part| part.kind == kind) {
            group.extend(&part.bins);
            count += part.bins.iter().map(|bin| bin.count).sum::<u64>();
        }
        if count >= GROUP {
            found.push(median(std::mem::take(&mut group).into_iter(), count));
            count = 0;
        }
    }
    found
}

/// The median of `count` latencies.
pub(crate) fn median<'a>(bins: impl Iterator<Item = &'a Bin>, count: u64) -> f64 {
    at_rank(&merged(bins), count.div_ceil(2)) as f64
}

/// The blocks of trace number `number`, counted in `tokens`.
pub(crate) fn blocks(
    number: usize,
    trace: &Trace,
    tokens: Tokens,
    best: &[(Kind, f64)],
) -> Vec<Block> {
    let total: f64 = trace.windows.iter().map(Window::seconds).sum();
    let length = BLOCK_S.min((total / 20.0).max(0.1)) * 0.999;
    let mut blocks = Vec::new();
    let (mut from, mut seconds) = (0, 0.0);
    for (place, window) in trace.windows.iter().enumerate() {
        seconds += window.seconds();
        if seconds >= length {
            let made = block(trace, from, place + 1, tokens, best);
            blocks.push(Block {
                trace: number,
                ..made
            });
            (from, seconds) = (place + 1, 0.0);
        }
    }
    blocks
}

fn block(trace: &Trace, from: usize, to: usize, tokens: Tokens, best: &[(Kind, f64)]) -> Block {
    let windows = &trace.windows[from..to];
    let parts = windows.iter().flat_map(|window| &window.parts);
    let parts = parts.filter(|part| tokens.applies.to(part.kind.op));
    let (ios, bytes) = parts.fold((0, 0), |(ios, bytes), part| {
        (ios + part.ios, bytes + part.bytes)
    });
    let counted = if tokens.bytes { bytes } else { ios } as f64;
    let seconds: f64 = windows.iter().map(Window::seconds).sum();
    let waited = windows.iter().map(|it| it.in_flight() * it.seconds());
    Block {
        trace: 0,
        windows: (from, to),
        seconds,
        tokens: counted,
        ios,
        bytes,
        in_flight: waited.sum::<f64>() / seconds,
        slowness: slowness(trace, from, to, tokens, best),
        grain: counted / ios.max(1) as f64,
    }
}

/// How many times as long as at the best of times the IOs took that a limit is for.
fn slowness(trace: &Trace, from: usize, to: usize, tokens: Tokens, best: &[(Kind, f64)]) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for (kind, best) in best.iter().filter(|(kind, _)| tokens.applies.to(kind.op)) {
        let parts = trace.windows[from..to].iter().flat_map(|it| &it.parts);
        let bins = parts
            .filter(|part| part.kind == *kind)
            .flat_map(|part| &part.bins);
        let count: u64 = bins.clone().map(|bin| bin.count).sum();
        if count > 0 {
            sum += count as f64 * median(bins, count) / best.max(1.0);
            all += count as f64;
        }
    }
    if all > 0.0 { sum / all } else { 0.0 }
}

/// The highest rate below another that stayed flat in some trace while IOs waited.
pub(crate) fn flat_rate(blocks: &[Block], below: f64) -> Option<f64> {
    let waiting = |row: &&[Block]| is_flat(row) && row.iter().all(Block::waits);
    let rates = blocks.windows(ROW).filter(waiting).map(mean_rate);
    rates.filter(|rate| *rate < below).reduce(f64::max)
}

/// Whether IOs did not wait at that rate for as long: then it is what was asked for, as in an
/// open loop, and what made IOs wait at other times was no limit. Fewer are in flight then; of a
/// size that always waited it is not known how long it takes.
pub(crate) fn is_free_at(blocks: &[Vec<Block>], rate: f64) -> bool {
    let all = blocks.iter().flatten().filter(|block| block.is_near(rate));
    let waiting = all.filter(|block| block.waits());
    let in_flight = waiting.map(|block| block.in_flight).reduce(f64::min);
    let in_flight = in_flight.unwrap_or(f64::INFINITY);
    let is_free = |block: &Block| {
        block.is_near(rate) && block.slowness < FREE && block.in_flight * FREE < in_flight
    };
    let mut rows = blocks.iter().flat_map(|it| it.windows(ROW));
    rows.any(|row| row.iter().all(is_free))
}

/// The stretches that `rate` held, without their first and last block, in which something else
/// may have ruled in part.
pub(crate) fn held(blocks: &[Block], rate: f64) -> Vec<Vec<Block>> {
    let mut near = vec![false; blocks.len()];
    for (place, row) in blocks.windows(ROW).enumerate() {
        let at_rate = |block: &Block| block.is_near(rate) && block.is_busy();
        if is_flat(row) && row.iter().all(at_rate) {
            near[place..place + ROW].fill(true);
        }
    }
    let mut found = Vec::new();
    let mut from = 0;
    for place in 0..=near.len() {
        if !near.get(place).copied().unwrap_or(false) {
            if place - from >= ROW {
                found.push(blocks[from + 1..place - 1].to_vec());
            }
            from = place + 1;
        }
    }
    found
}

/// The rate of several blocks together.
pub(crate) fn mean_rate(blocks: &[Block]) -> f64 {
    let seconds: f64 = blocks.iter().map(|block| block.seconds).sum();
    blocks.iter().map(|block| block.tokens).sum::<f64>() / seconds
}

fn is_flat(row: &[Block]) -> bool {
    let mean = mean_rate(row);
    let rates = row.iter().map(Block::rate);
    let most = rates.clone().fold(0.0, f64::max);
    let least = rates.fold(f64::INFINITY, f64::min);
    let grain = row
        .iter()
        .map(|it| it.grain / it.seconds)
        .fold(0.0, f64::max);
    mean > 0.0 && most - least <= FLAT * mean + 2.0 * grain
}
