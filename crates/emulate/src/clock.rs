//! The real clock.

use std::time::Instant;

use blockyard_model::units::Nanos;

/// Time since the service began, the same in all its threads
/// (`CLOCK_MONOTONIC`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    /// A clock that is 0 at this moment.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// The time now.
    #[inline]
    pub(crate) fn now(self) -> Nanos {
        let elapsed = self.0.elapsed();
        elapsed.as_secs() * 1_000_000_000 + Nanos::from(elapsed.subsec_nanos())
    }
}
