//! The largest load at which goals hold with a probability: which load to try next with many seeds,
//! by what became of those that were tried.
//!
//! The search of one seed ends near it. From there it goes down, or up, in growing steps until one
//! load holds and one above it does not, and then halves what lies between. Like that search it
//! knows nothing of simulations.

use std::collections::BTreeMap;

/// Whether the goals hold with the probability, by load.
pub(crate) type Verdicts = BTreeMap<u64, bool>;

/// Steps from where the first seed's search ends, in 1/1000 of that.
const STEPS: [u64; 7] = [10, 20, 40, 80, 160, 320, 640];

/// Where to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descent {
    /// The largest load at which the goals hold with the first seed.
    pub(crate) start: u64,
    /// The load above it at which they no longer do, if there is one.
    pub(crate) missed: Option<u64>,
    /// The smallest load that can be asked for.
    pub(crate) least: u64,
    /// The largest.
    pub(crate) most: u64,
}

impl Descent {
    /// The load to try next; none once the answer is found.
    pub(crate) fn next(&self, verdicts: &Verdicts) -> Option<u64> {
        match bounds(verdicts) {
            (None, None) => Some(self.start),
            (None, Some(missed)) => self.below(missed),
            (Some(holds), None) => self.above(holds),
            (Some(holds), Some(missed)) => {
                let apart = (holds / 100).max(1);
                (missed - holds > apart).then(|| holds + (missed - holds) / 2)
            }
        }
    }

    fn below(&self, missed: u64) -> Option<u64> {
        let steps = STEPS
            .iter()
            .map(|step| self.start - self.start * step / 1000);
        let next = steps.chain([self.least]).find(|load| *load < missed);
        next.map(|load| load.max(self.least))
            .filter(|load| *load < missed)
    }

    fn above(&self, holds: u64) -> Option<u64> {
        let from = self.missed?;
        let steps = STEPS.iter().map(|step| from + (from * step).div_ceil(1000));
        let mut next = [from].into_iter().chain(steps).chain([self.most]);
        next.find_map(|load| Some(load.min(self.most)).filter(|load| *load > holds))
    }
}

/// The largest load that holds, and the smallest above it that does not.
pub(crate) fn bounds(verdicts: &Verdicts) -> (Option<u64>, Option<u64>) {
    let holds = verdicts.iter().rfind(|(_, holds)| **holds);
    let holds = holds.map(|(load, _)| *load);
    let mut above = verdicts.range(holds.map_or(0, |load| load + 1)..);
    (holds, above.next().map(|(load, _)| *load))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    fn follow(descent: Descent, curve: impl Fn(u64) -> bool) -> Verdicts {
        let mut verdicts = Verdicts::new();
        while let Some(load) = descent.next(&verdicts) {
            assert!((descent.least..=descent.most).contains(&load), "{load}");
            assert!(verdicts.insert(load, curve(load)).is_none(), "{load} again");
            assert!(verdicts.len() < 30, "no end: {verdicts:?}");
        }
        verdicts
    }

    proptest! {
        #[test]
        fn it_ends_where_a_scan_says(
            start in 1_u64..5000,
            apart in 1_u64..50,
            last in 0_u64..8000,
            most in 5000_u64..9000,
        ) {
            let descent = Descent { start, missed: (start < most).then(|| (start + apart).min(most)), least: 1, most };
            let scanned = (1..=most).rev().find(|load| *load <= last);
            match (scanned, bounds(&follow(descent, |load| load <= last))) {
                (None, found) => prop_assert_eq!(found, (None, Some(1))),
                (Some(largest), (Some(holds), missed)) => {
                    prop_assert!(holds <= largest && missed.is_none_or(|it| largest < it));
                    prop_assert!(missed.is_some() || holds == most);
                    prop_assert!(missed.is_none_or(|it| it - holds <= (holds / 100).max(1)));
                }
                (Some(_), found) => prop_assert!(false, "{:?}", found),
            }
        }

        #[test]
        fn it_ends_whatever_chance_says(bits in prop::collection::vec(any::<bool>(), 3000), start in 1_u64..2000) {
            let descent = Descent { start, missed: Some(start + 20), least: 1, most: 2900 };
            let verdicts = follow(descent, |load| bits[load as usize]);
            let (holds, missed) = bounds(&verdicts);
            prop_assert!(holds.is_some() || missed == Some(1));
            prop_assert!(verdicts.iter().all(|(load, held)| !held || Some(*load) <= holds));
        }
    }

    #[test]
    fn where_all_seeds_agree_two_loads_are_tried() {
        let descent = Descent {
            start: 2968,
            missed: Some(2984),
            least: 1,
            most: 9000,
        };
        assert_eq!(
            follow(descent, |load| load <= 2970)
                .into_keys()
                .collect::<Vec<_>>(),
            [2968, 2984]
        );
    }
}
