use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use proptest::prelude::*;

use super::write_cache::BLOCK;
use super::*;

const SECTOR: u64 = 512;

/// Two groups of blocks, the second a part of one.
const BLOCKS: u64 = 70;
const SIZE: u64 = BLOCKS * BLOCK;

/// A store with power cuts that keeps few blocks, so that some are written
/// back by the disk itself.
fn small() -> Store {
    Store {
        cache: Some(WriteCache::keeping(16 * 20)),
        ..Store::ram(SIZE)
    }
}

#[derive(Clone, Debug)]
enum Act {
    Write { offset: u64, len: u64, fill: u8 },
    Zero { offset: u64, len: u64, keep: bool },
    Trim { offset: u64, len: u64 },
    Flush,
    FailedFlush,
    Cut { seed: u64, torn: bool },
}

/// Ranges that are whole sectors, or any, mostly short and mostly at the
/// same few places.
fn range() -> impl Strategy<Value = (u64, u64)> {
    let place = prop_oneof![0..8 * BLOCK, 0..SIZE];
    let len = prop_oneof![4 => 1..=3 * BLOCK, 1 => 1..=SIZE];
    (place, len, any::<bool>()).prop_map(|(place, len, whole)| {
        let unit = if whole { SECTOR } else { 1 };
        let place = place / unit * unit;
        let len = len.div_ceil(unit) * unit;
        (place, len.min(SIZE - place))
    })
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => (range(), 1_u8..).prop_map(|((offset, len), fill)| Act::Write { offset, len, fill }),
        2 => (range(), any::<bool>())
            .prop_map(|((offset, len), keep)| Act::Zero { offset, len, keep }),
        1 => range().prop_map(|(offset, len)| Act::Trim { offset, len }),
        2 => Just(Act::Flush),
        1 => Just(Act::FailedFlush),
        2 => (any::<u64>(), any::<bool>()).prop_map(|(seed, torn)| Act::Cut { seed, torn }),
    ]
}

/// The slow truth: all that each sector may contain after a power cut.
struct Oracle {
    now: Vec<u8>,
    allowed: Vec<BTreeSet<Vec<u8>>>,
}

impl Oracle {
    fn new() -> Self {
        let mut oracle = Self {
            now: vec![0; SIZE as usize],
            allowed: Vec::new(),
        };
        oracle.durable();
        oracle
    }

    fn durable(&mut self) {
        let sectors = self.now.chunks(SECTOR as usize);
        self.allowed = sectors.map(|now| BTreeSet::from([now.to_vec()])).collect();
    }

    fn change(&mut self, offset: u64, len: u64, fill: u8) {
        self.now[offset as usize..(offset + len) as usize].fill(fill);
        for sector in offset / SECTOR..(offset + len).div_ceil(SECTOR) {
            let at = (sector * SECTOR) as usize;
            let now = self.now[at..at + SECTOR as usize].to_vec();
            self.allowed[sector as usize].insert(now);
        }
    }

    fn cut(&mut self, found: &[u8]) {
        for (sector, content) in found.chunks(SECTOR as usize).enumerate() {
            assert!(self.allowed[sector].contains(content), "sector {sector}");
        }
        self.now = found.to_vec();
        self.durable();
    }
}

fn all(store: &Store) -> Vec<u8> {
    let mut bytes = vec![0; SIZE as usize];
    store.read(0, &mut bytes).unwrap();
    bytes
}

fn blocks_that_differ(left: &[u8], right: &[u8]) -> u64 {
    let blocks = left
        .chunks(BLOCK as usize)
        .zip(right.chunks(BLOCK as usize));
    blocks.filter(|(left, right)| left != right).count() as u64
}

