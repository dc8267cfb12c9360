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
    /// Times of the leaves, `NEVER` where there is no event; padded to a
    /// power of two.
    times: Vec<Nanos>,
    /// For each inner node, from 1 at the root, its winner: time and leaf.
    winners: Vec<(Nanos, u32)>,
}

/// The time of a leaf without event.
pub(crate) const NEVER: Nanos = Nanos::MAX;

impl Agenda {
    /// An empty agenda of `leaves` leaves.
    pub(crate) fn new(leaves: usize) -> Self {
        let width = leaves.next_power_of_two().max(2);
        let mut agenda = Self { times: vec![NEVER; width], winners: vec![(NEVER, 0); width] };
        (0..width).step_by(2).for_each(|leaf| agenda.replay(leaf));
        agenda
    }

    /// The next event: its time (`NEVER` if there is none) and leaf.
    #[inline]
    pub(crate) fn next(&self) -> (Nanos, usize) {
        let (time, leaf) = self.winners[1];
        (time, leaf as usize)
    }

    /// Moves a leaf's event to `time`, or with `NEVER` removes it.
    #[inline]
    pub(crate) fn set(&mut self, leaf: usize, time: Nanos) {
        self.times[leaf] = time;
        self.replay(leaf);
    }

    #[inline]
    fn replay(&mut self, leaf: usize) {
        let left = leaf & !1;
        let (a, b) = (self.times[left], self.times[left + 1]);
        let mut winner = if b < a { (b, left as u32 + 1) } else { (a, left as u32) };
        let mut node = (self.times.len() + leaf) / 2;
        self.winners[node] = winner;
        while node > 1 {
            let sibling = self.winners[node ^ 1];
            // Equal times: the lower leaf is under the even node.
            let sibling_wins = sibling.0 < winner.0 || (sibling.0 == winner.0 && node & 1 == 1);
            winner = if sibling_wins { sibling } else { winner };
            node /= 2;
            self.winners[node] = winner;
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
}
