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

#[cfg(test)]
mod tests {
    use alloc::vec;

    use proptest::prelude::*;

    use super::*;

    fn pace(per_process: u64, steps: Vec<(Nanos, u32)>) -> Pace {
        Pace {
            steps,
            per_process,
            counted: 0,
            remainder: 0,
        }
    }

    /// The obvious count: what each nanosecond brings, one by one.
    fn oracle(pace: &Pace, until: Nanos) -> u64 {
        let sum: u128 = (0..until).map(|at| u128::from(pace.rate(at))).sum();
        (sum / u128::from(SECOND)) as u64
    }

    proptest! {
        #[test]
        fn updates_are_those_of_each_nanosecond(
            per_process in 1_u64..40_000_000,
            processes in prop::collection::vec(0_u32..50, 1..4),
            calls in prop::collection::vec(0_u64..700, 1..10),
            wanted in 1_u64..50,
        ) {
            let steps = (0..).zip(&processes).map(|(step, &n)| (step * 1000, n)).collect();
            let mut pace = pace(per_process, steps);
            let plain = pace.clone();
            let (mut now, mut made) = (0, 0);
            for gap in calls {
                now += gap;
                made += pace.until(now);
                prop_assert_eq!(made, oracle(&plain, now));
            }
            let at = pace.when(wanted);
            if at < 10_000 {
                prop_assert!(oracle(&plain, at) >= made + wanted);
                prop_assert!(at == now || oracle(&plain, at - 1) < made + wanted);
            }
        }
    }

    #[test]
    fn held_updaters_make_no_updates() {
        let mut pace = pace(1, vec![(0, 100)]);
        assert_eq!(pace.until(SECOND), 100);
        pace.hold_until(3 * SECOND);
        assert_eq!(pace.until(2 * SECOND), 0);
        assert_eq!(pace.until(4 * SECOND), 100);
    }

    #[test]
    fn without_processes_nothing_is_ever_made() {
        assert_eq!(pace(100, vec![(0, 5), (10, 0)]).when(1), Nanos::MAX);
    }
}