proptest! {
    #[test]
    fn a_power_cut_leaves_what_a_cache_may_leave(acts in prop::collection::vec(act(), 1..60)) {
        let store = small();
        let mut oracle = Oracle::new();
        for act in acts {
            match act {
                Act::Write { offset, len, fill } => {
                    store.write(offset, &vec![fill; len as usize]).unwrap();
                    oracle.change(offset, len, fill);
                }
                Act::Zero { offset, len, keep } => {
                    store.zero(offset, len, keep).unwrap();
                    oracle.change(offset, len, 0);
                }
                Act::Trim { offset, len } => {
                    store.trim(offset, len).unwrap();
                    oracle.change(offset, len, 0);
                }
                Act::Flush => {
                    store.flush().unwrap();
                    oracle.durable();
                }
                Act::FailedFlush => {
                    let flush = |cache: &WriteCache| cache.flush(|| Err(Errno::IO));
                    prop_assert_eq!(store.cache.as_ref().map(flush), Some(Err(Errno::IO)));
                }
                Act::Cut { seed, torn } => {
                    let lost = store.cut_power(seed, torn).unwrap();
                    store.restore_power();
                    let found = all(&store);
                    let changed = blocks_that_differ(&found, &oracle.now);
                    prop_assert!(changed <= lost.dropped + lost.torn);
                    prop_assert!(lost.dropped + lost.torn <= lost.blocks_unflushed);
                    prop_assert!(torn || lost.torn == 0);
                    oracle.cut(&found);
                }
            }
            prop_assert!(all(&store) == oracle.now);
        }
    }

    #[test]
    fn extents_add_up_and_tell_what_is_stored(writes in prop::collection::vec(range(), 0..6),
                                              (offset, len) in range()) {
        let store = Store::ram(SIZE);
        for (offset, len) in writes {
            store.write(offset, &vec![1; len as usize]).unwrap();
        }
        let bytes = all(&store);
        let mut at = offset;
        let mut before = None;
        for extent in store.extents(offset, len).unwrap() {
            let range = at as usize..(at + extent.len) as usize;
            prop_assert!(extent.len > 0 && before != Some(extent.hole));
            prop_assert!(!extent.hole || bytes[range].iter().all(|&byte| byte == 0));
            (at, before) = (at + extent.len, Some(extent.hole));
        }
        prop_assert_eq!(at, offset + len);
    }
}

#[test]
fn the_same_seed_loses_the_same() {
    let lost = |seed| {
        let store = small();
        store.write(0, &vec![7; 20 * BLOCK as usize]).unwrap();
        let lost = store.cut_power(seed, true).unwrap();
        store.restore_power();
        (lost, all(&store))
    };
    assert_eq!(lost(1), lost(1));
    assert_ne!(lost(1), lost(2));
    let (Lost { dropped, torn, .. }, _) = lost(1);
    assert!(dropped > 0 && torn > 0, "{dropped} dropped, {torn} torn");
}

/// What the first block may contain after a cut, over many seeds.
fn outcomes(run: impl Fn(&Store, &WriteCache, &mut Stream)) -> BTreeSet<u8> {
    let outcome = |seed| {
        let store = small();
        let cache = store.cache.as_ref().unwrap();
        run(&store, cache, &mut Stream::new(seed, "cut"));
        all(&store)[0]
    };
    (0..100).map(outcome).collect()
}

fn fill(store: &Store, content: u8) {
    store.write(0, &[content; BLOCK as usize]).unwrap();
}

#[test]
fn what_is_written_during_a_flush_can_be_lost_afterwards() {
    let found = outcomes(|store, cache, stream| {
        fill(store, 1);
        let sync = || {
            fill(store, 2);
            Ok(())
        };
        cache.flush(sync).unwrap();
        cache.lose(&store.image, stream, false).unwrap();
    });
    assert_eq!(found, BTreeSet::from([1, 2]));
}

#[test]
fn during_a_flush_both_generations_can_be_lost() {
    let found = outcomes(|store, cache, stream| {
        fill(store, 1);
        let sync = || {
            fill(store, 2);
            cache.lose(&store.image, stream, false).map(|_| ())
        };
        cache.flush(sync).unwrap();
    });
    assert_eq!(found, BTreeSet::from([0, 1, 2]));
}

#[test]
fn what_discards_a_whole_device_is_durable() {
    let size = 128 << 20;
    let store = Store::ram(size).with_power_cuts();
    fill(&store, 1);
    store.trim(0, size).unwrap();
    assert_eq!(store.cut_power(1, true), Ok(Lost::default()));
}

#[test]
fn without_power_everything_fails() {
    let store = small();
    store.write(0, b"durable").unwrap();
    store.flush().unwrap();
    assert_eq!(store.cut_power(1, false), Ok(Lost::default()));
    assert_eq!(store.cut_power(1, false), Ok(Lost::default()));
    let mut buffer = [0; 7];
    assert_eq!(store.read(0, &mut buffer), Err(Errno::IO));
    assert_eq!(store.write(0, b"late"), Err(Errno::IO));
    assert_eq!(store.zero(0, 4, true), Err(Errno::IO));
    assert_eq!(store.trim(0, 4), Err(Errno::IO));
    assert_eq!(store.flush(), Err(Errno::IO));
    assert_eq!(store.extents(0, 4), Err(Errno::IO));
    store.restore_power();
    store.read(0, &mut buffer).unwrap();
    assert_eq!(&buffer, b"durable");
}

#[test]
fn what_is_beyond_the_end_is_refused() {
    let store = small();
    assert_eq!(store.write(SIZE - 1, b"ab"), Err(Errno::INVAL));
    assert_eq!(store.trim(u64::MAX, 2), Err(Errno::INVAL));
    assert_eq!(store.read(SIZE, &mut [0]), Err(Errno::INVAL));
}

