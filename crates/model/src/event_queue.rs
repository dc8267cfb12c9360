//! What happens next.

use alloc::vec;
use alloc::vec::Vec;

use crate::units::Nanos;

/// A tournament over a fixed number of slots, each with at most one event.
///
/// The winner is the earliest event, and among simultaneous ones the lowest
/// slot. So the order of events is total and cannot depend on the order in
/// which they were entered. To move an event is to replay one path from its
/// slot to the root, without branches that a processor could mispredict:
/// for the few dozen slots of a closed loop that beats a heap.
#[derive(Clone, Debug)]
pub struct EventQueue {
    /// A complete binary tree: the root at 1, the children of `n` at `2n` and
    /// `2n + 1`, the slots in the second half. Each node has the key of the
    /// winner below it.
    keys: Vec<Key>,
    /// Bits of a key that name the slot.
    bits: u32,
}

/// Time and slot as one number, which orders by time, then slot.
type Key = u64;

/// The time of a slot without event.
pub const NEVER: Nanos = Nanos::MAX;

impl EventQueue {
    /// An empty queue of `slots` slots.
    pub fn new(slots: usize) -> Self {
        let width = slots.next_power_of_two();
        Self {
            keys: vec![Key::MAX; 2 * width],
            bits: width.trailing_zeros(),
        }
    }

    /// The first time that is too far ahead to be told from `NEVER`.
    pub fn horizon(&self) -> Nanos {
        Nanos::MAX >> self.bits
    }

    /// Makes room for `slots` slots, at least as many as there are; events stay.
    pub fn grow(&mut self, slots: usize) {
        let mut wider = Self::new(slots);
        let leaves = &self.keys[self.keys.len() / 2..];
        for (slot, &key) in leaves.iter().enumerate() {
            if key != Key::MAX {
                wider.set(slot, key >> self.bits);
            }
        }
        *self = wider;
    }

    /// The next event: its time (`NEVER` if there is none) and slot.
    #[inline]
    pub fn first(&self) -> (Nanos, usize) {
        let first = self.keys[1];
        if first == Key::MAX {
            return (NEVER, 0);
        }
        (
            first >> self.bits,
            (first & ((1 << self.bits) - 1)) as usize,
        )
    }

    /// Moves a slot's event to `time`, or with `NEVER` removes it.
    #[inline]
    pub fn set(&mut self, slot: usize, time: Nanos) {
        let mut node = self.keys.len() / 2 + slot;
        let beyond = time >= self.horizon();
        let mut winner = if beyond {
            Key::MAX
        } else {
            time << self.bits | slot as Key
        };
        self.keys[node] = winner;
        while node > 1 {
            winner = winner.min(self.keys[node ^ 1]);
            node /= 2;
            self.keys[node] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_next_event_is_the_least_by_time_and_slot(
            slots in 1_usize..70,
            moves in prop::collection::vec((0_usize..70, prop::option::of(0_u64..10)), 1..200),
        ) {
            let mut queue = EventQueue::new(slots);
            let mut plain = vec![NEVER; slots];
            for (number, (slot, time)) in moves.into_iter().enumerate() {
                if number == 50 {
                    queue.grow(2 * slots);
                }
                let (slot, time) = (slot % slots, time.unwrap_or(NEVER));
                queue.set(slot, time);
                plain[slot] = time;
                let expected = plain.iter().zip(0..).map(|(&time, slot)| (time, slot)).min().unwrap();
                prop_assert_eq!(queue.first().0, expected.0);
                if expected.0 != NEVER {
                    prop_assert_eq!(queue.first(), expected);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_order_of_entry_does_not_matter(
            entries in Just((0..40_usize).map(|slot| (slot, (slot % 4) as u64)).collect::<Vec<_>>())
                .prop_shuffle(),
        ) {
            let mut queue = EventQueue::new(40);
            for (slot, time) in entries {
                queue.set(slot, time);
            }
            let mut popped = Vec::new();
            while queue.first().0 != NEVER {
                popped.push(queue.first());
                queue.set(queue.first().1, NEVER);
            }
            prop_assert!(popped.is_sorted());
            prop_assert_eq!(popped.len(), 40);
        }
    }
}
