//! The search for the largest load at which goals hold: which load to try next, by what became of
//! those that were tried.
//!
//! It knows nothing of simulations. Which loads it tries depends on the verdicts alone, so that
//! several can be tried at a time without changing what it finds.

use std::collections::{BTreeMap, VecDeque};

/// What became of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All goals are met.
    Met,
    /// Goals are missed that ask for at least so much of what the load itself brings, and no
    /// others: more load may meet them.
    TooLow,
    /// A goal is missed that less load may meet.
    Missed,
}

/// What became of the loads that were tried.
pub(crate) type Tries = BTreeMap<u64, Verdict>;

/// Between which loads to look, and where first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// The first load that is tried, from `least` to `most`.
    pub(crate) start: u64,
    /// The smallest load, at least 1.
    pub(crate) least: u64,
    /// The largest load.
    pub(crate) most: u64,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Try this load, without which there is no answer yet.
    Try(u64),
    /// Try this load, which tells whether the goals hold where they should, or no longer should.
    Check(u64),
    /// The answer is found.
    Done,
}

/// What tries say of where goals hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bracket {
    /// The largest load at which all are met.
    pub(crate) holds: Option<u64>,
    /// The smallest load above it at which they are not; without it the smallest that is too
    /// much.
    pub(crate) missed: Option<u64>,
    /// The largest load below these that is too low.
    pub(crate) too_low: Option<u64>,
}

/// How far beyond the answer loads are tested again, in percent: where chance decides, the goals
/// may hold there.
const BEYOND: [u64; 2] = [3, 10];

/// Parts of the answer, in quarters, that are tested, too.
const BELOW: [u64; 3] = [3, 2, 1];

/// How far apart two loads may lie that are taken for neighbours: 1 %.
fn tolerance(load: u64) -> u64 {
    (load / 100).max(1)
}

impl Search {
    /// The same up to a smaller load.
    pub(crate) fn up_to(self, most: u64) -> Self {
        let most = most.min(self.most);
        Self {
            start: self.start.min(most),
            least: self.least.min(most),
            most,
        }
    }

    /// What to do once `tries` are known.
    pub(crate) fn next(&self, tries: &Tries) -> Next {
        let bracket = Bracket::of(tries);
        if tries.is_empty() {
            return Next::Try(self.start);
        }
        match bracket.holds {
            Some(holds) => self.refine(tries, holds, bracket.missed),
            None => self.look_for_any(bracket),
        }
    }

    /// The goals hold at `holds`, of those tried the largest such load.
    fn refine(&self, tries: &Tries, holds: u64, missed: Option<u64>) -> Next {
        let Some(missed) = missed else {
            return match holds == self.most {
                true => self.check(tries, holds, holds),
                false => Next::Try(holds.saturating_mul(2).min(self.most)),
            };
        };
        match missed - holds > tolerance(holds) {
            true => Next::Try(holds + (missed - holds) / 2),
            false => self.check(tries, holds, missed),
        }
    }

    /// Looks beyond the answer and below it.
    fn check(&self, tries: &Tries, holds: u64, missed: u64) -> Next {
        let beyond = BEYOND.map(|percent| holds + (holds * percent).div_ceil(100));
        let beyond = beyond.into_iter().filter(|&it| it > missed);
        let below = BELOW.map(|quarters| holds * quarters / 4);
        let mut all = beyond.chain(below);
        let open = all.find(|it| (self.least..=self.most).contains(it) && !tries.contains_key(it));
        open.map_or(Next::Done, Next::Check)
    }

    /// No load is known at which the goals hold.
    fn look_for_any(&self, bracket: Bracket) -> Next {
        match (bracket.too_low, bracket.missed) {
            (None, Some(missed)) if missed == self.least => Next::Done,
            (None, Some(missed)) => Next::Try((missed / 2).max(self.least)),
            (Some(low), None) if low == self.most => Next::Done,
            (Some(low), None) => Next::Try(low.saturating_mul(2).min(self.most)),
            (Some(low), Some(missed)) if missed - low > tolerance(low) => {
                Next::Try(low + (missed - low) / 2)
            }
            (Some(_), Some(_)) | (None, None) => Next::Done,
        }
    }

    /// Up to `count` loads that are tried next, or may be, depending on what becomes of those
    /// before them.
    pub(crate) fn ahead(&self, tries: &Tries, count: usize) -> Vec<u64> {
        let (mut found, mut worlds) = (Vec::new(), VecDeque::from([tries.clone()]));
        while let Some(world) = worlds.pop_front() {
            let (Next::Try(load) | Next::Check(load)) = self.next(&world) else {
                continue;
            };
            if !found.contains(&load) {
                found.push(load);
            }
            if found.len() >= count || worlds.len() > count {
                break;
            }
            for verdict in [Verdict::Missed, Verdict::Met] {
                let mut then = world.clone();
                then.insert(load, verdict);
                worlds.push_back(then);
            }
        }
        found
    }
}

impl Bracket {
    /// What `tries` say.
    pub(crate) fn of(tries: &Tries) -> Self {
        let with = |wanted: Verdict| {
            let own = tries.iter().filter(move |(_, verdict)| **verdict == wanted);
            own.map(|(load, _)| *load)
        };
        let holds = with(Verdict::Met).next_back();
        let missed = match holds {
            Some(holds) => {
                let mut above = tries.range(holds + 1..);
                above.next().map(|(load, _)| *load)
            }
            None => with(Verdict::Missed).next(),
        };
        let end = holds.or(missed).unwrap_or(u64::MAX);
        Self {
            holds,
            missed,
            too_low: with(Verdict::TooLow).take_while(|load| *load < end).last(),
        }
    }
}

#[cfg(test)]
mod tests;
