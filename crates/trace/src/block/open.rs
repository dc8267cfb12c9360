//! Requests that go on, found by the sector that they begin at.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use blockyard_model::units::Nanos;
use foldhash::fast::FixedState;
use smallvec::SmallVec;

use super::requests::Request;

/// Requests that begin at a sector. At nearly all it is one alone, which costs no allocation.
type Here = SmallVec<[Request; 1]>;

/// Requests by first sector.
#[derive(Debug, Default)]
pub(super) struct Open {
    here: HashMap<u64, Here, FixedState>,
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
        match self.here.entry(sector) {
            Entry::Vacant(here) => here.insert(SmallVec::new()).push(request),
            Entry::Occupied(mut here) => {
                let here = here.get_mut();
                // One that comes back goes before those that arrived after it.
                let place = here.partition_point(|one| one.nth < request.nth);
                here.insert(place, request);
            }
        }
        self.count += 1;
    }

    /// Takes out the first one at a sector that is wanted.
    pub(super) fn remove(
        &mut self,
        sector: u64,
        wanted: impl Fn(&Request) -> bool,
    ) -> Option<Request> {
        self.taken_out(sector, |all| Some(all.remove(all.iter().position(wanted)?)))
    }

    /// Takes out all at a sector that are wanted, and gives it if it is one.
    pub(super) fn remove_only(
        &mut self,
        sector: u64,
        wanted: impl Fn(&Request) -> bool,
    ) -> Option<Request> {
        self.taken_out(sector, |all| {
            let found = *all.iter().find(|one| wanted(one))?;
            let there = all.len();
            all.retain(|one| !wanted(one));
            (there - all.len() == 1).then_some(found)
        })
    }

    /// What `take` gives, which takes some out of those that begin at a sector.
    fn taken_out(
        &mut self,
        sector: u64,
        take: impl FnOnce(&mut Here) -> Option<Request>,
    ) -> Option<Request> {
        let Entry::Occupied(mut here) = self.here.entry(sector) else {
            return None;
        };
        let all = here.get_mut();
        let there = all.len();
        let taken = take(all);
        self.count -= there - all.len();
        if all.is_empty() {
            here.remove();
        }
        taken
    }

    pub(super) fn clear(&mut self) {
        self.here.clear();
        self.count = 0;
    }

    /// When the first one that goes on arrived.
    pub(super) fn oldest(&self) -> Option<Nanos> {
        let all = self.here.values().flatten();
        all.map(|one| one.arrival).min()
    }

    /// Takes out all, in the order of their arrival.
    pub(super) fn take(&mut self) -> Vec<Request> {
        let all = std::mem::take(self).here.into_values();
        let mut all: Vec<_> = all.flatten().collect();
        all.sort_by_key(|one| one.nth);
        all
    }
}
