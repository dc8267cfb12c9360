use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::workload::oltp::spec::Draw;
use crate::workload::skew::nurand::NuRand;
use crate::workload::spec::Preference;

/// All of the data, as one table.
fn whole(pages: u64, preference: Preference) -> TableSpec {
    let draw = Draw::Preferred(preference);
    let first = 0;
    TableSpec { first, pages, draw }
}

fn pool((pages, room, depth): (u64, u64, u64), start: Start) -> Pool {
    let table = whole(pages, Preference::None);
    let mix = Mix(vec![1]);
    let mut random = Stream::new(1, "pool");
    Pool::new((pages, room, depth), start, (&[table], &mix), &mut random)
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
    fn of(pool: &Pool, depth: u64) -> Self {
        let page = |frame: u32| (pool.frames[frame as usize].group, None, None, false);
        Self {
            pages: pool.by_use.oldest_first().map(page).collect(),
            room: pool.room as usize,
            depth: depth as usize,
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
        start in prop::sample::select(&[Start::Warm, Start::Cold]),
        steps in prop::collection::vec((0_u8..8, any::<bool>()), 1..200),
    ) {
        let mut pool = pool((pages, room.min(pages), depth), start);
        let mut oracle = Oracle::of(&pool, depth);
        prop_assert_eq!(oracle.pages.is_empty(), start == Start::Cold);
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
                    let access = pool.access(0, &mut random, change);
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
            let old = oracle.pages.iter().take(oracle.depth);
            let to_write = old.filter(|page| page.1.is_some() && !page.3).count();
            prop_assert_eq!(pool.old_to_write as usize, to_write);
            // Each changed page is there once, and nothing is in memory that there is no room for.
            let frames: BTreeSet<u32> = pool.changed.iter().map(|&(_, frame)| frame).collect();
            prop_assert_eq!(frames.len(), pool.changed.len());
            prop_assert_eq!(pool.frame_of.len(), pool.frames.len());
            prop_assert!(pool.frames.len() as u64 <= room.min(pages));
        }
    }
}

#[test]
fn a_sample_misses_as_the_whole_pool_does() {
    // Uniform: what is not in the pool is missed. By Zipf's law with exponent 1 over N pages a
    // pool of the C most wanted would miss the rest; one by last use misses somewhat more.
    let share = |preference, pages: u64, room: u64| {
        let table = whole(pages, preference);
        let mut random = Stream::new(3, "pool");
        let mix = Mix(vec![1]);
        let tables = (&[table][..], &mix);
        let mut pool = Pool::new((pages, room, 1), Start::Warm, tables, &mut random);
        let draws = 400_000;
        let missed = (0..draws)
            .filter(|_| !pool.access(0, &mut random, None).hit)
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

/// A small table is in memory soon and stays there, whatever a large one does; each knows its own
/// misses.
#[test]
fn tables_miss_each_for_itself() {
    let (small, large) = (1 << 12, 1 << 20);
    let draw = Draw::Preferred(Preference::None);
    let table = |first, pages| TableSpec { first, pages, draw };
    let tables = [table(0, small), table(small, large)];
    let mix = Mix(vec![1, 3]);
    for start in [Start::Warm, Start::Cold] {
        let mut random = Stream::new(5, "pool");
        let sizes = (small + large, 1 << 18, 1);
        let mut pool = Pool::new(sizes, start, (&tables, &mix), &mut random);
        for _ in 0..1 << 19 {
            pool.access(mix.draw(&mut random), &mut random, None);
        }
        assert!(pool.miss_share(0) < 0.001, "{}", pool.miss_share(0));
        // What the small one leaves of the pool, of the large one's pages.
        let expected = 1.0 - ((1 << 18) - small) as f64 / large as f64;
        let missed = pool.miss_share(1);
        assert!((missed - expected).abs() < 0.06, "{missed}, not {expected}");
    }
}

/// A cold pool of one table by TPC-C's law misses as often as pages are drawn for the first time.
#[test]
fn a_cold_pool_misses_what_is_new() {
    let law = NuRand {
        a: 255,
        of: 1000,
        rows: 10,
    };
    let pages = 1 << 12;
    let table = TableSpec {
        first: 0,
        pages,
        draw: Draw::NuRand(law),
    };
    let mix = Mix(vec![1]);
    let mut random = Stream::new(9, "pool");
    let sizes = (pages, pages, 1);
    let mut pool = Pool::new(sizes, Start::Cold, (&[table], &mix), &mut random);
    assert!(pool.miss_share(0) == 1.0 && pool.has_room());
    let mut seen = BTreeSet::new();
    for _ in 0..20_000 {
        let page = law.draw(pages, &mut random.clone());
        assert_eq!(pool.access(0, &mut random, None).hit, !seen.insert(page));
    }
}
