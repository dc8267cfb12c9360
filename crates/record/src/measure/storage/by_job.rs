//! How long the IOs of each job were held by something.

use blockyard_model::units::Nanos;

use crate::measure::shape::JobShape;
use crate::result::{Held, seconds};

/// By job: how long its IOs were held, before they were issued and after.
#[derive(Clone, Debug)]
pub(crate) struct ByJob {
    /// After they were issued.
    pub(crate) in_flight: Vec<Nanos>,
    /// The same of the running interval.
    pub(crate) in_interval: Vec<Nanos>,
    /// Before they were issued.
    pub(crate) lags: Vec<u128>,
}

impl ByJob {
    pub(crate) fn new(jobs: usize) -> Self {
        Self {
            in_flight: vec![0; jobs],
            in_interval: vec![0; jobs],
            lags: vec![0; jobs],
        }
    }

    /// IOs of `job` were held for `time`.
    pub(crate) fn add(&mut self, job: usize, time: Nanos) {
        self.in_flight[job] += time;
        self.in_interval[job] += time;
    }

    /// An interval ended in which all things held IOs of `job` for `all`, and in which it waited
    /// for `lag` before it issued them: its part of that belongs here.
    pub(crate) fn end_interval(&mut self, job: usize, lag: u128, all: u128) {
        let own = u128::from(std::mem::take(&mut self.in_interval[job]));
        if own > 0 && lag > 0 {
            self.lags[job] += share_of(lag, own, all);
        }
    }

    /// In seconds: how long IOs of `job` were held in flight, and before they were issued.
    pub(crate) fn seconds(&self, job: usize) -> (f64, f64) {
        (seconds(self.in_flight[job]), self.lags[job] as f64 / 1e9)
    }

    /// The jobs that were held, for results.
    pub(crate) fn held(&self, jobs: &[JobShape]) -> Vec<Held> {
        let each = jobs.iter().enumerate().map(|(number, job)| {
            let (waited_s, lag_s) = self.seconds(number);
            Held {
                job: job.name.clone(),
                waited_s,
                lag_s,
            }
        });
        each.filter(|held| held.waited_s + held.lag_s > 0.0)
            .collect()
    }
}

/// The share of `amount` that `part` is of `whole`, to a thousand-millionth: so no product of
/// two sums of an interval overflows.
fn share_of(amount: u128, part: u128, whole: u128) -> u128 {
    const PARTS: u128 = 1_000_000_000;
    amount / PARTS * (part * PARTS / whole) + amount % PARTS * (part * PARTS / whole) / PARTS
}
