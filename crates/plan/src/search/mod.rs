//! The search: exact, as everything that decides adds up.
//!
//! What a layout costs is the sum of instance, data volumes and journal volumes. Which volumes
//! hold a load depends on the class of the instance alone, and whether an instance holds it
//! depends on how the volume types count, not on how many volumes there are. So for each class,
//! type and width the cheapest volumes are worked out once ([`Tables`]); for each class and pair
//! of types the cheapest pair of widths, for every number of volumes that may be attached; and
//! each instance then only adds its price.

pub(crate) mod candidates;
pub(crate) mod joint_limits;
pub(crate) mod latency;
pub(crate) mod loss;
pub(crate) mod pairs;
pub(crate) mod tables;
pub(crate) mod volumes;

use std::collections::BTreeMap;

use crate::market::inter_zone::InterZoneTraffic;
use crate::market::{Host, Market};
use crate::reason::Reason;
use crate::requirement::needs::{Needs, Of};
use crate::search::candidates::{Candidate, Combination, Ranked, Stored};
use crate::search::joint_limits::attachable;
use crate::search::latency::missed;
use crate::search::pairs::Pair;
use crate::search::tables::Tables;

/// The search for one certain requirement.
pub(crate) struct Search<'a, 'm> {
    pub(crate) market: &'m Market<'a>,
    pub(crate) needs: &'m Needs,
    pub(crate) tables: Tables,
    /// By variant: the latency goal that it misses for data, and for the journal.
    pub(crate) late: Vec<[Option<Reason>; 2]>,
    /// What goes from zone to zone, whatever the layout.
    pub(crate) inter_zone: Option<InterZoneTraffic>,
}

/// The cheapest volumes of pairs of variants, once they are known.
type Known<'t> = BTreeMap<Pair, Vec<Stored<'t>>>;

impl<'a, 'm> Search<'a, 'm> {
    /// # Errors
    /// If what any layout has cannot be paid for, as its price is not known.
    pub(crate) fn new(market: &'m Market<'a>, needs: &'m Needs) -> Result<Self, Reason> {
        let inter_zone = InterZoneTraffic::of(needs, market.prices);
        let late = market.variants.iter().map(|variant| {
            [[Of::Read, Of::Write].as_slice(), &[Of::Journal]].map(|of| missed(variant, needs, of))
        });
        Ok(Self {
            market,
            needs,
            tables: Tables::new(market, needs),
            late: late.collect(),
            inter_zone: inter_zone.map_err(|message| Reason::PriceUnknown { message })?,
        })
    }

    pub(crate) fn copies(&self) -> u32 {
        self.needs.copies.count()
    }

