//! A slow state: times in which all latencies are longer by one factor.
//!
//! A hidden Markov model of two states over stretches of 100 IOs or more, each with the
//! logarithm of its median latency, normal in either state; Baum and Welch's algorithm. It is
//! accepted only where it describes the stretches better than one state does, by Schwarz's
//! criterion.

mod markov;

use schemars::JsonSchema;
use serde::Serialize;

use self::markov::{Chain, Markov};
use crate::segments::median;
use crate::trace::{Bin, Kind, Trace};

/// IOs of a stretch at least.
const STRETCH: u64 = 100;

/// By so much Schwarz's criterion must prefer two states: "very strong" after Kass and Raftery,
/// Journal of the American Statistical Association 90 (1995).
const EVIDENCE: f64 = 10.0;

/// A factor below this is no state of its own.
const LEAST_TIMES: f64 = 1.15;

/// A state lasts for at least this number of intervals; what is shorter belongs to the tail.
const LEAST_STAY: f64 = 3.0;

/// Rates that differ by less than this factor are alike.
const MORE: f64 = 1.1;

/// A stretch with a probability between this and its complement is of neither state.
const SURE: f64 = 0.01;

/// A slow state that was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SlowFit {
    /// By what its latencies are multiplied.
    pub times: f64,
    /// The limits of `times`, with a confidence of 95 %.
    pub within: (f64, f64),
    /// The mean time between slow states, in seconds.
    pub normal_s: f64,
    /// The mean time of a slow state, in seconds.
    pub slow_s: f64,
    /// How many there were.
    pub visits: u64,
}

/// What was found, and where.
#[derive(Clone, Debug, Default)]
pub(crate) struct States {
    pub(crate) slow: Option<SlowFit>,
    /// Whether latencies were longer where more was done, which is no state: the storage was
    /// loaded.
    pub(crate) loaded: bool,
    /// Intervals that were examined.
    pub(crate) stretches: usize,
    pub(crate) seconds: f64,
}

/// Windows in a row, and what was measured in them.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    windows: (usize, usize),
    seconds: f64,
    ios: u64,
    /// The logarithm of the median latency, against that of all.
    level: f64,
}

/// Looks for a slow state in the windows that are `clear`, and takes it out of these.
pub(crate) fn find(traces: &[Trace], clear: &mut [Vec<bool>]) -> States {
    let usual = usual(traces, clear);
    let chains: Vec<(usize, Vec<Stretch>)> = traces
        .iter()
        .zip(clear.iter())
        .enumerate()
        .flat_map(|(number, (trace, clear))| {
            let chains = chains(trace, clear, &usual);
            chains.into_iter().map(move |chain| (number, chain))
        })
        .collect();
    let all = || chains.iter().flat_map(|(_, chain)| chain);
    let seconds: f64 = all().map(|it| it.seconds).sum();
    let mut found = States {
        slow: None,
        loaded: false,
        stretches: all().count(),
        seconds,
    };
    let levels: Vec<Chain> = chains
        .iter()
        .map(|(_, chain)| chain.iter().map(|it| it.level).collect())
        .collect();
    if let Some(markov) = Markov::fit(&levels)
        && accepted(&markov)
    {
        let shares = markov.shares(&levels);
        found.loaded = is_load(all().zip(shares.iter().flatten()));
        if !found.loaded {
            found.slow = Some(slow(&markov, &levels, &shares, seconds));
        }
        for ((number, chain), shares) in chains.iter().zip(&shares) {
            take_out(&mut clear[*number], chain, shares);
        }
    }
    found
}

fn accepted(markov: &Markov) -> bool {
    markov.evidence > EVIDENCE
        && markov.ratio() >= LEAST_TIMES
        && markov.leave.iter().all(|leave| leave * LEAST_STAY <= 1.0)
}

/// Whether more was done in the state of long latencies than in the other. Where a slow state
/// makes IOs take longer, a closed loop does fewer and an open one as many.
fn is_load<'a>(stretches: impl Iterator<Item = (&'a Stretch, &'a f64)>) -> bool {
    let (mut ios, mut seconds) = ([0.0; 2], [0.0; 2]);
    for (stretch, share) in stretches {
        let state = usize::from(*share > 0.5);
        ios[state] += stretch.ios as f64;
        seconds[state] += stretch.seconds;
    }
    ios[1] * seconds[0] > MORE * ios[0] * seconds[1]
}

