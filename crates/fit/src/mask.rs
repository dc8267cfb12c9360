//! Which windows no limit had a part in.

use crate::limits::Limit;
use crate::trace::Trace;

/// A bucket with less than this share of its depth is taken for empty.
const EMPTY: f64 = 0.05;

/// The bucket is taken to fill a little more slowly than was measured, so that an error of its
/// rate cannot fill it while it is empty.
const SLOWER: f64 = 0.99;

/// For each window of a trace, whether all of `limits` had tokens throughout.
pub(crate) fn untouched(trace: &Trace, limits: &[Limit]) -> Vec<bool> {
    let mut clear = vec![true; trace.windows.len()];
    for limit in limits {
        mark(trace, limit, &mut clear);
    }
    clear
}

fn mark(trace: &Trace, limit: &Limit, clear: &mut [bool]) {
    let rate = limit.rate.value.unwrap_or(0.0) * SLOWER;
    // From a measured rate the bucket was not seen to hold more than this.
    let depth = limit.burst.max(1.0);
    let mut level = depth;
    for (window, clear) in trace.windows.iter().zip(clear) {
        let in_flight = window.in_flight() * limit.tokens.grain(window);
        let empty = (EMPTY * depth).max(in_flight);
        let before = level;
        let flow = rate * window.seconds() - limit.tokens.of(window);
        level = (level + flow).clamp(0.0, depth);
        if before <= empty || level <= empty {
            *clear = false;
        }
    }
}
