//! Where a goal is met, without trying every combination: the cheapest that meets it.
//!
//! The prices of all combinations are known before anything is simulated. A box of the grid whose
//! corners agree is taken to be of one kind, so only boxes in which the goal changes from met to
//! missed are split, the cheapest first, and none that holds nothing cheaper than what is known to
//! meet the goal. That is right where a goal, along an axis, changes once.

use std::collections::{BTreeMap, BTreeSet};

/// How many boxes are looked at in a round: the same on any machine, so that the answer is too.
const AT_ONCE: usize = 4;

/// What is known of a combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It meets the goals.
    Met,
    /// It does not.
    Missed,
    /// It cannot be bought or run.
    Refused,
}

/// A search of a grid, whose last axis varies fastest.
#[derive(Debug)]
pub struct Search {
    sizes: Vec<usize>,
    /// In dollars a month; none where no price is known.
    prices: Vec<Option<f64>>,
    known: BTreeMap<usize, Verdict>,
    open: Vec<Cells>,
    tried: usize,
}

/// A box of the grid, from and to on each axis, both within.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cells(Vec<(usize, usize)>);

impl Search {
    /// Of a grid with axes of these `sizes`; an axis that has no `order`, such as volume types, is
    /// tried value by value. `refused` are known before.
    #[must_use]
    pub fn new(
        sizes: &[usize],
        order: &[bool],
        prices: Vec<Option<f64>>,
        refused: impl IntoIterator<Item = usize>,
    ) -> Self {
        let mut open = vec![Cells(Vec::new())];
        for (&size, &ordered) in sizes.iter().zip(order) {
            let ranges: Vec<_> = match ordered {
                true => vec![(0, size - 1)],
                false => (0..size).map(|value| (value, value)).collect(),
            };
            let with = |cells: &Cells| {
                let each = ranges.iter();
                let each = each.map(|range| Cells([&cells.0[..], &[*range]].concat()));
                each.collect::<Vec<_>>()
            };
            open = open.iter().flat_map(with).collect();
        }
        let refused = refused.into_iter().map(|one| (one, Verdict::Refused));
        Self {
            sizes: sizes.to_vec(),
            prices,
            known: refused.collect(),
            open,
            tried: 0,
        }
    }

    /// The combinations to try next; none at the end. All must be [told](Self::tell) before the
    /// next call.
    pub fn next_round(&mut self) -> Vec<usize> {
        loop {
            self.drop_dear();
            // The cheapest first; of equals the earlier.
            let open = std::mem::take(&mut self.open).into_iter();
            let price = |cells: &Cells| self.cheapest(cells).1.unwrap_or(f64::INFINITY);
            let mut open: Vec<_> = open.map(|cells| (price(&cells), cells)).collect();
            open.sort_by(|a, b| a.0.total_cmp(&b.0));
            self.open = open.into_iter().map(|(_, cells)| cells).collect();
            if self.open.is_empty() {
                return Vec::new();
            }
            let now: Vec<_> = self.open.drain(..self.open.len().min(AT_ONCE)).collect();
            let (mut wanted, mut left) = (BTreeSet::new(), Vec::new());
            for cells in now {
                let unknown: Vec<_> = self.unknown(&cells);
                match unknown.is_empty() {
                    true => left.extend(self.parts(&cells, &mut wanted)),
                    false => {
                        wanted.extend(unknown);
                        left.push(cells);
                    }
                }
            }
            self.open.extend(left);
            if !wanted.is_empty() {
                return wanted.into_iter().collect();
            }
        }
    }

    /// What was found of a combination.
    pub fn tell(&mut self, combination: usize, met: bool) {
        let verdict = if met { Verdict::Met } else { Verdict::Missed };
        if self.known.insert(combination, verdict).is_none() {
            self.tried += 1;
        }
    }

    /// The cheapest combination that is known to meet the goals; of equal prices the first.
    #[must_use]
    pub fn best(&self) -> Option<usize> {
        let met = self
            .known
            .iter()
            .filter(|(_, verdict)| **verdict == Verdict::Met);
        let price = |combination: usize| self.prices[combination].unwrap_or(f64::INFINITY);
        met.map(|(combination, _)| *combination)
            .min_by(|a, b| price(*a).total_cmp(&price(*b)))
    }

    /// How many combinations were tried.
    #[must_use]
    pub fn tried(&self) -> usize {
        self.tried
    }

    /// Drops boxes in which nothing is cheaper than what meets the goals.
    fn drop_dear(&mut self) {
        let best = self.best().and_then(|best| self.prices[best]);
        let mut open = std::mem::take(&mut self.open);
        open.retain(|cells| match (self.cheapest(cells), best) {
            // All of it is refused.
            ((None, _), _) => false,
            ((_, Some(price)), Some(best)) => price < best,
            _ => true,
        });
        self.open = open;
    }

    /// The cheapest combination of a box that is not refused, and its price.
    fn cheapest(&self, cells: &Cells) -> (Option<usize>, Option<f64>) {
        let price = |one: usize| self.prices[one].unwrap_or(f64::INFINITY);
        let some = cells.points(&self.sizes).into_iter();
        let some = some.filter(|one| self.known.get(one) != Some(&Verdict::Refused));
        let cheapest = some.min_by(|a, b| price(*a).total_cmp(&price(*b)));
        (cheapest, cheapest.and_then(|one| self.prices[one]))
    }

