//! A layout as what the market and the tables have, and which of two comes first.

use crate::load::streams::Counting;
use crate::search::loss::Loss;
use crate::search::tables::{Sized, WIDEST};

/// Data and journal, each as wide as can be.
const MOST_VOLUMES: usize = 2 * WIDEST as usize;

/// A layout: an instance by its number in the market, and volumes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate<'t> {
    /// Of all copies, in millionths of a dollar a month.
    pub(crate) price: i64,
    pub(crate) host: usize,
    pub(crate) stored: Stored<'t>,
}

/// Volumes of one copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stored<'t> {
    pub(crate) price: i64,
    pub(crate) loss: Loss,
    pub(crate) data: Placed<'t>,
    /// None where the journal lies with the data, or there is none.
    pub(crate) journal: Option<Placed<'t>>,
}

/// Equal volumes of a variant, by its number in the market.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed<'t> {
    pub(crate) variant: usize,
    pub(crate) sized: &'t Sized,
}

/// How the types of a layout count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Combination {
    pub(crate) data: Counting,
    pub(crate) journal: Option<Counting>,
}

impl<'t> Stored<'t> {
    pub(crate) fn new(data: Placed<'t>, journal: Option<Placed<'t>>) -> Self {
        let failing = |it: &Placed<'_>| (it.sized.failures, it.sized.count);
        Self {
            loss: Loss::of([&data].into_iter().chain(&journal).map(failing)),
            price: data.sized.price + journal.map_or(0, |it| it.sized.price),
            data,
            journal,
        }
    }

    pub(crate) fn volumes(&self) -> u32 {
        self.data.sized.count + self.journal.map_or(0, |it| it.sized.count)
    }

    /// Cheaper first; of equally cheap ones that which is lost less often, then the one with fewer
    /// volumes.
    pub(crate) fn key(&self) -> (i64, Loss, u32) {
        (self.price, self.loss, self.volumes())
    }
}

impl Candidate<'_> {
    /// A total order among those with data on one type, so that the same requirement always gets
    /// the same layout.
    pub(crate) fn key(&self) -> (i64, Loss, u32, usize) {
        let (_, loss, volumes) = self.stored.key();
        (self.price, loss, volumes, self.host)
    }

    pub(crate) fn is_before(&self, other: &Self) -> bool {
        self.key() < other.key()
    }
}

/// The cheapest volumes by how many there may be, of those that count alike.
pub(crate) struct Ranked<'t> {
    pub(crate) counted: Combination,
    cheapest: Cheapest<'t>,
}

impl<'t> Ranked<'t> {
    pub(crate) fn new(counted: Combination) -> Self {
        let cheapest = Cheapest::new();
        Self { counted, cheapest }
    }

    pub(crate) fn put(&mut self, one: Stored<'t>) {
        self.cheapest.put(one);
    }

    /// From the cheapest of exactly n volumes to the cheapest of at most n.
    pub(crate) fn accumulate(&mut self) {
        let mut least: Option<Stored<'t>> = None;
        for slot in &mut self.cheapest.by_volumes {
            if let Some(own) = *slot
                && least.is_none_or(|it| own.key() < it.key())
            {
                least = Some(own);
            }
            *slot = least;
        }
    }

    /// Once it is accumulated: the cheapest of at most n volumes.
    pub(crate) fn within(&self, most: u32) -> Option<Stored<'t>> {
        let place = (most as usize).min(MOST_VOLUMES).checked_sub(1)?;
        self.cheapest.by_volumes[place]
    }
}

/// For each number of volumes, from 1, the cheapest.
pub(crate) struct Cheapest<'t> {
    by_volumes: Vec<Option<Stored<'t>>>,
}

impl<'t> Cheapest<'t> {
    pub(crate) fn new() -> Self {
        Self {
            by_volumes: vec![None; MOST_VOLUMES],
        }
    }

    pub(crate) fn put(&mut self, one: Stored<'t>) {
        let slot = &mut self.by_volumes[one.volumes() as usize - 1];
        if slot.is_none_or(|it| one.key() < it.key()) {
            *slot = Some(one);
        }
    }

    pub(crate) fn all(self) -> impl Iterator<Item = Stored<'t>> {
        self.by_volumes.into_iter().flatten()
    }
}
