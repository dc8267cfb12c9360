//! Requests that go on, found by the sector that they begin at.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use smallvec::SmallVec;

use super::requests::Request;

/// Requests by first sector. One alone is at nearly all of them, which costs no allocation.
#[derive(Debug, Default)]
pub(super) struct Open {
    here: HashMap<u64, SmallVec<[Request; 1]>, FixedState>,
    count: usize,
}

impl Open {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Those that begin at a sector, in the order of their arrival.
    pub(super) fn at(&self, sector: u64) -> &[Request] {
        self.here.get(&sector).map_or(&[], |all| all)
    }

    /// The same, to be changed.
    pub(super) fn at_mut(&mut self, sector: u64) -> &mut [Request] {
        self.here.get_mut(&sector).map_or(&mut [], |all| all)
    }

    pub(super) fn insert(&mut self, sector: u64, request: Request) {
        let here = self.here.entry(sector).or_default();
        // One that comes back goes before those that arrived after it.
        let place = here.partition_point(|one| one.nth < request.nth);
        here.insert(place, request);
        self.count += 1;
    }

    /// Takes out the first one at a sector that is wanted.
    pub(super) fn remove(
        &mut self,
        sector: u64,
        wanted: impl Fn(&Request) -> bool,
    ) -> Option<Request> {
        let here = self.here.get_mut(&sector)?;
        let place = here.iter().position(wanted)?;
        let request = here.remove(place);
        if here.is_empty() {
            self.here.remove(&sector);
        }
        self.count -= 1;
        Some(request)
    }

    pub(super) fn clear(&mut self) {
        self.here.clear();
        self.count = 0;
    }

    /// Takes out all, in the order of their arrival.
    pub(super) fn take(&mut self) -> Vec<Request> {
        let all = std::mem::take(self).here.into_values();
        let mut all: Vec<_> = all.flatten().collect();
        all.sort_by_key(|one| one.nth);
        all
    }
}
