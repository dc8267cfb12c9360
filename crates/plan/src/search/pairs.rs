//! Which volumes may be put together: data of one variant with a journal on the same volumes, or
//! on those of another variant, by widths.

use crate::search::Search;
use crate::search::candidates::{Cheapest, Combination, Placed, Stored};
use crate::search::tables::{Sized, Widths};

/// The variants of the data and of the journal, which may have none of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    data: usize,
    journal: Option<usize>,
}

impl Search<'_, '_> {
    /// All volumes that hold the load behind a class, with data on one type.
    pub(crate) fn stored_of(
        &self,
        class: usize,
        volume_type: usize,
    ) -> Vec<(Combination, Stored<'_>)> {
        let pairs = self.pairs(class, volume_type).into_iter();
        let of = pairs.flat_map(|pair| {
            let stored = self.stored(pair, |table| table.iter().flatten().collect());
            let counted = self.counted(pair);
            stored.into_iter().map(move |stored| (counted, stored))
        });
        of.collect()
    }

    /// The variants that data of one type, and the journal, may lie on behind a class.
    pub(crate) fn pairs(&self, class: usize, volume_type: usize) -> Vec<Pair> {
        let class = &self.market.classes[class];
        let Ok(data) = class[volume_type] else {
            return Vec::new();
        };
        if self.late[data][0].is_some() {
            return Vec::new();
        }
        let has_journal = self.needs.journal.is_some();
        let in_time = |variant: &usize| self.late[*variant][1].is_none();
        let shared = (!has_journal || in_time(&data)).then_some(Pair {
            data,
            journal: None,
        });
        let journals = class.iter().flatten().copied();
        let journals = journals.filter(|it| has_journal && in_time(it));
        let apart = journals.map(|journal| Pair {
            data,
            journal: Some(journal),
        });
        shared.into_iter().chain(apart).collect()
    }

    pub(crate) fn counted(&self, pair: Pair) -> Combination {
        let of = |variant: usize| self.market.variants[variant].counting;
        Combination {
            data: of(pair.data),
            journal: pair.journal.map(of),
        }
    }

    /// The volumes of a pair that hold the load, of those widths that `choose` leaves.
    fn stored<'s>(
        &'s self,
        pair: Pair,
        choose: impl Fn(&'s Widths) -> Vec<&'s Sized>,
    ) -> Vec<Stored<'s>> {
        let of = |variant: usize, table: &'s [Widths]| {
            let sized = choose(&table[variant]).into_iter();
            sized.map(move |sized| Placed { variant, sized })
        };
        let mut all: Vec<Stored<'s>> = match pair.journal {
            None => of(pair.data, &self.tables.both)
                .map(|one| Stored::new(one, None))
                .collect(),
            Some(journal) => {
                let on_data: Vec<_> = of(pair.data, &self.tables.data).collect();
                of(journal, &self.tables.journal)
                    .flat_map(|own| on_data.iter().map(move |one| Stored::new(*one, Some(own))))
                    .collect()
            }
        };
        all.retain(|stored| {
            self.needs
                .at_most
                .is_none_or(|most| stored.volumes() <= most)
                && self.disks_suffice(stored)
                && self.quota_lacks(stored).is_none()
                && self.fails_too_often(stored).is_none()
        });
        all
    }

    /// The cheapest volumes of a pair for each number of volumes. A width that costs no less than
    /// a smaller one is left out: fewer volumes never break a bound that more of them keep, but
    /// for quotas.
    pub(crate) fn cheapest_of(&self, pair: Pair) -> Vec<Stored<'_>> {
        let stored = self.stored(pair, |table| {
            let mut least = i64::MAX;
            let all = table.iter().flatten();
            all.filter(|one| {
                let cheaper = one.price < least;
                least = least.min(one.price);
                cheaper || !self.needs.quotas.is_empty()
            })
            .collect()
        });
        let mut cheapest = Cheapest::new();
        stored.into_iter().for_each(|one| cheapest.put(one));
        cheapest.all().collect()
    }

    /// Whether the instance has as many disks of its own as data and journal take together.
    fn disks_suffice(&self, stored: &Stored<'_>) -> bool {
        let disks = self.market.variants[stored.data.variant].disks;
        let both = stored
            .journal
            .filter(|it| it.variant == stored.data.variant);
        both.is_none_or(|_| disks.is_none_or(|has| stored.volumes() <= has))
    }
}
