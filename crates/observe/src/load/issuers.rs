//! Who issues the IOs of a device.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use blockyard_record::result::Issuers;
use foldhash::fast::FixedState;

use super::{Issued, READ};

/// A thread: the number of its name, where names have one, and its own.
pub(crate) type Thread = (u32, u32);

/// No thread has this number.
const NOBODY: Thread = (u32::MAX, u32::MAX);

/// Threads that are told apart; what later ones do is that of one more without a name.
const MOST: usize = 4096;
/// Names that are kept, those with most IOs first.
const SHOWN: usize = 50;
/// Threads that are found at once: numbers follow each other, so their low bits tell them apart.
const RECENT: usize = 64;
/// A thread hardly reads if no more than one in this many of its reads and writes is a read.
const HARDLY: u64 = 20;

/// What is known of threads.
#[derive(Debug)]
pub(super) struct Known {
    /// In the order of their first IOs, after [`OTHERS`].
    threads: Vec<Issuers>,
    places: HashMap<Thread, usize, FixedState>,
    /// Places of those that issued last, by their numbers.
    recent: [(Thread, usize); RECENT],
}

/// The place of later ones.
const OTHERS: usize = 0;

impl Default for Known {
    fn default() -> Self {
        Self {
            threads: vec![Issuers::default()],
            places: HashMap::default(),
            recent: [(NOBODY, OTHERS); RECENT],
        }
    }
}

impl Known {
    /// Adds an IO; says whether it is a write of a thread that hardly reads.
    pub(super) fn add(&mut self, by: Thread, io: &Issued, name: impl FnOnce() -> String) -> bool {
        let recent = (by.0 ^ by.1) as usize % RECENT;
        if self.recent[recent].0 != by {
            self.recent[recent] = (by, self.place(by, name));
        }
        let own = &mut self.threads[self.recent[recent].1];
        let (_, bytes) = io.place;
        if io.flush {
            own.flushes += 1;
            return false;
        }
        if io.op == READ {
            own.reads += 1;
            own.read_bytes += bytes;
            return false;
        }
        own.writes += 1;
        own.write_bytes += bytes;
        let in_background = own.threads > 0 && own.reads * HARDLY <= own.reads + own.writes;
        if in_background {
            own.background_bytes += bytes;
        }
        in_background
    }

    fn place(&mut self, by: Thread, name: impl FnOnce() -> String) -> usize {
        if let Some(place) = self.places.get(&by) {
            return *place;
        }
        if self.places.len() == MOST {
            return OTHERS;
        }
        self.places.insert(by, self.threads.len());
        self.threads.push(Issuers {
            name: name(),
            threads: 1,
            ..Issuers::default()
        });
        self.threads.len() - 1
    }

    /// What a thread is called.
    pub(super) fn name(&self, thread: Thread) -> &str {
        let place = self.places.get(&thread).copied();
        &self.threads[place.unwrap_or(OTHERS)].name
    }

    /// By name.
    pub(super) fn result(&self) -> Vec<Issuers> {
        let mut names: BTreeMap<&str, Issuers> = BTreeMap::new();
        for own in &self.threads {
            let sum = names.entry(&own.name).or_default();
            sum.threads += own.threads;
            sum.reads += own.reads;
            sum.read_bytes += own.read_bytes;
            sum.writes += own.writes;
            sum.write_bytes += own.write_bytes;
            sum.flushes += own.flushes;
            sum.background_bytes += own.background_bytes;
        }
        let ios = |own: &Issuers| own.reads + own.writes + own.flushes;
        let named = names.into_iter().map(|(name, sum)| Issuers {
            name: name.into(),
            ..sum
        });
        let mut found: Vec<_> = named.filter(|own| ios(own) > 0).collect();
        found.sort_by_key(|own| Reverse(ios(own)));
        found.truncate(SHOWN);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(bytes: u64) -> Issued {
        Issued {
            at: 0,
            op: 1,
            place: (0, bytes),
            interval: 0,
            by: None,
            flush: bytes == 0,
        }
    }

    #[test]
    fn threads_of_a_name_are_one_row_and_hardly_any_reads_make_a_writer() {
        let mut known = Known::default();
        let read = Issued {
            op: READ,
            ..write(8)
        };
        for thread in [1, 2] {
            known.add((0, thread), &read, || "db".into());
            known.add((0, thread), &write(0), String::new);
            assert!(!known.add((0, thread), &write(8), String::new));
        }
        for nth in 0..20 {
            let reads = nth == 0 && !known.add((0, 3), &read, || "writer".into());
            let background = known.add((0, 3), &write(4), String::new);
            assert_eq!(background, nth >= 18, "{nth} {reads}");
        }
        let [writer, db] = &known.result()[..] else {
            panic!("two names")
        };
        assert_eq!(
            (writer.name.as_str(), writer.background_bytes),
            ("writer", 8)
        );
        assert_eq!((db.threads, db.reads, db.writes, db.flushes), (2, 2, 2, 2));
        assert_eq!(
            (db.read_bytes, db.write_bytes, db.background_bytes),
            (16, 16, 0)
        );
    }

    #[test]
    fn threads_beyond_the_most_are_one() {
        let mut known = Known::default();
        for thread in 0..MOST as u32 + 7 {
            known.add((0, thread), &write(1), || "many".into());
        }
        let found = known.result();
        assert_eq!(
            (found[0].threads, found[0].writes),
            (MOST as u64, MOST as u64)
        );
        assert_eq!((found[1].name.as_str(), found[1].writes), ("", 7));
        assert_eq!(found[1].background_bytes, 0);
    }
}
