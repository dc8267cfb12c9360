//! What this machine itself adds to a request: measured at the start, by
//! requests that take the whole way and are held for a known time.

use std::time::Duration;

use blockyard_model::units::{MICROSECOND, Nanos};

/// How long each is held: as long as storage in a cloud takes, so that the
/// machine sleeps and wakes as it will.
pub(crate) const HOLD: Nanos = 400 * MICROSECOND;

/// Requests that are timed.
pub(crate) const ROUNDS: usize = 101;

/// What is left of `times`, which requests took, without the time held: the
/// median, which a machine that is busy for a moment does not move.
pub(crate) fn overhead(mut times: Vec<Duration>) -> Nanos {
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    (median.as_nanos() as Nanos).saturating_sub(HOLD)
}
