//! Events of several rings, in the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use blockyard_model::units::Nanos;

use super::ring::{Loss, Ring};

/// Rings, each of which is in the order of time.
#[derive(Debug)]
pub(super) struct Rings {
    all: Vec<Ring>,
    /// Losses whose time is not over.
    open: Vec<Loss>,
    /// Those that nobody took yet.
    losses: Vec<Loss>,
    events: u64,
}

impl Rings {
    pub(super) fn new(all: Vec<Ring>) -> Self {
        Self {
            all,
            open: Vec::new(),
            losses: Vec::new(),
            events: 0,
        }
    }

    /// Events that were given.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// Gives the events up to a moment, all of which are in their rings; says of each whether
    /// others of its time were lost. Those of one moment come in the order of the rings.
    pub(super) fn take(&mut self, until: Nanos, mut each: impl FnMut(Nanos, &[u8], bool)) {
        let mut heads = BinaryHeap::with_capacity(self.all.len());
        for place in 0..self.all.len() {
            if self.all[place].head().is_none() {
                self.advance(place, until);
            }
            heads.extend(self.head(place, until));
        }
        while let Some(first) = heads.pop() {
            // One ring has several in a row: what the others have next stays as it is meanwhile.
            let others = heads.peek().copied();
            let mut next = Some(first);
            while let Some(Reverse((time, place))) = next
                && next >= others
            {
                let lost = |loss: &Loss| loss.from < time && time <= loss.to;
                let lost = self.open.iter().any(lost);
                self.events += 1;
                each(time, self.all[place].event(), lost);
                self.advance(place, until);
                next = self.head(place, until);
            }
            if let Some(next) = next {
                heads.push(next);
            }
        }
        self.open.retain(|loss| loss.to > until);
    }

    /// Adds the losses that no ring told of, once nothing more is recorded.
    pub(super) fn lose_rest(&mut self, now: Nanos) {
        let rest = self.all.iter_mut().filter_map(|ring| ring.rest(now));
        self.losses.extend(rest);
    }

    /// The losses since the last call.
    pub(super) fn losses(&mut self) -> Vec<Loss> {
        std::mem::take(&mut self.losses)
    }

    fn advance(&mut self, place: usize, until: Nanos) {
        if let Some(loss) = self.all[place].advance(until) {
            self.open.push(loss);
            self.losses.push(loss);
        }
    }

    /// The next event of a ring, unless it is later.
    fn head(&self, place: usize, until: Nanos) -> Option<Reverse<(Nanos, usize)>> {
        let time = self.all[place].head().filter(|time| *time <= until)?;
        Some(Reverse((time, place)))
    }
}

#[cfg(test)]
#[path = "rings_tests.rs"]
mod tests;