    /// The corners of a box of which nothing is known.
    fn unknown(&self, cells: &Cells) -> Vec<usize> {
        let corners = cells.corners(&self.sizes).into_iter();
        corners
            .filter(|corner| !self.known.contains_key(corner))
            .collect()
    }

    /// The boxes that are left of one whose corners are known. Of one that meets the goals
    /// throughout the cheapest is wanted.
    fn parts(&self, cells: &Cells, wanted: &mut BTreeSet<usize>) -> Vec<Cells> {
        let corners = cells.corners(&self.sizes);
        let are = |verdict| corners.iter().all(|corner| self.known[corner] == verdict);
        if are(Verdict::Missed) {
            return Vec::new();
        }
        if are(Verdict::Met) {
            let (cheapest, _) = self.cheapest(cells);
            wanted.extend(cheapest.filter(|one| !self.known.contains_key(one)));
            return Vec::new();
        }
        cells.split()
    }
}

impl Cells {
    fn corners(&self, sizes: &[usize]) -> Vec<usize> {
        self.picked(sizes, |&(from, to)| match from == to {
            true => vec![from],
            false => vec![from, to],
        })
    }

    fn points(&self, sizes: &[usize]) -> Vec<usize> {
        self.picked(sizes, |&(from, to)| (from..=to).collect())
    }

    /// The combinations of all these places on each axis.
    fn picked(
        &self,
        sizes: &[usize],
        places: impl Fn(&(usize, usize)) -> Vec<usize>,
    ) -> Vec<usize> {
        self.0
            .iter()
            .zip(sizes)
            .fold(vec![0], |found, (range, size)| {
                let places = places(range);
                let with = |before: usize| places.iter().map(move |place| before * size + place);
                found.into_iter().flat_map(with).collect()
            })
    }

    /// Two halves of the longest side, which share the middle: none of a box whose sides have no
    /// middle, as all its points are corners.
    fn split(&self) -> Vec<Self> {
        let length = |axis: &usize| self.0[*axis].1 - self.0[*axis].0;
        // Of equals the first.
        let longest = (0..self.0.len()).rev().max_by_key(length);
        let Some(axis) = longest.filter(|axis| length(axis) > 1) else {
            return Vec::new();
        };
        let (from, to) = self.0[axis];
        let middle = from.midpoint(to);
        let part = |range| {
            let mut part = self.clone();
            part.0[axis] = range;
            part
        };
        vec![part((from, middle)), part((middle, to))]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Carries a search out on a grid that is known, and the cheapest by looking at all of it.
    fn both(
        sizes: &[usize],
        order: &[bool],
        prices: &[f64],
        met: &dyn Fn(usize) -> bool,
        refused: &[usize],
    ) -> (Search, Option<f64>) {
        let some = prices.iter().map(|price| Some(*price)).collect();
        let mut search = Search::new(sizes, order, some, refused.iter().copied());
        loop {
            let round = search.next_round();
            if round.is_empty() {
                break;
            }
            for combination in round {
                assert!(!refused.contains(&combination));
                search.tell(combination, met(combination));
            }
        }
        let all = (0..prices.len()).filter(|one| !refused.contains(one) && met(*one));
        let best = all.map(|one| prices[one]).min_by(f64::total_cmp);
        (search, best)
    }

    proptest! {
        /// Goals that change once along each axis: more of `gives` is better or not worse.
        #[test]
        fn it_finds_what_the_whole_grid_has(
            sizes in prop::collection::vec(1_usize..9, 3),
            slopes in prop::collection::vec(-5_i64..6, 3),
            costs in prop::collection::vec(0_u32..9, 3),
            bound in -40_i64..40,
            unordered in prop::option::of(0_usize..3),
            refuse_above in 0_usize..30,
        ) {
            let count: usize = sizes.iter().product();
            let places = |one: usize| [one / (sizes[1] * sizes[2]), one / sizes[2] % sizes[1], one % sizes[2]];
            let order: Vec<_> = (0..3).map(|axis| unordered != Some(axis)).collect();
            let met = |one: usize| {
                let sum = places(one).iter().zip(&slopes).enumerate().map(|(axis, (&place, slope))| {
                    // Values without an order come in any.
                    let place = if order[axis] { place } else { place * 5 % 7 };
                    place as i64 * slope
                }).sum::<i64>();
                sum >= bound
            };
            let prices: Vec<_> = (0..count).map(|one| {
                places(one).iter().zip(&costs).map(|(&place, &cost)| place as f64 * f64::from(cost)).sum()
            }).collect();
            let refused: Vec<_> = (0..count).filter(|one| places(*one).iter().sum::<usize>() > refuse_above).collect();
            let (search, best) = both(&sizes, &order, &prices, &met, &refused);
            prop_assert_eq!(search.best().map(|one| prices[one]), best);
        }
    }

    #[test]
    fn it_tries_dozens_where_the_grid_has_thousands() {
        let sizes = [50, 60];
        let met = |one: usize| (one / 60) + (one % 60) >= 55;
        // A step of the first axis costs twice as much.
        let prices: Vec<_> = (0..3000)
            .map(|one| ((one / 60) * 2 + one % 60) as f64)
            .collect();
        let (search, best) = both(&sizes, &[true, true], &prices, &met, &[]);
        assert_eq!(search.best().map(|one| prices[one]), best);
        assert!(search.tried() < 100, "{}", search.tried());
    }
}
