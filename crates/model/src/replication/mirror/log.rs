//! Which regions a mirror's dirty-region log names.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::spec::LogSpec;
use crate::units::Nanos;

/// A dirty-region log. What it forgets costs nothing: that goes with the next write to it.
#[derive(Clone, Debug)]
pub(super) struct Log {
    pub(super) spec: LogSpec,
    /// The regions in it: when each was written to last; none while it is being entered.
    dirty: BTreeMap<u64, Option<Nanos>>,
    /// Those that are entered, the one not written to for longest first.
    oldest: BTreeSet<(Nanos, u64)>,
    /// Flows that wait until a region is entered.
    waiting: Vec<(u64, u32)>,
}

/// What a write must do before its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing: its region is in the log.
    Nothing,
    /// Write the log, and then tell of it with [`Log::entered`].
    Write,
    /// Wait for another's write to the log.
    Wait,
}

impl Log {
    pub(super) fn new(spec: LogSpec) -> Self {
        Self {
            spec,
            dirty: BTreeMap::new(),
            oldest: BTreeSet::new(),
            waiting: Vec::new(),
        }
    }

    /// `flow` writes to `region` at `now`.
    pub(super) fn touch(&mut self, now: Nanos, region: u64, flow: u32) -> Before {
        match self.dirty.get(&region).copied() {
            Some(Some(last)) if last.saturating_add(self.spec.clean_after) > now => {
                self.move_to(now, last, region);
                Before::Nothing
            }
            Some(None) => {
                self.waiting.push((region, flow));
                Before::Wait
            }
            stale => {
                if let Some(Some(last)) = stale {
                    self.oldest.remove(&(last, region));
                }
                while self.oldest.len() >= self.spec.active as usize {
                    if let Some((_, oldest)) = self.oldest.pop_first() {
                        self.dirty.remove(&oldest);
                    }
                }
                self.dirty.insert(region, None);
                Before::Write
            }
        }
    }

    /// The regions that it names at `now`.
    pub(super) fn named(&self, now: Nanos) -> impl Iterator<Item = u64> + '_ {
        let dirty = self.dirty.iter();
        let named = dirty.filter(move |(_, last)| {
            last.is_none_or(|last| last.saturating_add(self.spec.clean_after) > now)
        });
        named.map(|(region, _)| *region)
    }

    fn move_to(&mut self, now: Nanos, last: Nanos, region: u64) {
        if last != now {
            self.oldest.remove(&(last, region));
            self.oldest.insert((now, region));
            self.dirty.insert(region, Some(now));
        }
    }

    /// `region` is in the log since `now`: gives `freed` those that waited for it.
    pub(super) fn entered(&mut self, now: Nanos, region: u64, freed: &mut Vec<u32>) {
        self.dirty.insert(region, Some(now));
        self.oldest.insert((now, region));
        self.waiting.retain(|&(of, flow)| {
            if of == region {
                freed.push(flow);
            }
            of != region
        });
    }
}