    /// The cheapest layout with data on each volume type, by type.
    pub(crate) fn by_type(&self) -> Vec<Option<Candidate<'_>>> {
        let mut best: Vec<Option<Candidate<'_>>> = vec![None; self.market.types.len()];
        let mut known = Known::new();
        let per_class: Vec<Vec<Vec<Ranked<'_>>>> = (0..self.market.classes.len())
            .map(|class| self.ranked(class, &mut known))
            .collect();
        for (number, host) in self.market.instances.iter().enumerate() {
            let most = attachable(host, self.needs);
            let mut held: Vec<(Combination, bool)> = Vec::new();
            for (volume_type, ranked) in per_class[host.class].iter().enumerate() {
                for one in ranked {
                    let stored = one.within(most);
                    let candidate = stored.and_then(|stored| self.candidate(number, host, stored));
                    let Some(candidate) = candidate else { continue };
                    let holds = match held.iter().find(|(it, _)| *it == one.counted) {
                        Some((_, holds)) => *holds,
                        None => {
                            let holds = self.host_lacks(host, one.counted).is_empty();
                            held.push((one.counted, holds));
                            holds
                        }
                    };
                    if holds && best[volume_type].is_none_or(|it| candidate.is_before(&it)) {
                        best[volume_type] = Some(candidate);
                    }
                }
            }
        }
        best
    }

    /// The cheapest layout of the fewest volumes, with data on volumes of one type.
    pub(crate) fn fewest(&self, volume_type: usize) -> Option<Candidate<'_>> {
        let of_class = self.stored_of_classes(volume_type);
        let mut best: Option<Candidate<'_>> = None;
        for (number, host) in self.market.instances.iter().enumerate() {
            for (counted, stored) in &of_class[host.class] {
                let Some(candidate) = self.attached(number, host, *stored) else {
                    continue;
                };
                let key = |it: &Candidate<'_>| (it.stored.volumes(), it.key());
                let better = best.as_ref().is_none_or(|it| key(&candidate) < key(it));
                if better && self.host_lacks(host, *counted).is_empty() {
                    best = Some(candidate);
                }
            }
        }
        best
    }

    /// The cheapest layout of each number of data volumes of one type, cheapest first.
    pub(crate) fn by_width(&self, volume_type: usize) -> Vec<Candidate<'_>> {
        let mut best: BTreeMap<u32, Candidate<'_>> = BTreeMap::new();
        let of_class = self.stored_of_classes(volume_type);
        let of_class: Vec<_> = of_class.iter().map(|it| cheapest_widths(it)).collect();
        for (number, host) in self.market.instances.iter().enumerate() {
            for (counted, stored) in &of_class[host.class] {
                let Some(candidate) = self.attached(number, host, *stored) else {
                    continue;
                };
                let width = stored.data.sized.count;
                if best.get(&width).is_none_or(|it| candidate.is_before(it))
                    && self.host_lacks(host, *counted).is_empty()
                {
                    best.insert(width, candidate);
                }
            }
        }
        let mut candidates: Vec<Candidate<'_>> = best.into_values().collect();
        candidates.sort_by_key(Candidate::key);
        candidates
    }

    /// An instance with volumes; none if it does not take that many, or has no known price.
    fn attached<'s>(
        &self,
        number: usize,
        host: &Host<'_>,
        stored: Stored<'s>,
    ) -> Option<Candidate<'s>> {
        let candidate = self.candidate(number, host, stored);
        candidate.filter(|it| it.stored.volumes() <= attachable(host, self.needs))
    }

    /// An instance with volumes; none if its price is not known.
    fn candidate<'s>(
        &self,
        number: usize,
        host: &Host<'_>,
        stored: Stored<'s>,
    ) -> Option<Candidate<'s>> {
        let one = host.price.as_ref().ok()? + stored.price;
        Some(Candidate {
            price: i64::from(self.copies()) * one,
            host: number,
            stored,
        })
    }

    fn stored_of_classes(&self, volume_type: usize) -> Vec<Vec<(Combination, Stored<'_>)>> {
        (0..self.market.classes.len())
            .map(|class| self.stored_of(class, volume_type))
            .collect()
    }

    /// For each data type of a class: by way of placing the journal, the cheapest volumes. Many
    /// classes have the same pairs of variants, which are `known` once worked out.
    fn ranked<'s>(&'s self, class: usize, known: &mut Known<'s>) -> Vec<Vec<Ranked<'s>>> {
        let types = 0..self.market.types.len();
        let of = types.map(|volume_type| {
            let mut ranked: Vec<Ranked<'s>> = Vec::new();
            for pair in self.pairs(class, volume_type) {
                let counted = self.counted(pair);
                let place = ranked.iter().position(|it| it.counted == counted);
                let place = place.unwrap_or_else(|| {
                    ranked.push(Ranked::new(counted));
                    ranked.len() - 1
                });
                let stored = known.entry(pair).or_insert_with(|| self.cheapest_of(pair));
                stored.iter().for_each(|one| ranked[place].put(*one));
            }
            ranked.iter_mut().for_each(Ranked::accumulate);
            ranked
        });
        of.collect()
    }
}

/// The cheapest of each way of counting and width of the data, whatever its journal.
fn cheapest_widths<'t>(all: &[(Combination, Stored<'t>)]) -> Vec<(Combination, Stored<'t>)> {
    let mut cheapest: Vec<(Combination, Stored<'t>)> = Vec::new();
    for (counted, stored) in all {
        let same = |it: &&mut (Combination, Stored<'t>)| {
            it.0 == *counted && it.1.data.sized.count == stored.data.sized.count
        };
        match cheapest.iter_mut().find(same) {
            Some((_, known)) if stored.key() < known.key() => *known = *stored,
            Some(_) => {}
            None => cheapest.push((*counted, *stored)),
        }
    }
    cheapest
}
