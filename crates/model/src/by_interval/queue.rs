//! A job's IOs that have come due and were not served: what waits, and since when.
//!
//! Nothing is stored but how many came and how many are done: when the next one came due follows
//! from the job's schedule.

use super::allocation::{Asking, Granted};
use super::costs::Costs;
use super::schedule::{Schedule, seconds};
use crate::units::{Bytes, Nanos, SECOND};
use crate::workload::spec::DemandSpec;

/// What is less of an IO is none: sums of a year's IOs are no more exact.
const NOTHING: f64 = 1e-3;

/// IOs a second of a queue that no limit holds: one a nanosecond.
const AT_ONCE: f64 = SECOND as f64;

#[derive(Debug)]
pub(super) struct Queue {
    schedule: Schedule,
    window: f64,
    /// The step in which IOs come due now, and the one in which those came due that are served.
    arriving: usize,
    serving: usize,
    /// IOs served so far.
    done: f64,
}

/// What was served of a job in some time.
#[derive(Debug)]
pub(super) struct Passed<'a> {
    pub(super) ios: f64,
    /// The share of reads.
    pub(super) reads: f64,
    pub(super) size: Bytes,
    pub(super) costs: &'a Costs,
    pub(super) lasts: Nanos,
    /// How long each of them had waited in the job's queue on average, in seconds.
    pub(super) wait_s: f64,
    /// IOs that came due meanwhile.
    pub(super) came: f64,
    /// IOs that waited on average: in flight, and for their turn to be.
    pub(super) in_flight: f64,
    pub(super) behind: f64,
}

impl Queue {
    /// The queue of a job at time 0; `costs_of` gives what an IO of a size takes.
    pub(super) fn new(spec: &DemandSpec, costs_of: impl Fn(Bytes) -> Costs) -> Self {
        Self {
            schedule: Schedule::new(&spec.steps, costs_of),
            window: spec.max_outstanding.into(),
            arriving: 0,
            serving: 0,
            done: 0.0,
        }
    }

    /// When its IOs come due.
    pub(super) fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// What it asks for at `now`.
    pub(super) fn look(&mut self, now: Nanos) -> Asking {
        while self.next_step().is_some_and(|from| from <= now) {
            self.arriving += 1;
        }
        if self.backlog(now) <= NOTHING {
            self.done = self.came(now);
            self.serving = self.arriving;
        }
        while self.serving < self.arriving
            && self.done >= self.schedule.step(self.serving + 1).before - NOTHING
        {
            self.serving += 1;
            self.done = self.done.max(self.schedule.step(self.serving).before);
        }
        let step = self.schedule.step(self.serving);
        let mixed = |each: [f64; 2]| each[0] * step.reads + each[1] * (1.0 - step.reads);
        let own = self.schedule.costs(step);
        let costs = own.limits.iter();
        Asking {
            rate: match self.backlog(now) > NOTHING {
                true => AT_ONCE,
                false => step.per_s,
            },
            window: self.window,
            reads: step.reads,
            ios: own.volumes.iter().map(|own| own.ios).sum(),
            ways: own.ways.clone(),
            costs: costs.map(|&(limit, each)| (limit, mixed(each))).collect(),
        }
    }

    /// For how long after `now` it asks for the same if it is served at `rate`.
    pub(super) fn constant_for(&self, now: Nanos, rate: f64) -> Nanos {
        let arrivals = self.next_step().map_or(Nanos::MAX, |from| from - now);
        let backlog = self.backlog(now);
        if backlog <= NOTHING {
            return arrivals;
        }
        let (left, falls) = match self.serving < self.arriving {
            true => (
                self.schedule.step(self.serving + 1).before - self.done,
                rate,
            ),
            false => (backlog, rate - self.schedule.step(self.serving).per_s),
        };
        if falls <= 0.0 {
            return arrivals;
        }
        // Rounded up, so that nothing of it is left.
        arrivals.min((left / falls * SECOND as f64) as Nanos + 1)
    }

    /// It is served for `lasts` from `now` on.
    pub(super) fn pass(&mut self, now: Nanos, lasts: Nanos, granted: &Granted) -> Passed<'_> {
        let step = self.schedule.step(self.serving);
        let (start, end) = (now, now + lasts);
        let (came, before) = (self.came(end), self.backlog(start));
        let keeps_up = before <= NOTHING && granted.limits.is_empty();
        let most = match self.serving < self.arriving {
            true => self.schedule.step(self.serving + 1).before,
            false => came,
        };
        let done = match keeps_up {
            true => came,
            false => (self.done + granted.rate * seconds(lasts)).min(most),
        };
        let ios = (done - self.done).max(0.0);
        let wait_s = match keeps_up {
            true => 0.0,
            false => {
                let waited = |at: Nanos, done| (seconds(at) - step.due_s(done)).max(0.0);
                (waited(start, self.done) + waited(end, done)) / 2.0
            }
        };
        let came_meanwhile = came - self.came(start);
        self.done = self.done.max(done);
        let waiting = if keeps_up {
            0.0
        } else {
            (before + self.backlog(end)) / 2.0
        };
        let in_flight = waiting.min(self.window);
        Passed {
            ios,
            reads: step.reads,
            size: step.size,
            costs: self.schedule.costs(step),
            lasts,
            wait_s,
            came: came_meanwhile,
            in_flight,
            behind: waiting - in_flight,
        }
    }

    /// IOs that wait at `now`.
    pub(super) fn backlog(&self, now: Nanos) -> f64 {
        (self.came(now) - self.done).max(0.0)
    }

    /// Those of them that are in flight.
    pub(super) fn in_flight(&self, now: Nanos) -> f64 {
        self.backlog(now).min(self.window)
    }

    /// IOs that have come due by `now`, which is in the arriving step or at its end.
    fn came(&self, now: Nanos) -> f64 {
        self.schedule.step(self.arriving).came(now)
    }

    fn next_step(&self) -> Option<Nanos> {
        self.schedule.begin(self.arriving + 1)
    }
}
