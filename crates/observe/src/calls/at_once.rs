//! How many threads wait at once.

use std::collections::BTreeMap;

use blockyard_model::units::Nanos;

/// The time in which so many threads waited, by their number.
#[derive(Debug)]
pub(super) struct AtOnce {
    /// From when on so many more, or fewer, wait.
    changes: BTreeMap<Nanos, i64>,
    now: Nanos,
    waiting: i64,
    time: Vec<Nanos>,
}

/// More are counted as so many.
const MOST: usize = 1 << 10;

impl AtOnce {
    pub(super) fn new(origin: Nanos) -> Self {
        Self {
            changes: BTreeMap::new(),
            now: origin,
            waiting: 0,
            time: Vec::new(),
        }
    }

    /// A thread waited from one moment to another, both after what is counted.
    pub(super) fn add(&mut self, from: Nanos, to: Nanos) {
        let from = from.max(self.now);
        if from < to {
            *self.changes.entry(from).or_default() += 1;
            *self.changes.entry(to).or_default() -= 1;
        }
    }

    /// Counts up to a moment before which nothing more is added.
    pub(super) fn count(&mut self, until: Nanos) {
        while let Some(next) = self
            .changes
            .first_entry()
            .filter(|next| *next.key() <= until)
        {
            let (at, change) = next.remove_entry();
            self.pass(at);
            self.waiting += change;
        }
        self.pass(until);
    }

    fn pass(&mut self, to: Nanos) {
        let place = (self.waiting.max(0) as usize).min(MOST);
        if self.time.len() <= place {
            self.time.resize(place + 1, 0);
        }
        self.time[place] += to.saturating_sub(self.now);
        self.now = self.now.max(to);
    }

    /// The shares of the time counted in which none, one, two and so on waited.
    pub(super) fn shares(&self) -> Vec<f64> {
        let whole: Nanos = self.time.iter().sum();
        let shares = self.time.iter().map(|time| *time as f64 / whole as f64);
        if whole > 0 {
            shares.collect()
        } else {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against each nanosecond counted by itself.
        #[test]
        fn each_moment_counts_those_that_wait(
            waits in prop::collection::vec((0_u64..40, 0_u64..20), 0..12),
            stops in prop::collection::vec(0_u64..30, 0..3),
        ) {
            let mut at_once = AtOnce::new(100);
            for (from, length) in &waits {
                at_once.add(100 + from, 100 + from + length);
            }
            let mut stops = stops;
            stops.sort_unstable();
            stops.iter().for_each(|stop| at_once.count(100 + stop));
            at_once.count(160);
            let mut expected = vec![0.0; waits.len() + 1];
            for now in 0..60 {
                let waiting = |(from, length): &&(u64, u64)| (*from..from + length).contains(&now);
                expected[waits.iter().filter(waiting).count()] += 1.0 / 60.0;
            }
            let found = at_once.shares();
            for (place, share) in expected.iter().enumerate() {
                prop_assert!((found.get(place).unwrap_or(&0.0) - share).abs() < 1e-9);
            }
        }
    }
}
