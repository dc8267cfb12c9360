//! Which volumes may be put together: data of one variant with a journal on the same volumes, or
//! on those of another variant, by widths.

use crate::search::{Combination, MOST_VOLUMES, Search, Sized, Stored, Widths};

/// The variants of the data and of the journal, which may have none of its own.
pub(crate) type Pair = (usize, Option<usize>);

impl Search<'_, '_> {
    /// All volumes that hold the load behind a class, with data on one type.
    pub(crate) fn stored_of(&self, class: usize, volume_type: usize) -> Vec<(Combination, Stored)> {
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
        let has_journal = self.wanted.journal.is_some();
        let in_time = |variant: &usize| self.late[*variant][1].is_none();
        let shared = (!has_journal || in_time(&data)).then_some((data, None));
        let journals = class.iter().flatten().copied();
        let journals = journals.filter(|it| has_journal && in_time(it));
        let apart = journals.map(|journal| (data, Some(journal)));
        shared.into_iter().chain(apart).collect()
    }

    pub(crate) fn counted(&self, (data, journal): Pair) -> Combination {
        let of = |variant: usize| self.market.variants[variant].counting;
        Combination {
            data: of(data),
            journal: journal.map(of),
        }
    }

    /// The volumes of a pair that hold the load, of those widths that `choose` leaves.
    fn stored<'s>(
        &'s self,
        (data, journal): Pair,
        choose: impl Fn(&'s Widths) -> Vec<&'s Sized>,
    ) -> Vec<Stored> {
        let mut all = Vec::new();
        match journal {
            None => {
                all.extend(
                    choose(&self.tables.both[data])
                        .into_iter()
                        .map(|one| Stored {
                            price: one.price,
                            data: (data, one.count),
                            journal: None,
                        }),
                );
            }
            Some(journal) => {
                let of_data = choose(&self.tables.data[data]);
                for on_journal in choose(&self.tables.journal[journal]) {
                    all.extend(of_data.iter().map(|on_data| Stored {
                        price: on_data.price + on_journal.price,
                        data: (data, on_data.count),
                        journal: Some((journal, on_journal.count)),
                    }));
                }
            }
        }
        all.retain(|stored| {
            self.wanted
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
    pub(crate) fn cheapest_of(&self, pair: Pair) -> Vec<Stored> {
        let stored = self.stored(pair, |table| {
            let mut least = i64::MAX;
            let all = table.iter().flatten();
            all.filter(|one| {
                let cheaper = one.price < least;
                least = least.min(one.price);
                cheaper || !self.wanted.quotas.is_empty()
            })
            .collect()
        });
        let mut best: Vec<Option<Stored>> = vec![None; MOST_VOLUMES];
        for one in stored {
            let slot = &mut best[one.volumes() as usize - 1];
            if slot.is_none_or(|it| one.key() < it.key()) {
                *slot = Some(one);
            }
        }
        best.into_iter().flatten().collect()
    }

    /// Whether the instance has as many disks of its own as data and journal take together.
    fn disks_suffice(&self, stored: &Stored) -> bool {
        let same = |(journal, _): &(usize, u32)| *journal == stored.data.0;
        let disks = self.market.variants[stored.data.0].disks;
        let both = stored.journal.filter(same);
        both.is_none_or(|(_, width)| disks.is_none_or(|has| stored.data.1 + width <= has))
    }
}
