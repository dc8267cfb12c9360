//! How many IOs of an operation go on where another ended.

use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_trace::sequential;

/// IOs that are looked at together. A stream loses one IO at the end of each batch.
const BATCH: usize = 1 << 12;

/// IOs in batches, of which one begins a second at most: the rest of a busier second is left out.
#[derive(Debug, Default)]
pub(super) struct Order {
    batch: Vec<(Nanos, (Bytes, Bytes))>,
    next: Nanos,
    sequential: usize,
    all: usize,
}

impl Order {
    pub(super) fn add(&mut self, at: Nanos, place: (Bytes, Bytes)) {
        if self.batch.is_empty() {
            if at < self.next {
                return;
            }
            self.next = at + SECOND;
        }
        self.batch.push((at, place));
        if self.batch.len() == BATCH {
            self.sequential += going_on(&mut self.batch);
            self.all += BATCH;
            self.batch.clear();
        }
    }

    /// Their share; none without IOs.
    pub(super) fn sequential(&self) -> Option<f64> {
        let found = self.sequential + going_on(&mut self.batch.clone());
        let all = self.all + self.batch.len();
        (all > 0).then(|| found as f64 / all as f64)
    }
}

/// IOs come in the order of their ends.
fn going_on(batch: &mut [(Nanos, (Bytes, Bytes))]) -> usize {
    batch.sort_by_key(|(at, _)| *at);
    let places: Vec<_> = batch.iter().map(|(_, place)| *place).collect();
    sequential(&places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ios_that_end_in_another_order_still_go_on() {
        let mut order = Order::default();
        // Each two end the other way round.
        for nth in (0..1000).map(|nth: u64| nth ^ 1) {
            order.add(nth, (nth << 12, 1 << 12));
        }
        assert_eq!(order.sequential(), Some(0.999));
        assert_eq!(Order::default().sequential(), None);
    }

    #[test]
    fn of_a_busy_second_the_first_batch_counts() {
        let mut order = Order::default();
        for second in 0..2 {
            for nth in 0..2 * BATCH as u64 {
                // Only the first half goes on where it was.
                let offset = if nth < BATCH as u64 { nth } else { 7 * nth };
                order.add(second * SECOND + nth, (offset << 12, 1 << 12));
            }
        }
        assert_eq!(order.all, 2 * BATCH);
        assert_eq!(order.sequential, 2 * (BATCH - 1));
    }
}
