//! For how long a device had IO in flight, of beginnings and ends in nearly the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use blockyard_model::units::Nanos;

use super::LATEST;

/// A device counts as busy in an interval with IO in flight for at least this share of it.
const BUSY: f64 = 0.9;

/// Times with IO in flight. What comes later than [`LATEST`] counts from there on.
#[derive(Debug)]
pub(super) struct InFlight {
    /// Beginnings (true) and ends that are not settled.
    waiting: BinaryHeap<Reverse<(Nanos, bool)>>,
    latest: Nanos,
    settled: Nanos,
    depth: i64,
    /// Time with IO in flight.
    pub(super) in_use: Nanos,
    interval: Nanos,
    /// The interval that was settled last, and the time with IO in flight in it.
    slot: (u64, Nanos),
    /// Time in intervals in which the device was busy.
    pub(super) busy: Nanos,
}

impl InFlight {
    pub(super) fn new(begin: Nanos, interval: Nanos) -> Self {
        Self {
            waiting: BinaryHeap::new(),
            latest: begin,
            settled: begin,
            depth: 0,
            in_use: 0,
            interval,
            slot: (begin / interval, 0),
            busy: 0,
        }
    }

    pub(super) fn add(&mut self, begin: Nanos, end: Nanos) {
        self.waiting.push(Reverse((begin.max(self.settled), true)));
        self.waiting.push(Reverse((end.max(self.settled), false)));
        self.latest = self.latest.max(end);
        self.settle(self.latest.saturating_sub(LATEST));
    }

    pub(super) fn finish(&mut self) {
        self.settle(Nanos::MAX);
        self.count(u64::MAX);
    }

    /// There was IO in flight from what is settled to `at`.
    fn use_until(&mut self, at: Nanos) {
        self.in_use += at - self.settled;
        let mut from = self.settled;
        while from < at {
            let slot = from / self.interval;
            self.count(slot);
            let to = at.min((slot + 1) * self.interval);
            self.slot.1 += to - from;
            from = to;
        }
    }

    /// Goes on to another interval.
    fn count(&mut self, slot: u64) {
        if slot != self.slot.0 {
            if self.slot.1 as f64 >= BUSY * self.interval as f64 {
                self.busy += self.interval;
            }
            self.slot = (slot, 0);
        }
    }

    /// Settles what is before `until`.
    fn settle(&mut self, until: Nanos) {
        while let Some(Reverse((at, begins))) = self.waiting.peek().copied()
            && at < until
        {
            self.waiting.pop();
            if self.depth > 0 {
                self.use_until(at);
            }
            self.settled = at;
            self.depth += if begins { 1 } else { -1 };
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
        fn busy_is_the_time_in_which_some_io_was_there(
            ios in prop::collection::vec((0_u64..200, 0_u64..30), 0..40),
        ) {
            let mut in_flight = InFlight::new(0, 10);
            let mut units = [false; 240];
            for (begin, took) in ios {
                in_flight.add(begin, begin + took);
                units[begin as usize..(begin + took) as usize].fill(true);
            }
            in_flight.finish();
            let used = |units: &[bool]| units.iter().filter(|used| **used).count() as u64;
            let busy = units.chunks(10).filter(|units| used(units) >= 9).count() as u64;
            prop_assert_eq!((in_flight.in_use, in_flight.busy), (used(&units), busy * 10));
        }
    }
}
