//! When a job's IOs come due, and what each of them takes.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::costs::Costs;
use crate::units::{Bytes, Nanos, SECOND};
use crate::workload::spec::DemandStep;

#[derive(Debug)]
pub(super) struct Schedule {
    steps: Vec<Step>,
    costs: Vec<Costs>,
}

/// A stretch of even demand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) from: Nanos,
    pub(super) per_s: f64,
    /// The share of reads.
    pub(super) reads: f64,
    pub(super) size: Bytes,
    /// IOs that came due before it.
    pub(super) before: f64,
    /// Its place in the costs.
    costs: usize,
}

impl Schedule {
    /// `costs_of` gives what an IO of a size takes.
    pub(super) fn new(spec: &[DemandStep], costs_of: impl Fn(Bytes) -> Costs) -> Self {
        let mut known = BTreeMap::new();
        let mut costs = Vec::new();
        let mut before = 0.0;
        let mut steps: Vec<Step> = Vec::with_capacity(spec.len());
        for step in spec {
            if let Some(last) = steps.last() {
                before += last.per_s * seconds(step.from - last.from);
            }
            let place = *known.entry(step.size).or_insert_with(|| {
                costs.push(costs_of(step.size));
                costs.len() - 1
            });
            let all = (step.reads + step.writes).max(1);
            steps.push(Step {
                from: step.from,
                per_s: step.per_s(),
                reads: step.reads as f64 / all as f64,
                size: step.size,
                before,
                costs: place,
            });
        }
        Self { steps, costs }
    }

    /// The step of this number.
    pub(super) fn step(&self, number: usize) -> Step {
        self.steps[number]
    }

    /// When that begins; none if there is no such step.
    pub(super) fn begin(&self, number: usize) -> Option<Nanos> {
        self.steps.get(number).map(|step| step.from)
    }

    /// What an IO of a step takes.
    pub(super) fn costs(&self, step: Step) -> &Costs {
        &self.costs[step.costs]
    }

    /// When its steps begin.
    pub(super) fn begins(&self) -> impl Iterator<Item = Nanos> {
        self.steps.iter().map(|step| step.from)
    }

    /// IOs that come due a second at some time, and what each takes; none before the first.
    pub(super) fn due(&self, at: Nanos) -> Option<(f64, &Costs)> {
        let begun = self.steps.partition_point(|step| step.from <= at);
        let step = self.steps[..begun].last()?;
        Some((step.per_s, self.costs(*step)))
    }
}

impl Step {
    /// IOs that have come due by `now`, which is in it or at its end.
    pub(super) fn came(&self, now: Nanos) -> f64 {
        self.before + self.per_s * seconds(now - self.from)
    }

    /// When the IO after `done` others comes due.
    pub(super) fn due_s(&self, done: f64) -> f64 {
        let own = (done - self.before).max(0.0);
        seconds(self.from)
            + if self.per_s > 0.0 {
                own / self.per_s
            } else {
                0.0
            }
    }
}

pub(super) fn seconds(time: Nanos) -> f64 {
    time as f64 / SECOND as f64
}
