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
/// for the few dozen slots of a closed loop that beats a heap. Four play at a
/// time, since the other three are compared while the path is still below.
#[derive(Clone, Debug)]
pub struct EventQueue {
    /// A tree: the first group is the root's, and what wins in group `4g + 1 + n`
    /// plays at place `n` of group `g`.
    groups: Vec<[Key; 4]>,
    /// The first group of slots.
    leaves: usize,
    /// Time and slot of the winner of all, which are asked for more often than they change.
    first: (Nanos, usize),
    /// Bits of a key that name the slot.
    bits: u32,
    /// The first time that is too far ahead to be told from `NEVER`.
    horizon: Nanos,
}

/// Time and slot as one number, which orders by time, then slot.
type Key = u64;

/// The first of those that play with a place of a group.
#[inline]
fn others(four: &[Key; 4], place: usize) -> Key {
    four[place ^ 1].min(four[place ^ 2]).min(four[place ^ 3])
}

/// The time of a slot without event.
pub const NEVER: Nanos = Nanos::MAX;

impl EventQueue {
    /// An empty queue of `slots` slots.
    pub fn new(slots: usize) -> Self {
        let groups = slots.div_ceil(4).max(1);
        let (mut leaves, mut width) = (0, 1);
        while width < groups {
            leaves += width;
            width *= 4;
        }
        let bits = slots.next_power_of_two().trailing_zeros();
        Self {
            groups: vec![[Key::MAX; 4]; leaves + groups],
            leaves,
            first: (NEVER, 0),
            bits,
            horizon: Nanos::MAX >> bits,
        }
    }

    /// The first time that is too far ahead to be told from `NEVER`.
    pub fn horizon(&self) -> Nanos {
        self.horizon
    }

    /// Makes room for `slots` slots, at least as many as there are; events stay.
    pub fn grow(&mut self, slots: usize) {
        let mut wider = Self::new(slots);
        let keys = self.groups[self.leaves..].as_flattened();
        for (slot, &key) in keys.iter().enumerate() {
            if key != Key::MAX {
                wider.set(slot, key >> self.bits);
            }
        }
        *self = wider;
    }

    /// The next event: its time and slot; if there is none, `NEVER` and any slot.
    #[inline]
    pub fn first(&self) -> (Nanos, usize) {
        self.first
    }

    /// The time of a key.
    #[inline]
    fn time(&self, key: Key) -> Nanos {
        match key {
            Key::MAX => NEVER,
            key => key >> self.bits,
        }
    }

    /// When the first event is but that of `slot`, or [`NEVER`].
    #[inline]
    pub fn first_but(&self, slot: usize) -> Nanos {
        let mut first = Key::MAX;
        let (mut group, mut place) = (self.leaves + slot / 4, slot % 4);
        loop {
            first = first.min(others(&self.groups[group], place));
            if group == 0 {
                break;
            }
            (group, place) = ((group - 1) / 4, (group - 1) % 4);
        }
        self.time(first)
    }

    /// Moves a slot's event to `time`, or with `NEVER` removes it.
    #[inline]
    pub fn set(&mut self, slot: usize, time: Nanos) {
        let beyond = time >= self.horizon;
        let mut winner = if beyond {
            Key::MAX
        } else {
            time << self.bits | slot as Key
        };
        let (mut group, mut place) = (self.leaves + slot / 4, slot % 4);
        loop {
            let four = &mut self.groups[group];
            four[place] = winner;
            winner = winner.min(others(four, place));
            if group == 0 {
                break;
            }
            (group, place) = ((group - 1) / 4, (group - 1) % 4);
        }
        let slot = (winner & ((1 << self.bits) - 1)) as usize;
        self.first = (self.time(winner), slot);
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
                let others = (plain.iter().enumerate()).filter(|&(other, _)| other != slot);
                let first = others.map(|(_, &time)| time).min().unwrap_or(NEVER);
                prop_assert_eq!(queue.first_but(slot), first);
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
