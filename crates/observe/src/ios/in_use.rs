//! For how long a device had IO in flight, of each of its IOs.

use std::collections::VecDeque;

use blockyard_model::units::Nanos;

/// A device counts as busy in an interval with IO in flight for at least this share of it.
const BUSY: f64 = 0.9;

/// Times without IO that are kept: an IO that takes longer than these span, beside others, counts
/// from the oldest of them on.
const MOST_GAPS: usize = 1 << 16;

/// Times with IO in flight, of IOs in the order of their ends.
#[derive(Debug)]
pub(crate) struct InUse {
    /// Times with IO, apart from each other, that an IO that goes on may join.
    open: VecDeque<(Nanos, Nanos)>,
    most: usize,
    /// Nothing changes before this.
    settled: Nanos,
    interval: Nanos,
    /// The interval that was settled last, and the time with IO in flight in it.
    slot: (u64, Nanos),
    used: Nanos,
    busy: Nanos,
}

impl InUse {
    /// None yet.
    pub(crate) fn new(interval: Nanos) -> Self {
        Self {
            open: VecDeque::new(),
            most: MOST_GAPS,
            settled: 0,
            interval,
            slot: (0, 0),
            used: 0,
            busy: 0,
        }
    }

    /// Adds an IO that went on from `begin` to `end`; none that was added ended later.
    pub(crate) fn add(&mut self, begin: Nanos, end: Nanos) {
        let mut begin = begin.max(self.settled);
        let mut end = end.max(begin);
        while let Some((from, to)) = self.open.back().copied().filter(|(_, to)| *to >= begin) {
            self.open.pop_back();
            (begin, end) = (begin.min(from), end.max(to));
        }
        self.open.push_back((begin, end));
        if self.open.len() > self.most {
            self.settle();
        }
    }

    /// All were added: the time with IO in flight, and that in intervals in which it was busy.
    pub(crate) fn finish(mut self) -> (Nanos, Nanos) {
        while !self.open.is_empty() {
            self.settle();
        }
        self.go_on(u64::MAX);
        (self.used, self.busy)
    }

    /// Counts the oldest time with IO.
    fn settle(&mut self) {
        let Some((mut from, to)) = self.open.pop_front() else {
            return;
        };
        self.settled = to;
        self.used += to - from;
        while from < to {
            let slot = from / self.interval;
            self.go_on(slot);
            let until = to.min((slot + 1) * self.interval);
            self.slot.1 += until - from;
            from = until;
        }
    }

    /// Goes on to another interval.
    fn go_on(&mut self, slot: u64) {
        if slot != self.slot.0 {
            if self.slot.1 as f64 >= BUSY * self.interval as f64 {
                self.busy += self.interval;
            }
            self.slot = (slot, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The slow way: each unit of time is looked at by itself.
        #[test]
        fn in_use_is_the_time_in_which_some_io_was_there(
            mut ios in prop::collection::vec((0_u64..200, 0_u64..30), 0..40),
            most in 1_usize..50,
        ) {
            ios.sort_by_key(|(begin, took)| begin + took);
            let mut in_use = InUse { most, ..InUse::new(10) };
            let mut units = [false; 240];
            for (begin, took) in ios {
                // What is settled stays so.
                let begin = begin.max(in_use.settled).min(begin + took);
                in_use.add(begin, begin.max(begin + took));
                units[begin as usize..(begin + took) as usize].fill(true);
            }
            let used = |units: &[bool]| units.iter().filter(|used| **used).count() as u64;
            let busy = units.chunks(10).filter(|units| used(units) >= 9).count() as u64;
            prop_assert_eq!(in_use.finish(), (used(&units), busy * 10));
        }
    }
}
