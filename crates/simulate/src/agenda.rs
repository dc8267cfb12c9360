//! What happens next in virtual time.

use blockyard_model::units::Nanos;

/// A tournament over a fixed number of leaves, each with at most one event.
///
/// The winner is the earliest event, and among simultaneous ones the lowest
/// leaf. So the order of events is total and cannot depend on the order in
/// which they were entered. To move an event is to replay one path from its
/// leaf to the root, without branches that a processor could mispredict:
/// for the few dozen lanes of a closed loop that beats a heap.
#[derive(Clone, Debug)]
pub(crate) struct Agenda {
    /// A complete binary tree: the root at 1, the children of `n` at `2n` and
    /// `2n + 1`, the leaves in the second half. Each node has the key of the
    /// winner below it.
    keys: Vec<Key>,
    /// Bits of a key that name the leaf.
    bits: u32,
}

/// Time and leaf as one number, which orders by time, then leaf.
type Key = u64;

/// The time of a leaf without event.
pub(crate) const NEVER: Nanos = Nanos::MAX;

impl Agenda {
    /// An empty agenda of `leaves` leaves.
    pub(crate) fn new(leaves: usize) -> Self {
        let width = leaves.next_power_of_two();
        Self {
            keys: vec![Key::MAX; 2 * width],
            bits: width.trailing_zeros(),
        }
    }

    /// The first time that is too far ahead to be told from `NEVER`.
    pub(crate) fn horizon(&self) -> Nanos {
        Nanos::MAX >> self.bits
    }

    /// The next event: its time (`NEVER` if there is none) and leaf.
    #[inline]
    pub(crate) fn next(&self) -> (Nanos, usize) {
        let first = self.keys[1];
        if first == Key::MAX {
            return (NEVER, 0);
        }
        (
            first >> self.bits,
            (first & ((1 << self.bits) - 1)) as usize,
        )
    }

    /// Moves a leaf's event to `time`, or with `NEVER` removes it.
    #[inline]
    pub(crate) fn set(&mut self, leaf: usize, time: Nanos) {
        let mut node = self.keys.len() / 2 + leaf;
        let beyond = time >= self.horizon();
        let mut winner = if beyond {
            Key::MAX
        } else {
            time << self.bits | leaf as Key
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
        fn the_next_event_is_the_least_by_time_and_leaf(
            leaves in 1_usize..70,
            moves in prop::collection::vec((0_usize..70, prop::option::of(0_u64..10)), 1..200),
        ) {
            let mut agenda = Agenda::new(leaves);
            let mut plain = vec![NEVER; leaves];
            for (leaf, time) in moves {
                let (leaf, time) = (leaf % leaves, time.unwrap_or(NEVER));
                agenda.set(leaf, time);
                plain[leaf] = time;
                let expected = plain.iter().zip(0..).map(|(&time, leaf)| (time, leaf)).min().unwrap();
                prop_assert_eq!(agenda.next().0, expected.0);
                if expected.0 != NEVER {
                    prop_assert_eq!(agenda.next(), expected);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_order_of_entry_does_not_matter(
            entries in Just((0..40_usize).map(|leaf| (leaf, (leaf % 4) as u64)).collect::<Vec<_>>())
                .prop_shuffle(),
        ) {
            let mut agenda = Agenda::new(40);
            for (leaf, time) in entries {
                agenda.set(leaf, time);
            }
            let mut popped = Vec::new();
            while agenda.next().0 != NEVER {
                popped.push(agenda.next());
                agenda.set(agenda.next().1, NEVER);
            }
            prop_assert!(popped.is_sorted());
            prop_assert_eq!(popped.len(), 40);
        }
    }
}
