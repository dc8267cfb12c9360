//! How many IOs of an operation go on where another ended.

use blockyard_model::units::{Bytes, Nanos};
use blockyard_trace::sequential;

/// IOs that are looked at together, each at the price of some hundred comparisons. A stream loses
/// one IO at the end of each batch.
const BATCH: usize = 1 << 11;

/// From the begin of a batch to that of the next, at least: what is in between is left out. It is
/// the golden ratio of a second, so that what recurs with a timer is met at all its phases.
const STEP: Nanos = 1_618_033_989;

/// IOs in batches, which are a sample where more of them come.
#[derive(Debug, Default)]
pub(super) struct Order {
    batch: Vec<(Nanos, (Bytes, Bytes))>,
    next: Nanos,
    sequential: u64,
    looked_at: u64,
    all: u64,
}

impl Order {
    pub(super) fn add(&mut self, at: Nanos, place: (Bytes, Bytes)) {
        self.all += 1;
        if self.batch.is_empty() {
            if at < self.next {
                return;
            }
            self.next = at.saturating_add(STEP);
        }
        self.batch.push((at, place));
        if self.batch.len() == BATCH {
            self.sequential += going_on(&mut self.batch);
            self.looked_at += BATCH as u64;
            self.batch.clear();
        }
    }

    /// Their share; none without IOs.
    pub(super) fn sequential(&self) -> Option<f64> {
        let found = self.sequential + going_on(&mut self.batch.clone());
        let (looked_at, _) = self.sample();
        (looked_at > 0).then(|| found as f64 / looked_at as f64)
    }

    /// How many were looked at, and how many there were.
    pub(super) fn sample(&self) -> (u64, u64) {
        (self.looked_at + self.batch.len() as u64, self.all)
    }
}

/// IOs come in the order of their ends.
fn going_on(batch: &mut [(Nanos, (Bytes, Bytes))]) -> u64 {
    batch.sort_by_key(|(at, _)| *at);
    let places: Vec<_> = batch.iter().map(|(_, place)| *place).collect();
    sequential(&places) as u64
}

#[cfg(test)]
mod tests {
    use blockyard_model::units::SECOND;

    use super::*;

    #[test]
    fn ios_that_end_in_another_order_still_go_on() {
        let mut order = Order::default();
        // Each two end the other way round.
        for nth in (0..1000).map(|nth: u64| nth ^ 1) {
            order.add(nth, (nth << 12, 1 << 12));
        }
        assert_eq!(order.sequential(), Some(0.999));
        assert_eq!(
            (order.sample(), Order::default().sequential()),
            ((1000, 1000), None)
        );
    }

    #[test]
    fn of_a_busy_second_the_first_batch_counts() {
        let mut order = Order::default();
        for begin in [0, STEP] {
            for nth in 0..2 * BATCH as u64 {
                // Only the first half goes on where it was.
                let offset = if nth < BATCH as u64 { nth } else { 7 * nth };
                order.add(begin + nth, (offset << 12, 1 << 12));
            }
        }
        assert_eq!(order.sample(), (2 * BATCH as u64, 4 * BATCH as u64));
        assert_eq!(order.sequential, 2 * (BATCH as u64 - 1));
    }

    /// Streams among random places, in bursts that each second, or each 5 seconds, has.
    #[test]
    fn the_share_of_a_sample_is_near_that_of_all() {
        const RATE: u64 = 4_000;
        for (period, burst) in [(SECOND, SECOND / 2), (5 * SECOND, SECOND)] {
            let mut order = Order::default();
            let mut ios = Vec::new();
            let mut ends = [0; 16];
            let mut drawn = 1_u64;
            for nth in 0..60 * RATE {
                let at = nth * (SECOND / RATE);
                drawn = drawn
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let random = drawn >> 33;
                let block = if at % period < burst && random % 10 < 7 {
                    let stream = (random / 10 % 16) as usize;
                    ends[stream] += 1;
                    ((stream as u64) << 40) + ends[stream]
                } else {
                    1 << 50 | random
                };
                order.add(at, (block << 12, 1 << 12));
                ios.push((block << 12, 1 << 12));
            }
            let (looked_at, all) = order.sample();
            assert!(all == ios.len() as u64 && looked_at < all / 3);
            let exact = sequential(&ios) as f64 / all as f64;
            let sampled = order.sequential().unwrap();
            assert!((sampled - exact).abs() < 0.03, "{sampled} of {exact}");
        }
    }
}
