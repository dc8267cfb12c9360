//! Which IOs failed, of those that `ios.csv` gives no end: it leaves that cell empty of one that
//! failed and of one that was in flight when the run ended.

use std::collections::HashMap;

use blockyard_model::units::Nanos;
use blockyard_trace::Row;

/// A slot has one IO at a time, so one that another follows on its slot has failed. Of the last on
/// its slot the order of the rows tells: a log in order of completion has only IOs that ended.
#[derive(Debug, Default)]
pub(super) struct Failures {
    /// By slot: the row of its last IO, if that has no end.
    last: HashMap<(u32, u32), u64>,
    /// Rows that have no end and may have failed.
    empty: u64,
    latest_issue: Nanos,
    latest_end: Nanos,
    by_issue: Order,
    by_end: Order,
}

/// Whether rows so far are in an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Kept,
    Broken,
}

impl Failures {
    /// Adds a row, by its number in the trace.
    pub(super) fn add(&mut self, row: &Row, number: u64) {
        if let Some(issue) = row.issue {
            self.by_issue.take(&mut self.latest_issue, issue);
        }
        if let Some(end) = row.completion {
            self.by_end.take(&mut self.latest_end, end);
        }
        let Some(by) = row.by else { return };
        if may_have_failed(row) {
            self.empty += 1;
            self.last.insert(by, number);
        } else if !self.last.is_empty() {
            self.last.remove(&by);
        }
    }

    /// Decides on the last rows of slots, after all.
    pub(super) fn finish(&mut self) {
        if (self.by_issue, self.by_end) == (Order::Broken, Order::Kept) {
            self.last.clear();
        }
    }

    /// How many failed.
    pub(super) fn count(&self) -> u64 {
        self.empty - self.undecided()
    }

    /// How many failed, or were in flight at the end.
    pub(super) fn undecided(&self) -> u64 {
        self.last.len() as u64
    }

    /// Whether a row failed, of which the trace has no end.
    pub(super) fn has(&self, row: &Row, number: u64) -> bool {
        may_have_failed(row) && row.by.is_some_and(|by| self.last.get(&by) != Some(&number))
    }
}

impl Order {
    fn take(&mut self, latest: &mut Nanos, time: Nanos) {
        if time < *latest {
            *self = Self::Broken;
        }
        *latest = (*latest).max(time);
    }
}

fn may_have_failed(row: &Row) -> bool {
    row.failed && row.completion.is_none()
}

#[cfg(test)]
mod tests {
    use blockyard_model::storage::Op;
    use proptest::prelude::*;

    use super::*;

    const SLOTS: u32 = 3;

    /// What became of an IO.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Outcome {
        Done,
        Failed,
        InFlight,
    }

    /// An IO, when it was issued and ended, and what became of it.
    type Io = (u32, Nanos, Nanos, Outcome);

    /// IOs after each other on slots, of which the last may be in flight.
    fn ios() -> impl Strategy<Value = Vec<Io>> {
        let one = (0..SLOTS, 1_u64..20, 1_u64..20, any::<bool>());
        let all = prop::collection::vec(one, 0..40);
        (all, any::<[bool; SLOTS as usize]>()).prop_map(|(all, cut)| {
            let mut free = [0; SLOTS as usize];
            let mut ios: Vec<Io> = Vec::new();
            for (slot, idle, took, failed) in all {
                let issued = free[slot as usize] + idle;
                free[slot as usize] = issued + took;
                let outcome = if failed {
                    Outcome::Failed
                } else {
                    Outcome::Done
                };
                ios.push((slot, issued, issued + took, outcome));
            }
            for slot in (0..SLOTS).filter(|slot| cut[*slot as usize]) {
                if let Some(last) = ios.iter_mut().rfind(|io| io.0 == slot) {
                    last.3 = Outcome::InFlight;
                }
            }
            ios
        })
    }

    fn row(&(slot, issued, end, outcome): &Io) -> Row {
        let done = outcome == Outcome::Done;
        Row {
            arrival: Some(issued),
            issue: Some(issued),
            completion: done.then_some(end),
            op: Op::Read,
            offset: 0,
            bytes: 512,
            device: 0,
            by: Some((0, slot)),
            failed: !done,
        }
    }

    fn found(ios: &[Io]) -> (Failures, Vec<bool>) {
        let mut failures = Failures::default();
        let rows: Vec<Row> = ios.iter().map(row).collect();
        (0..).zip(&rows).for_each(|(at, row)| failures.add(row, at));
        failures.finish();
        let each = (0..).zip(&rows).map(|(at, row)| failures.has(row, at));
        let each = each.collect();
        (failures, each)
    }

    proptest! {
        /// In order of issue: none that was in flight is taken for one that failed, and of each
        /// slot no more than the last is left open.
        #[test]
        fn in_order_of_issue_the_last_of_a_slot_is_open(mut ios in ios()) {
            ios.sort_by_key(|io| (io.1, io.0));
            let (failures, each) = found(&ios);
            let mut open = 0;
            for (at, io) in ios.iter().enumerate() {
                let last = !ios[at + 1..].iter().any(|later| later.0 == io.0);
                let failed = io.3 != Outcome::Done && !last;
                prop_assert_eq!(each[at], failed);
                open += u64::from(io.3 != Outcome::Done && last);
            }
            let count = each.iter().filter(|failed| **failed).count() as u64;
            prop_assert_eq!((failures.count(), failures.undecided()), (count, open));
        }

        /// As an observation has them: each that failed is known, once the order shows.
        #[test]
        fn in_order_of_completion_all_without_an_end_failed(mut ios in ios()) {
            ios.retain(|io| io.3 != Outcome::InFlight);
            ios.sort_by_key(|io| (io.2, io.0));
            let (failures, each) = found(&ios);
            if !ios.is_sorted_by_key(|io| io.1) {
                let failed: Vec<bool> = ios.iter().map(|io| io.3 == Outcome::Failed).collect();
                prop_assert_eq!(failures.undecided(), 0);
                prop_assert_eq!(each, failed);
            }
        }
    }
}
