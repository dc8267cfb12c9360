//! `ranread` and `access_spec`: IOs of one size at random or sequential places.

mod closed;
mod open;
mod places;
mod skew;

use self::closed::Closed;
use self::open::Open;
use super::spec::{AccessSpec, Load};
use super::{Backlog, Issue, Lane, Part};
use crate::units::{Bytes, Nanos};

/// An access job in one of its two loops.
#[derive(Clone, Debug)]
pub enum Access {
    /// The next IO waits for an earlier one.
    Closed(Closed),
    /// The next IO waits for the clock.
    Open(Open),
}

impl Access {
    pub(super) fn new(spec: &AccessSpec, job: u16, seed: u64, part: Part) -> Self {
        match &spec.load {
            Load::Closed { steps, outstanding } => {
                Self::Closed(Closed::new(spec, steps, *outstanding, (job, seed, part)))
            }
            Load::Open {
                steps,
                arrivals,
                max_outstanding,
                latency_limit,
            } => Self::Open(Open::new(
                spec,
                steps,
                *arrivals,
                (*max_outstanding, *latency_limit),
                job,
                seed,
            )),
        }
    }

    pub(super) fn lanes(&self) -> u32 {
        match self {
            Self::Closed(closed) => closed.lanes(),
            Self::Open(open) => open.lanes(),
        }
    }

    /// The last lane is an alarm in both loops.
    pub(super) fn largest_io(&self, lane: Lane) -> Bytes {
        if lane + 1 == self.lanes() {
            return 0;
        }
        match self {
            Self::Closed(closed) => closed.block(),
            Self::Open(open) => open.block(),
        }
    }

    pub(super) fn start(&mut self, issue: &mut impl Issue) {
        match self {
            Self::Closed(closed) => closed.step(0, issue),
            Self::Open(open) => open.pump(0, issue),
        }
    }

    #[inline]
    pub(super) fn completed(&mut self, now: Nanos, lane: Lane, issue: &mut impl Issue) {
        match self {
            Self::Closed(closed) => closed.completed(now, lane, issue),
            Self::Open(open) => open.completed(now, lane, issue),
        }
    }

    pub(super) fn woken(&mut self, now: Nanos, _lane: Lane, issue: &mut impl Issue) {
        match self {
            Self::Closed(closed) => closed.step(now, issue),
            Self::Open(open) => open.pump(now, issue),
        }
    }

    pub(super) fn backlog(&self, now: Nanos) -> Option<Backlog> {
        match self {
            Self::Closed(_) => None,
            Self::Open(open) => Some(open.backlog(now)),
        }
    }
}