/// Writers stamp their blocks with rising generations while somebody flushes;
/// then the power goes in the middle of it. Each block must have a generation
/// that was issued, and none older than a flush that ended has seen written.
#[test]
fn flushed_generations_survive_a_cut_amid_writes() {
    const WRITERS: u64 = 3;
    for seed in 0..12 {
        let store = small();
        let counts = || (0..BLOCKS).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        let (issued, written, durable) = (counts(), counts(), counts());
        let stopped = AtomicBool::new(false);
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (store, issued, written) = (&store, &issued, &written);
                scope.spawn(move || {
                    let mut stream = Stream::new(seed, &format!("writer {writer}"));
                    loop {
                        let block = stream.below(BLOCKS / WRITERS) * WRITERS + writer;
                        let next = issued[block as usize].fetch_add(1, Ordering::SeqCst) + 1;
                        let stamped = next.to_le_bytes().repeat(BLOCK as usize / 8);
                        if store.write(block * BLOCK, &stamped).is_err() {
                            break;
                        }
                        written[block as usize].store(next, Ordering::SeqCst);
                    }
                });
            }
            scope.spawn(|| {
                while !stopped.load(Ordering::SeqCst) {
                    let seen: Vec<_> = written.iter().map(|n| n.load(Ordering::SeqCst)).collect();
                    if store.flush().is_ok() {
                        for (durable, seen) in durable.iter().zip(seen) {
                            durable.store(seen, Ordering::SeqCst);
                        }
                    }
                }
            });
            thread::sleep(std::time::Duration::from_millis(5 + seed));
            store.cut_power(seed, false).unwrap();
            stopped.store(true, Ordering::SeqCst);
        });
        store.restore_power();
        for (block, content) in all(&store).chunks(BLOCK as usize).enumerate() {
            let found = u64::from_le_bytes(content[..8].try_into().unwrap());
            assert!(
                content.chunks(8).all(|stamp| stamp == &content[..8]),
                "block {block} is torn"
            );
            let (least, most) = (&durable[block], &issued[block]);
            let allowed = least.load(Ordering::SeqCst)..=most.load(Ordering::SeqCst);
            assert!(
                allowed.contains(&found),
                "block {block}: {found}, not in {allowed:?}"
            );
        }
    }
}

/// A store over a file in a folder, which goes with the folder.
fn in_file() -> (Store, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let backing = Backing::Folder(folder.path().into());
    let store = backing.open(&[("data".into(), SIZE)]).unwrap().remove(0);
    (store, folder)
}

#[test]
fn no_flush_of_a_deleted_file_is_acknowledged() {
    let (store, folder) = in_file();
    let file = folder.path().join("data.img");
    store.write(0, b"kept").unwrap();
    store.flush().unwrap();
    // Another name is enough.
    std::fs::rename(&file, folder.path().join("other.img")).unwrap();
    store.flush().unwrap();
    assert_eq!(store.new_failures(), [""; 0]);
    std::fs::remove_file(folder.path().join("other.img")).unwrap();
    assert_eq!(store.flush(), Err(Errno::IO));
    assert_eq!(store.flush(), Err(Errno::IO));
    let mut buffer = [0; 4];
    store.read(0, &mut buffer).unwrap();
    assert_eq!(&buffer, b"kept");
    assert_eq!(store.failures(), ["2 flushes failed: the file was deleted"]);
}

#[test]
fn a_deleted_file_is_told_of_once_before_any_flush() {
    let (store, folder) = in_file();
    std::fs::remove_file(folder.path().join("data.img")).unwrap();
    let told = store.new_failures();
    let [told] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert!(told.starts_with("the file was deleted; all flushes fail from now on"));
    assert_eq!(store.new_failures(), [""; 0]);
    assert_eq!(store.failures(), ["the file was deleted"]);
}

#[test]
fn memory_has_no_name_to_lose() {
    let store = Store::ram(SIZE);
    store.flush().unwrap();
    assert_eq!(store.new_failures(), [""; 0]);
}

#[test]
fn each_kind_of_failure_is_told_once_and_counted() {
    let (store, folder) = in_file();
    let path = folder.path().join("data.img");
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_len(SIZE / 2).unwrap();
    let mut buffer = [0; 4];
    for _ in 0..3 {
        assert_eq!(store.read(SIZE - 4, &mut buffer), Err(Errno::IO));
    }
    let why = "the file has become shorter";
    assert_eq!(store.new_failures(), [format!("a read failed: {why}")]);
    assert_eq!(store.read(SIZE - 4, &mut buffer), Err(Errno::IO));
    assert_eq!(store.new_failures(), [""; 0]);
    assert_eq!(store.failures(), [format!("4 reads failed: {why}")]);
    // What clients may not ask is no failure of the file.
    assert_eq!(store.read(SIZE, &mut buffer), Err(Errno::INVAL));
    assert_eq!(store.failures().len(), 1);
}
