//! The two halves of an engine's time after the warm-up: whether it had settled.

use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_model::workload::EngineCounts;

use crate::measure::engine::time::per_second;
use crate::result::EngineHalf;

/// Both halves.
#[derive(Clone, Debug)]
pub(crate) struct Halves {
    /// Where they begin and end.
    bounds: [Nanos; 3],
    each: [Half; 2],
}

/// What was seen in one of them.
#[derive(Clone, Debug, Default)]
struct Half {
    transactions: u64,
    peak_dirty: u64,
    peak_age: Bytes,
    /// What the engine had done by its begin, and by the last second of it.
    before: EngineCounts,
    now: EngineCounts,
}

impl Halves {
    /// Of the time between two times.
    pub(crate) fn between(from: Nanos, to: Nanos) -> Self {
        Self {
            bounds: [from, from + to.saturating_sub(from) / 2, to],
            each: Default::default(),
        }
    }

    /// A transaction ended, after the warm-up.
    pub(crate) fn ended(&mut self, at: Nanos) {
        self.each[self.number(at)].transactions += 1;
    }

    /// A second of the engine ended, in the warm-up too.
    pub(crate) fn engine(&mut self, counts: EngineCounts) {
        for (half, begin) in self.each.iter_mut().zip(self.bounds) {
            if counts.at <= begin {
                half.before = counts;
            }
        }
        if counts.at <= self.bounds[0] {
            return;
        }
        let number = self.number(counts.at);
        let half = &mut self.each[number];
        half.now = counts;
        half.peak_dirty = half.peak_dirty.max(counts.dirty);
        half.peak_age = half.peak_age.max(counts.age);
    }

    /// The half that a time after the warm-up is in, which it may end.
    fn number(&self, at: Nanos) -> usize {
        usize::from(at > self.bounds[1])
    }

    pub(crate) fn peak_dirty(&self) -> u64 {
        self.each
            .iter()
            .map(|half| half.peak_dirty)
            .max()
            .unwrap_or(0)
    }

    pub(crate) fn peak_age(&self) -> Bytes {
        self.each
            .iter()
            .map(|half| half.peak_age)
            .max()
            .unwrap_or(0)
    }

    /// Both of them; nothing of a run that ended more than a second early, or in which a half
    /// had no access.
    pub(crate) fn results(&self) -> Vec<EngineHalf> {
        let last = self.each[1].now.at;
        let halves = self.each.iter().zip(self.bounds.windows(2));
        let result = |(half, bounds): (&Half, &[Nanos])| {
            let accesses = half.now.accesses.checked_sub(half.before.accesses)?;
            let reads = half.now.reads.checked_sub(half.before.reads)?;
            (accesses > 0).then(|| EngineHalf {
                tps: per_second(half.transactions, bounds[1] - bounds[0]),
                hit_ratio: 1.0 - reads as f64 / accesses as f64,
                peak_dirty_pages: half.peak_dirty,
                peak_checkpoint_age: half.peak_age,
            })
        };
        let whole = last + SECOND >= self.bounds[2];
        let all: Option<Vec<_>> = halves.map(result).collect();
        all.filter(|_| whole).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(second: u64, accesses: u64, reads: u64, dirty: u64) -> EngineCounts {
        EngineCounts {
            at: second * SECOND,
            accesses,
            reads,
            dirty,
            age: 10 * dirty,
            ..EngineCounts::default()
        }
    }

    /// Two seconds of warm-up, then two halves of two seconds each.
    #[test]
    fn each_half_has_what_was_done_in_it() {
        let mut halves = Halves::between(2 * SECOND, 6 * SECOND);
        for (second, accesses, reads, dirty) in [
            (1, 100, 50, 90),
            (2, 200, 100, 80),
            (3, 300, 125, 30),
            (4, 400, 150, 20),
        ] {
            halves.engine(counts(second, accesses, reads, dirty));
        }
        assert!(halves.results().is_empty(), "it did not get through both");
        // What ends with the run is not reported any more.
        halves.engine(counts(5, 500, 160, 40));
        for at in [2 * SECOND + 1, 4 * SECOND, 4 * SECOND + 1] {
            halves.ended(at);
        }
        let half = |tps, hit_ratio, dirty| EngineHalf {
            tps,
            hit_ratio,
            peak_dirty_pages: dirty,
            peak_checkpoint_age: 10 * dirty,
        };
        assert_eq!(halves.results(), [half(1.0, 0.75, 30), half(0.5, 0.9, 40)]);
        assert_eq!((halves.peak_dirty(), halves.peak_age()), (40, 400));
    }
}
