//! What this machine itself adds to a request: measured at the start, by
//! requests that take the whole way and are held for a known time.

use std::time::Duration;

use blockyard_model::units::{MICROSECOND, Nanos};

/// How long each is held: as long as storage in a cloud takes, so that the
/// machine sleeps and wakes as it will.
pub(crate) const HOLD: Nanos = 400 * MICROSECOND;

/// Requests that are timed.
pub(crate) const ROUNDS: usize = 101;

/// One request in so many took less than what is taken off.
const FASTEST: usize = 10;

/// What is left of `times`, which requests took, without the time held: the tenth percentile.
///
/// This is taken off the model's times of all requests, so it is what nearly all of them take. An
/// answer that the machine delays further is late and counted as such; one that had more taken
/// off than it took would be early, which nobody sees. On a busy machine most requests wait for a
/// processor, some not, and the median would be the wait.
pub(crate) fn overhead(mut times: Vec<Duration>) -> Nanos {
    times.sort_unstable();
    let fast = times.get(times.len() / FASTEST).copied();
    (fast.unwrap_or_default().as_nanos() as Nanos).saturating_sub(HOLD)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The overhead of requests that took so many microseconds beyond the time held.
    fn of(own_us: impl Iterator<Item = u64>) -> Nanos {
        let took = own_us.map(|own| Duration::from_nanos(HOLD + own * MICROSECOND));
        overhead(took.collect())
    }

    #[test]
    fn a_steady_machine_adds_what_it_adds() {
        assert_eq!(of((0..101).map(|_| 70)), 70 * MICROSECOND);
    }

    /// Most requests wait for a processor for milliseconds; no answer may be early by that.
    #[test]
    fn waits_of_a_busy_machine_are_no_overhead() {
        let busy = |nth: u64| {
            if nth.is_multiple_of(5) {
                70 + nth / 10
            } else {
                3_000 + 10 * nth
            }
        };
        let found = of((0..101).map(busy));
        assert!(
            (70 * MICROSECOND..80 * MICROSECOND).contains(&found),
            "{found}"
        );
        // One that was lucky does not decide either.
        let lucky = |nth: u64| if nth < 3 { 1 } else { 70 };
        assert_eq!(of((0..101).map(lucky)), 70 * MICROSECOND);
    }

    #[test]
    fn nothing_is_taken_off_for_nothing() {
        assert_eq!(overhead(Vec::new()), 0);
        assert_eq!(overhead(vec![Duration::from_nanos(HOLD / 2)]), 0);
    }
}
