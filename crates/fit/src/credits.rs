//! The baseline that used-up credits leave: a rate that held although IOs waited, after much more
//! had gone through.
//!
//! A slow state looks alike where as many IOs wait all the time. What tells them apart: a limit
//! lets through the same in each second, where latencies leave it to chance, and until something
//! rests it never lets through more again.

use crate::limits::{LONGEST_BURST_S, Limit, Tokens, most_above, scatter};
use crate::segments::{self, Block};
use crate::trace::{Kind, Trace};

/// Below this share of another limit's rate it is another limit.
const BELOW: f64 = 0.9;

/// How far a limit's seconds differ at most, as a share of what chance would make of the same
/// number of IOs that came one by one.
const EVEN: f64 = 0.15;

/// IOs at an interval's ends count on either side, which is no chance of the rate.
const ENDS: f64 = 0.75;

/// The share of the waiting seconds that are at the rate, from when it first held. Chance leaves
/// fewer so near to it, and those that it does would look even.
const MOST: f64 = 0.9;

/// The rate is known no better than this share.
const EXACT: f64 = 0.005;

/// The baseline below the rate of another limit; none if none was seen.
pub(crate) fn baseline(
    traces: &[Trace],
    tokens: Tokens,
    best: &[(Kind, f64)],
    other: f64,
) -> Option<Limit> {
    let of = |(number, trace)| segments::blocks(number, trace, tokens, best);
    let blocks: Vec<Vec<Block>> = traces.iter().enumerate().map(of).collect();
    let near = blocks
        .iter()
        .filter_map(|it| segments::flat_rate(it, BELOW * other));
    let near = near.reduce(f64::max)?;
    if segments::is_free_at(&blocks, near) {
        return None;
    }
    let held = blocks.iter().map(|it| segments::held(it, near));
    let held: Vec<Vec<Block>> = held
        .zip(&blocks)
        .zip(traces)
        .filter(|((held, blocks), trace)| used_up(trace, tokens, held) && rules(near, held, blocks))
        .flat_map(|((held, _), _)| held)
        .collect();
    if held.is_empty() || !is_even(&held) {
        return None;
    }
    let rate = segments::mean_rate(&held.concat());
    let above = traces.iter().map(|trace| most_above(trace, tokens, rate));
    let mut limit = Limit::of(traces, tokens, held, above.fold(0.0, f64::max));
    limit.rate.why += ", once credits were used up";
    limit.credits = true;
    Some(limit)
}

/// Whether much more went through before the first of these stretches, and from then on never more
/// than flowed in.
fn used_up(trace: &Trace, tokens: Tokens, held: &[Vec<Block>]) -> bool {
    let Some(first) = held.first().and_then(|stretch| stretch.first()) else {
        return false;
    };
    let rate = segments::mean_rate(&held.concat());
    let (before, after) = trace.windows.split_at(first.windows.0);
    let beyond = |windows: &[crate::trace::Window]| {
        let each = windows.iter();
        each.map(|it| tokens.of(it) - rate * it.seconds())
            .sum::<f64>()
    };
    let (mut sum, mut seconds) = (0.0, 0.0);
    let stays = after.iter().all(|window| {
        sum += tokens.of(window) - rate * window.seconds();
        seconds += window.seconds();
        sum <= rate * (EXACT * seconds + 1.0)
    });
    stays && beyond(before) > LONGEST_BURST_S * rate
}

/// Whether IOs waited at this rate and hardly any other, from when it first held.
fn rules(rate: f64, held: &[Vec<Block>], blocks: &[Block]) -> bool {
    let first = held.first().and_then(|stretch| stretch.first());
    let from = first.map_or(0, |block| block.windows.0);
    let after = blocks.iter().filter(|block| block.windows.0 >= from);
    let waited: Vec<&Block> = after.filter(|block| block.waits()).collect();
    let near = waited.iter().filter(|block| block.is_near(rate)).count();
    near as f64 >= MOST * waited.len() as f64
}

/// Whether the rate differs less from second to second than by chance.
fn is_even(held: &[Vec<Block>]) -> bool {
    let all = held.concat();
    let ios: u64 = all.iter().map(|block| block.ios).sum();
    let ios = ios as f64 / all.len() as f64;
    scatter(held) * ios <= EVEN * ios.sqrt() + ENDS
}
