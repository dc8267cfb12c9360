use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::workload::spec::Preference;

const UNIFORM: Skew = Skew {
    preference: Preference::None,
    scatter: false,
};

fn pool(pages: u64, room: u64, depth: u64) -> Pool {
    Pool::new((pages, room, depth), UNIFORM, &mut Stream::new(1, "pool"))
}

/// A page, its oldest change that is not on disk, the same of changes during the write under way,
/// and whether there is one.
type Page = (u64, Option<u64>, Option<u64>, bool);

/// The same pool as a list, the least recently used page first.
#[derive(Debug)]
struct Oracle {
    pages: Vec<Page>,
    room: usize,
    depth: usize,
}

impl Oracle {
    fn of(pool: &Pool) -> Self {
        let page = |frame: u32| (pool.frames[frame as usize].group, None, None, false);
        Self {
            pages: pool.by_use.oldest_first().map(page).collect(),
            room: pool.room as usize,
            depth: pool.depth as usize,
        }
    }

    fn victim(&self) -> Option<usize> {
        let near = self.pages.iter().take(self.depth);
        { near }.position(|page| page.1.is_none())
    }

    fn access(&mut self, group: u64, change: Option<u64>) -> bool {
        let found = self.pages.iter().position(|page| page.0 == group);
        let mut page = match found {
            Some(at) => self.pages.remove(at),
            None if self.pages.len() < self.room => (group, None, None, false),
            None => match self.victim() {
                Some(at) => {
                    self.pages.remove(at);
                    (group, None, None, false)
                }
                None => return false,
            },
        };
        if let Some(at) = change {
            if page.1.is_none() {
                page.1 = Some(at);
            } else if page.3 && page.2.is_none() {
                page.2 = Some(at);
            }
        }
        self.pages.push(page);
        found.is_some()
    }

    fn take_last(&mut self) -> Option<u64> {
        let mut near = self.pages.iter_mut().take(self.depth);
        let page = near.find(|page| page.1.is_some() && !page.3)?;
        page.3 = true;
        Some(page.0)
    }

    fn oldest_changes(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.pages.iter().filter_map(|page| page.1).collect();
        all.sort_unstable();
        all
    }

    fn written(&mut self, group: u64) {
        let page = self.pages.iter_mut().find(|page| page.0 == group).unwrap();
        (page.1, page.2, page.3) = (page.2, None, false);
    }
}

proptest! {
    #[test]
    fn a_pool_is_that_of_a_plain_list(
        pages in 2_u64..40,
        room in 1_u64..20,
        depth in 1_u64..8,
        steps in prop::collection::vec((0_u8..8, any::<bool>()), 1..200),
    ) {
        let mut pool = pool(pages, room.min(pages), depth);
        let mut oracle = Oracle::of(&pool);
        let mut random = Stream::new(7, "steps");
        let mut taken = Vec::new();
        for (at, (what, change)) in (1_u64..).zip(steps) {
            match what {
                0 => {
                    let frame = pool.take_last();
                    let group = frame.map(|frame| pool.frames[frame as usize].group);
                    prop_assert_eq!(group, oracle.take_last());
                    taken.extend(frame);
                }
                1 => {
                    let frame = pool.take_oldest(at / 2);
                    let free = oracle.pages.iter_mut().filter(|page| page.1.is_some_and(|it| it < at / 2) && !page.3);
                    let oldest = free.min_by_key(|page| page.1);
                    let group = frame.map(|frame| pool.frames[frame as usize].group);
                    prop_assert_eq!(group, oldest.as_ref().map(|page| page.0));
                    if let Some(page) = oldest {
                        page.3 = true;
                    }
                    taken.extend(frame);
                }
                2 if !taken.is_empty() => {
                    let frame = taken.remove(0);
                    oracle.written(pool.frames[frame as usize].group);
                    pool.written(frame);
                }
                _ => {
                    let change = change.then_some(at);
                    let group = random.clone().below(pages);
                    let access = pool.access(&mut random, change);
                    prop_assert_eq!(access.hit, oracle.access(group, change));
                }
            }
            let changed: Vec<u64> = pool.changed.iter().map(|&(at, _)| at).collect();
            prop_assert_eq!(changed, oracle.oldest_changes());
            let order: Vec<u64> =
                pool.by_use.oldest_first().map(|frame| pool.frames[frame as usize].group).collect();
            let expected: Vec<u64> = oracle.pages.iter().map(|page| page.0).collect();
            prop_assert_eq!(order, expected);
            let has_room = oracle.pages.len() < oracle.room || oracle.victim().is_some();
            prop_assert_eq!(pool.has_room(), has_room);
        }
    }
}

#[test]
fn a_sample_misses_as_the_whole_pool_does() {
    // Uniform: what is not in the pool is missed. By Zipf's law with exponent 1 over N pages a
    // pool of the C most wanted would miss the rest; one by last use misses somewhat more.
    let share = |preference, pages: u64, room: u64| {
        let skew = Skew {
            preference,
            scatter: true,
        };
        let mut random = Stream::new(3, "pool");
        let mut pool = Pool::new((pages, room, 1), skew, &mut random);
        let draws = 400_000;
        let missed = (0..draws)
            .filter(|_| !pool.access(&mut random, None).hit)
            .count();
        missed as f64 / f64::from(draws)
    };
    let uniform = share(Preference::None, 1 << 20, 1 << 18);
    assert!((uniform - 0.75).abs() < 0.005, "{uniform}");
    let zipf = Preference::Zipf { permille: 800 };
    let (whole, sampled) = (share(zipf, 1 << 18, 1 << 16), share(zipf, 1 << 22, 1 << 20));
    // With 16 times the pages a share of them has the same share of the accesses, nearly.
    assert!((whole - sampled).abs() < 0.05, "{whole} and {sampled}");
}
