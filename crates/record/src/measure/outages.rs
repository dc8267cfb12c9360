//! The longest time in which no transaction was committed, or no IO of a mirror done, though one
//! was asked for.
//!
//! Of a job that asks for one a second, gaps of seconds are chance: what counts of a gap is from
//! when on a transaction was due that had not ended by its end, or was refused.

use blockyard_model::units::{Nanos, SECOND};

/// Shorter times without a transaction are no outage.
const LEAST: Nanos = SECOND;

/// A gap at the end of a run, in which nothing is known to have been due, is none of chance if it
/// is so many times as long as transactions were apart: once in e^10, 22,000 runs, it would be.
const CHANCE: Nanos = 10;

#[derive(Clone, Debug)]
pub(crate) struct Outages {
    /// When the last transaction ended.
    last: Nanos,
    /// Since when one has been asked for since then that has failed or was refused.
    unserved: Option<Nanos>,
    /// From when to when nothing ended, where that may be an outage.
    gaps: Vec<(Nanos, Nanos)>,
    longest: Nanos,
}

impl Outages {
    /// From a time on.
    pub(crate) fn since(begin: Nanos) -> Self {
        Self {
            last: begin,
            unserved: None,
            gaps: Vec::new(),
            longest: 0,
        }
    }

    /// A transaction ended that was due then.
    pub(crate) fn ended(&mut self, due: Nanos, end: Nanos) {
        let from = core::mem::replace(&mut self.last, end);
        if let Some(since) = self.unserved.take() {
            self.lasted(since, end);
        }
        if end - from >= LEAST {
            self.gaps.push((from, end));
        }
        let in_it = self.gaps.iter().rev().take_while(|gap| gap.1 > due);
        let waited = in_it.map(|gap| gap.1 - gap.0.max(due)).max();
        self.longest = self.longest.max(waited.unwrap_or(0));
    }

    /// Transactions were refused.
    pub(crate) fn refused(&mut self, at: Nanos) {
        self.unserved.get_or_insert(at);
    }

    /// Transactions that were under way failed: they may have been since the last that ended.
    pub(crate) fn failed(&mut self) {
        self.unserved = Some(self.last);
    }

    /// Nothing ended from a time to another though something was due.
    pub(crate) fn lasted(&mut self, from: Nanos, to: Nanos) {
        self.longest = self.longest.max(to.saturating_sub(from));
    }

    /// The longest of a run that ends then: whether anything `waits`, and how far apart
    /// transactions were, if there were any. 0 if it is no outage.
    pub(crate) fn longest(mut self, end: Nanos, waits: bool, apart: Option<Nanos>) -> Nanos {
        let gap = end.saturating_sub(self.last);
        match self.unserved {
            _ if waits || apart.is_none_or(|apart| gap >= CHANCE * apart) => {
                self.lasted(self.last, end);
            }
            Some(since) => self.lasted(since, end),
            None => {}
        }
        if self.longest >= LEAST {
            self.longest
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Beside a scan of all gaps and of all that was due in each.
        #[test]
        fn what_was_due_in_gaps_counts(
            drawn in prop::collection::vec((0..40_u64, 0..12_u64), 1..12),
            refused in prop::collection::vec(0..60_u64, 0..3),
        ) {
            let half = SECOND / 2;
            let mut all: Vec<_> = drawn.iter().map(|it| (it.0 * half, (it.0 + it.1) * half)).collect();
            all.sort_unstable_by_key(|it| it.1);
            let mut refused: Vec<_> = refused.iter().map(|it| it * half + 1).collect();
            refused.sort_unstable();
            let mut outages = Outages::since(0);
            let mut left = refused.iter().copied().peekable();
            for &(due, end) in &all {
                while let Some(at) = left.next_if(|&at| at < end) {
                    outages.refused(at);
                }
                outages.ended(due, end);
            }
            let end = all.last().unwrap().1;
            let found = outages.longest(end, false, Some(SECOND));
            let begins = [0].into_iter().chain(all.iter().map(|it| it.1));
            let gaps = begins.zip(all.iter().map(|it| it.1));
            let lasts = gaps.map(|(from, to)| {
                let due = all.iter().filter(|it| it.1 >= to && it.0 < to).map(|it| it.0);
                let refused = refused.iter().copied().filter(|&at| from <= at && at < to);
                due.chain(refused).min().map_or(0, |since| to - since.max(from))
            });
            let longest = lasts.max().unwrap();
            prop_assert_eq!(found, if longest >= SECOND { longest } else { 0 });
        }
    }

    #[test]
    fn the_end_of_a_run_is_an_outage_if_something_waits_or_it_is_no_chance() {
        let mut outages = Outages::since(0);
        outages.ended(SECOND, SECOND);
        let longest = |end, waits| {
            let longest = outages.clone().longest(end * SECOND, waits, Some(SECOND));
            longest / SECOND
        };
        assert_eq!([longest(5, false), longest(5, true)], [0, 4]);
        assert_eq!([longest(10, false), longest(11, false)], [0, 10]);
        outages.refused(3 * SECOND);
        assert_eq!(
            outages.clone().longest(5 * SECOND, false, Some(SECOND)),
            2 * SECOND
        );
        outages.failed();
        assert_eq!(outages.longest(5 * SECOND, false, Some(SECOND)), 4 * SECOND);
    }
}
