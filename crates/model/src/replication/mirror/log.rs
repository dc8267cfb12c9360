//! Which extents a mirror's dirty-region log names.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::spec::LogSpec;
use crate::units::{Bytes, Nanos};

/// A dirty-region log. What it forgets costs nothing: that goes with the next write to it.
#[derive(Clone, Debug)]
pub(super) struct Log {
    pub(super) spec: LogSpec,
    /// The extents in it: when each was written to last; none while it is being entered.
    dirty: BTreeMap<u64, Option<Nanos>>,
    /// Those that are entered, the one not written to for longest first.
    oldest: BTreeSet<(Nanos, u64)>,
    /// Flows that wait until an extent is entered.
    waiting: Vec<(u64, u32)>,
}

/// What a write must do before its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing: its extent is in the log.
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

    /// The extents that a range touches.
    #[inline]
    pub(super) fn extents(&self, offset: Bytes, len: Bytes) -> RangeInclusive<u64> {
        let bits = self.spec.extent.trailing_zeros();
        offset >> bits..=(offset + len.max(1) - 1) >> bits
    }

    /// `flow` writes to `extent` at `now`.
    pub(super) fn touch(&mut self, now: Nanos, extent: u64, flow: u32) -> Before {
        match self.dirty.get(&extent).copied() {
            Some(Some(last)) if last.saturating_add(self.spec.clean_after) > now => {
                self.move_to(now, last, extent);
                Before::Nothing
            }
            Some(None) => {
                self.waiting.push((extent, flow));
                Before::Wait
            }
            stale => {
                if let Some(Some(last)) = stale {
                    self.oldest.remove(&(last, extent));
                }
                while self.oldest.len() >= self.spec.active as usize {
                    if let Some((_, oldest)) = self.oldest.pop_first() {
                        self.dirty.remove(&oldest);
                    }
                }
                self.dirty.insert(extent, None);
                Before::Write
            }
        }
    }

    /// Where the extents that it names at `now` begin.
    pub(super) fn named(&self, now: Nanos) -> impl Iterator<Item = Bytes> + '_ {
        let dirty = self.dirty.iter();
        let named = dirty.filter(move |(_, last)| {
            last.is_none_or(|last| last.saturating_add(self.spec.clean_after) > now)
        });
        named.map(|(extent, _)| extent * self.spec.extent)
    }

    fn move_to(&mut self, now: Nanos, last: Nanos, extent: u64) {
        if last != now {
            self.oldest.remove(&(last, extent));
            self.oldest.insert((now, extent));
            self.dirty.insert(extent, Some(now));
        }
    }

    /// `extent` is in the log since `now`: gives `freed` those that waited for it.
    pub(super) fn entered(&mut self, now: Nanos, extent: u64, freed: &mut Vec<u32>) {
        self.dirty.insert(extent, Some(now));
        self.oldest.insert((now, extent));
        self.waiting.retain(|&(of, flow)| {
            if of == extent {
                freed.push(flow);
            }
            of != extent
        });
    }
}