fn slow(markov: &Markov, levels: &[Chain], shares: &[Chain], seconds: f64) -> SlowFit {
    let stretch_s = seconds / levels.iter().map(Vec::len).sum::<usize>() as f64;
    let is_slow = |share: &f64| *share > 0.5;
    let visits: usize = shares
        .iter()
        .map(|chain| chain.chunk_by(|a, b| is_slow(a) == is_slow(b)))
        .map(|runs| runs.filter(|run| is_slow(&run[0])).count())
        .sum();
    let (times, error) = factor(levels, shares).unwrap_or((markov.ratio(), 1.0));
    SlowFit {
        times,
        within: (times / error, times * error),
        // A state that was never left may last for any time; no more than all is known.
        normal_s: (stretch_s / markov.leave[0]).min(seconds),
        slow_s: (stretch_s / markov.leave[1]).min(seconds),
        visits: visits as u64,
    }
}

/// By what latencies are multiplied, and the factor by which that may be off: from stretches that
/// are surely of one state, as their neighbours are. A stretch with a change in it is of both.
fn factor(levels: &[Chain], shares: &[Chain]) -> Option<(f64, f64)> {
    let mut of: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for (levels, shares) in levels.iter().zip(shares) {
        for (near, level) in shares.windows(3).zip(&levels[1..]) {
            if near.iter().all(|share| *share <= SURE) {
                of[0].push(*level);
            } else if near.iter().all(|share| *share >= 1.0 - SURE) {
                of[1].push(*level);
            }
        }
    }
    let [normal, slow] = of.map(|levels| mean(&levels));
    let ((normal, a), (slow, b)) = (normal?, slow?);
    Some(((slow - normal).exp(), (1.96 * (a + b).sqrt()).exp()))
}

/// The mean and the square of its standard error.
fn mean(levels: &[f64]) -> Option<(f64, f64)> {
    let count = levels.len() as f64;
    let mean = levels.iter().sum::<f64>() / count;
    let squares: f64 = levels.iter().map(|level| (level - mean).powi(2)).sum();
    (levels.len() > 1).then(|| (mean, squares / count / (count - 1.0)))
}

/// Leaves the windows of the normal state alone: not those of the slow one, nor those next to
/// a change.
fn take_out(clear: &mut [bool], chain: &[Stretch], shares: &[f64]) {
    for place in 0..chain.len() {
        let near = place.saturating_sub(1)..=(place + 1).min(chain.len() - 1);
        if shares[near].iter().any(|share| *share > SURE) {
            let (from, to) = chain[place].windows;
            clear[from..to].fill(false);
        }
    }
}

/// The median of each kind over all windows that are clear.
fn usual(traces: &[Trace], clear: &[Vec<bool>]) -> Vec<(Kind, f64)> {
    let mut kinds: Vec<Kind> = traces.iter().flat_map(Trace::kinds).collect();
    kinds.sort();
    kinds.dedup();
    kinds.retain(|kind| kind.bytes.is_some());
    let of = |kind: &Kind| {
        let bins: Vec<&Bin> = traces
            .iter()
            .zip(clear)
            .flat_map(|(trace, clear)| trace.clear_bins(clear, *kind))
            .collect();
        let count = bins.iter().map(|bin| bin.count).sum();
        (count > 0).then(|| (*kind, median(bins.into_iter(), count)))
    };
    kinds.iter().filter_map(of).collect()
}

/// The stretches of each run of clear windows.
fn chains(trace: &Trace, clear: &[bool], usual: &[(Kind, f64)]) -> Vec<Vec<Stretch>> {
    let (mut chains, mut chain) = (Vec::new(), Vec::new());
    let (mut from, mut count) = (0, 0);
    for place in 0..=trace.windows.len() {
        if !clear.get(place).copied().unwrap_or(false) {
            if !chain.is_empty() {
                chains.push(std::mem::take(&mut chain));
            }
            (from, count) = (place + 1, 0);
            continue;
        }
        let parts = &trace.windows[place].parts;
        count += parts
            .iter()
            .filter(|part| !part.bins.is_empty() && part.kind.bytes.is_some())
            .map(|part| part.ios)
            .sum::<u64>();
        if count >= STRETCH {
            chain.push(stretch(trace, from, place + 1, usual));
            (from, count) = (place + 1, 0);
        }
    }
    chains
}

fn stretch(trace: &Trace, from: usize, to: usize, usual: &[(Kind, f64)]) -> Stretch {
    let windows = &trace.windows[from..to];
    let (mut sum, mut all) = (0.0, 0.0);
    for (kind, usual) in usual {
        let parts = windows.iter().flat_map(|window| &window.parts);
        let parts = parts.filter(|part| part.kind == *kind);
        let bins = parts.flat_map(|part| &part.bins);
        let count: u64 = bins.clone().map(|bin| bin.count).sum();
        if count > 0 {
            let level = (median(bins, count).max(1.0) / usual.max(1.0)).ln();
            sum += level * count as f64;
            all += count as f64;
        }
    }
    Stretch {
        windows: (from, to),
        seconds: windows.iter().map(crate::Window::seconds).sum(),
        ios: windows.iter().map(crate::Window::ios).sum(),
        level: if all > 0.0 { sum / all } else { 0.0 },
    }
}
