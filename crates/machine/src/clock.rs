//! The real clock.

use std::time::{Duration, Instant};

use blockyard_model::units::Nanos;

/// The time of `CLOCK_MONOTONIC`, as the kernel stamps events with it.
#[must_use]
pub fn monotonic() -> Nanos {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as Nanos * 1_000_000_000 + now.tv_nsec as Nanos
}

/// Time since a run began, the same in all its threads (`CLOCK_MONOTONIC`).
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// A clock that is 0 at this moment.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time now.
    #[inline]
    pub fn now(self) -> Nanos {
        let elapsed = self.0.elapsed();
        elapsed.as_secs() * 1_000_000_000 + Nanos::from(elapsed.subsec_nanos())
    }

    /// Since this clock's 0.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
