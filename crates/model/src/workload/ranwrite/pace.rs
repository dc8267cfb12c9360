//! How many updates the processes have made.

use alloc::vec::Vec;

use crate::units::{Nanos, SECOND};
use crate::workload::spec::RanWriteSpec;

/// Updates at a steady pace per process, with the remainder carried, over the
/// job's load steps.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    steps: Vec<(Nanos, u32)>,
    per_process: u64,
    /// Time up to which updates are counted.
    counted: Nanos,
    /// Part of an update, in updates x 10^-9.
    remainder: u128,
}

impl Pace {
    pub(super) fn new(spec: &RanWriteSpec) -> Self {
        Self {
            steps: spec.steps.clone(),
            per_process: spec.updates_per_process,
            counted: 0,
            remainder: 0,
        }
    }

    /// Updates made since the last call, up to `now`.
    pub(super) fn until(&mut self, now: Nanos) -> u64 {
        while self.counted < now {
            let end = self.step_end(self.counted).min(now);
            let rate = u128::from(self.rate(self.counted));
            self.remainder += rate * u128::from(end - self.counted);
            self.counted = end;
        }
        let updates = self.remainder / u128::from(SECOND);
        self.remainder %= u128::from(SECOND);
        updates as u64
    }

    /// The updaters are held until `now`: none are made before.
    pub(super) fn hold_until(&mut self, now: Nanos) {
        self.counted = self.counted.max(now);
    }

    /// When `updates` more will have been made; `Nanos::MAX` if never.
    pub(super) fn when(&self, updates: u64) -> Nanos {
        let mut missing = (u128::from(updates) * u128::from(SECOND)).saturating_sub(self.remainder);
        let mut at = self.counted;
        loop {
            let (rate, end) = (u128::from(self.rate(at)), self.step_end(at));
            let until_end = rate * u128::from(end - at);
            if until_end >= missing && rate > 0 {
                return at + missing.div_ceil(rate) as Nanos;
            }
            if end == Nanos::MAX {
                return Nanos::MAX;
            }
            missing -= until_end;
            at = end;
        }
    }

    /// Updates a second in the step at `at`.
    fn rate(&self, at: Nanos) -> u64 {
        let current = self.steps.iter().take_while(|step| step.0 <= at).last();
        current.map_or(0, |step| u64::from(step.1)) * self.per_process
    }

    fn step_end(&self, at: Nanos) -> Nanos {
        self.steps
            .iter()
            .map(|step| step.0)
            .find(|&from| from > at)
            .unwrap_or(Nanos::MAX)
    }
}
