//! The slow component of a volume's latency.

use alloc::vec::Vec;

use crate::random::Stream;
use crate::spec::SlowState;
use crate::units::Nanos;

/// A walk through states that each multiply the drawn latency, with
/// exponentially distributed stays.
#[derive(Clone, Debug)]
pub(super) struct Slow {
    states: Vec<SlowState>,
    state: usize,
    until: Nanos,
    /// The state's multiplier in 1/1024, so that applying it is a shift.
    multiplier: u64,
    random: Stream,
}

impl Slow {
    pub(super) fn new(states: &[SlowState], mut random: Stream) -> Self {
        let Some(first) = states.first() else {
            return Self {
                states: Vec::new(),
                state: 0,
                until: Nanos::MAX,
                multiplier: 1024,
                random,
            };
        };
        let until = random.exponential_of(first.mean);
        let multiplier = scaled(first);
        Self {
            states: states.to_vec(),
            state: 0,
            until,
            multiplier,
            random,
        }
    }

    /// `latency` as it is in the state at `now`.
    #[inline]
    pub(super) fn apply(&mut self, now: Nanos, latency: Nanos) -> Nanos {
        if now >= self.until {
            self.walk(now);
        }
        (latency * self.multiplier) >> 10
    }

    /// The mean multiplier over a long time.
    pub(super) fn mean(&self) -> f64 {
        let time = |state: &SlowState| state.mean.max(1) as f64;
        let all: f64 = self.states.iter().map(time).sum();
        let weighted = self.states.iter();
        let weighted = weighted.map(|state| scaled(state) as f64 / 1024.0 * time(state));
        if all > 0.0 {
            weighted.sum::<f64>() / all
        } else {
            1.0
        }
    }

    #[cold]
    fn walk(&mut self, now: Nanos) {
        while now >= self.until {
            self.state = (self.state + 1) % self.states.len();
            // At least 1 ns a stay, so that the walk always gets past `now`.
            self.until += self
                .random
                .exponential_of(self.states[self.state].mean)
                .max(1);
        }
        self.multiplier = scaled(&self.states[self.state]);
    }
}

fn scaled(state: &SlowState) -> u64 {
    u64::from(state.multiplier_permille) * 1024 / 1000
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::units::{MILLISECOND, SECOND};

    #[test]
    fn time_is_shared_as_the_means_say() {
        let states = vec![
            SlowState {
                multiplier_permille: 1000,
                mean: 3 * SECOND,
            },
            SlowState {
                multiplier_permille: 2000,
                mean: SECOND,
            },
        ];
        let mut slow = Slow::new(&states, Stream::new(1, "test"));
        let samples = 4_000_000;
        let doubled = (0..samples)
            .filter(|i| slow.apply(i * 10 * MILLISECOND, 1000) == 2000)
            .count();
        let share = doubled as f64 / samples as f64;
        assert!((share - 0.25).abs() < 0.01, "{share}");
    }

    #[test]
    fn without_states_nothing_changes() {
        let mut slow = Slow::new(&[], Stream::new(1, "test"));
        assert_eq!(slow.apply(Nanos::MAX - 1, 12345), 12345);
    }
}
