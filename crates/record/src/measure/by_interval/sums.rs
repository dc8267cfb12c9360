//! Sums over the intervals of a run.

use blockyard_model::by_interval::{OfJob, Waiting};
use blockyard_model::units::{Nanos, SECOND};

use crate::measure::shortfall::{Point, Stretch};

/// Whole numbers of an amount that flows: what is left of one goes into the next, so that their
/// sum is that of the flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    all: f64,
    given: u64,
}

impl Whole {
    pub(super) fn next(&mut self, amount: f64) -> u64 {
        self.all += amount;
        let next = (self.all.round() as u64).saturating_sub(self.given);
        self.given += next;
        next
    }
}

/// What waited for a limit.
#[derive(Clone, Debug)]
pub(super) struct OfLimit {
    /// Job by job.
    pub(super) jobs: Vec<Waiting>,
    pub(super) held: Nanos,
}

impl OfLimit {
    pub(super) fn new(jobs: usize) -> Self {
        Self {
            jobs: vec![Waiting::default(); jobs],
            held: 0,
        }
    }

    pub(super) fn add(&mut self, waiting: &[Waiting], held: Nanos) {
        self.held += held;
        for (sum, one) in self.jobs.iter_mut().zip(waiting) {
            sum.ios += one.ios;
            sum.in_flight_s += one.in_flight_s;
            sum.behind_s += one.behind_s;
        }
    }

    /// IOs that waited, and for how long in flight and before, in seconds.
    pub(super) fn sum(&self) -> Waiting {
        let all = self.jobs.iter();
        all.fold(Waiting::default(), |sum, one| Waiting {
            ios: sum.ios + one.ios,
            in_flight_s: sum.in_flight_s + one.in_flight_s,
            behind_s: sum.behind_s + one.behind_s,
        })
    }
}

/// What came due of a job, and what was served of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Offered {
    pub(super) came: f64,
    pub(super) served: f64,
    pub(super) queued: f64,
    pub(super) behind: Stretch,
}

impl Offered {
    /// An interval ended at `end`.
    pub(super) fn add(&mut self, end: Nanos, job: &OfJob) {
        self.came += job.came;
        self.served += job.ios.iter().sum::<f64>();
        self.queued = job.queued;
        self.behind.add(Point {
            time: end,
            due: (self.came * SECOND as f64) as u128,
            served: self.served.round() as u64,
            failed: 0,
            unserved: 0,
        });
    }
}
