//! Where groups of pages are in memory.

use alloc::vec::Vec;

/// The share of slots that are used at most is half, so that runs of used ones stay short.
const SLOTS_PER_FRAME: usize = 2;

/// 2^64 divided by the golden ratio: multiplied by it, numbers next to each other lie far apart
/// (Knuth, The Art of Computer Programming 3, 6.4).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// No frame.
const NONE: u32 = u32::MAX;

/// The frame of each group that is in memory: a hash table with linear probing. A warm pool of
/// 65,536 frames begins with a million accesses, most of whose time an ordered map would take.
/// Nothing depends on the order of its slots.
#[derive(Clone, Debug)]
pub(super) struct Places {
    slots: Vec<(u64, u32)>,
    /// Of a hash these many bits are left out.
    shift: u32,
}

impl Places {
    /// For so many frames.
    pub(super) fn new(frames: u32) -> Self {
        let slots = (frames as usize * SLOTS_PER_FRAME).next_power_of_two();
        // One slot would take all bits of a hash away, which is no shift.
        let slots = slots.max(2);
        Self {
            slots: alloc::vec![(0, NONE); slots],
            shift: u64::BITS - slots.ilog2(),
        }
    }

    /// The frame of a group, if it is in memory.
    #[inline]
    pub(super) fn get(&self, group: u64) -> Option<u32> {
        let (_, frame) = self.slots[self.slot(group)];
        (frame != NONE).then_some(frame)
    }

    /// How many groups are in memory.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.slots.iter().filter(|slot| slot.1 != NONE).count()
    }

    /// A group is now in a frame.
    pub(super) fn insert(&mut self, group: u64, frame: u32) {
        let slot = self.slot(group);
        self.slots[slot] = (group, frame);
    }

    /// A group is in memory no more.
    pub(super) fn remove(&mut self, group: u64) {
        let mut hole = self.slot(group);
        // Those behind it in the run that would not be found beyond an empty slot move up.
        let mut next = self.after(hole);
        while self.slots[next].1 != NONE {
            let home = self.home(self.slots[next].0);
            if self.steps(home, next) >= self.steps(hole, next) {
                self.slots[hole] = self.slots[next];
                hole = next;
            }
            next = self.after(next);
        }
        self.slots[hole] = (0, NONE);
    }

    /// The slot that a group has, or would have.
    #[inline]
    fn slot(&self, group: u64) -> usize {
        let mut slot = self.home(group);
        while self.slots[slot].1 != NONE && self.slots[slot].0 != group {
            slot = self.after(slot);
        }
        slot
    }

    /// The slot where the search for a group begins.
    #[inline]
    fn home(&self, group: u64) -> usize {
        (group.wrapping_mul(SPREAD) >> self.shift) as usize
    }

    #[inline]
    fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    /// How many slots lie from one to another, around the end.
    fn steps(&self, from: usize, to: usize) -> usize {
        to.wrapping_sub(from) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As an ordered map, with any groups that come and go.
        #[test]
        fn places_are_those_of_a_map(
            frames in 1..12_u32,
            accesses in prop::collection::vec(prop_oneof![0..30_u64, any::<u64>()], 1..200),
        ) {
            let mut places = Places::new(frames);
            let mut map = BTreeMap::new();
            for (number, &group) in (0..).zip(&accesses) {
                if map.remove(&group).is_some() {
                    places.remove(group);
                } else if map.len() < frames as usize {
                    map.insert(group, number);
                    places.insert(group, number);
                }
                for group in &accesses {
                    prop_assert_eq!(places.get(*group), map.get(group).copied());
                }
            }
        }
    }
}
