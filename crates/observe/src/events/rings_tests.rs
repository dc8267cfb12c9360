//! Rings merged as they are read, against all of their events sorted.

use std::fs::File;
use std::os::unix::fs::FileExt;

use proptest::prelude::*;
use rustix::fs::{MemfdFlags, memfd_create};

use super::*;
use crate::events::page::Layout;
use crate::events::page::tests::{HEADER, Written, page};
use crate::events::ring::PAGE;

const BEGIN: Nanos = 1000;

/// A page: the times of its events, and whether the kernel overwrote others before them.
type Page = (Vec<Nanos>, bool);

/// An event: its time, which ring it is of, and whether others of its time were lost.
type Given = (Nanos, u8, bool);

/// What was taken: events, and from when to when others were lost.
#[derive(Debug, Default, PartialEq)]
struct Found(Vec<Given>, Vec<(Nanos, Nanos)>);

fn ring() -> impl Strategy<Value = Vec<Page>> {
    let page = (prop::collection::vec(0..9_u64, 0..6), any::<bool>());
    prop::collection::vec(page, 0..6).prop_map(|pages| {
        let mut time = BEGIN;
        let timed = pages.into_iter().map(|(gaps, missed)| {
            let times = gaps.into_iter().map(|gap| {
                time += gap;
                time
            });
            (times.collect(), missed)
        });
        timed.collect()
    })
}

/// How many pages of a ring there are at a moment, with some of a later time.
fn there(ring: &[Page], until: Nanos, more: usize) -> usize {
    let begun = |page: &Page| page.0.iter().any(|time| *time <= until);
    let needed = ring.iter().rposition(begun).map_or(0, |last| last + 1);
    (needed + more).min(ring.len())
}

/// Takings, each up to a moment and with how many pages beyond it, from all events sorted.
fn sorted(rings: &[Vec<Page>], takings: &[(Nanos, usize)]) -> Found {
    let mut found = Found::default();
    let mut held: Vec<(Nanos, u8)> = Vec::new();
    let mut at = vec![(0, 0, BEGIN, false); rings.len()];
    for (until, more) in takings {
        for (nth, ring) in rings.iter().enumerate() {
            let (there, next, read, missed) = &mut at[nth];
            *there = (*there).max(self::there(ring, *until, *more));
            while next < there && *read < *until {
                let (times, gap) = &ring[*next];
                *missed |= gap;
                for time in times {
                    if std::mem::take(missed) {
                        found.1.push((*read, *time));
                    }
                    *read = *time;
                    held.push((*time, nth as u8));
                }
                *next += 1;
            }
            *read = (*read).max(*until);
        }
        held.sort();
        let young = held.partition_point(|(time, _)| time <= until);
        for (time, nth) in held.drain(..young) {
            let lost = |(from, to): &(Nanos, Nanos)| *from < time && time <= *to;
            found.0.push((time, nth, found.1.iter().any(lost)));
        }
    }
    found.1.sort_unstable();
    found
}

/// The same from rings that are filled in between.
fn merged(rings: &[Vec<Page>], takings: &[(Nanos, usize)]) -> Found {
    let layout = Layout::parse(HEADER).unwrap();
    let files = rings.iter().map(|_| {
        let file = memfd_create("ring", MemfdFlags::CLOEXEC).unwrap();
        File::from(file)
    });
    let files: Vec<_> = files.collect();
    let each = files.iter().map(|file| {
        let file = file.try_clone().unwrap();
        Ring::new(file, "/nowhere".into(), layout, BEGIN)
    });
    let mut merged = Rings::new(each.collect());
    let mut found = Found::default();
    let mut written = vec![0; rings.len()];
    for (until, more) in takings {
        for (nth, ring) in rings.iter().enumerate() {
            let there = there(ring, *until, *more);
            let new = ring.iter().enumerate().take(there).skip(written[nth]);
            for (place, page) in new {
                let page = as_bytes(page, nth as u8 + 1);
                files[nth]
                    .write_all_at(&page, (place * PAGE) as u64)
                    .unwrap();
            }
            written[nth] = there.max(written[nth]);
        }
        merged.take(*until, |time, raw, lost| {
            found.0.push((time, raw[0] - 1, lost));
        });
    }
    assert_eq!(merged.events(), found.0.len() as u64);
    let losses = merged.losses();
    found.1 = losses.iter().map(|loss| (loss.from, loss.to)).collect();
    found.1.sort_unstable();
    found
}

/// A page whose events have as many words as their ring's number.
fn as_bytes((times, missed): &Page, words: u8) -> Vec<u8> {
    let begin = times.first().copied().unwrap_or(BEGIN);
    let mut last = begin;
    let events = times.iter().map(|time| {
        let after = time - std::mem::replace(&mut last, *time);
        Written::Event(after, words)
    });
    let mut bytes = page(
        begin,
        &events.collect::<Vec<_>>(),
        false,
        missed.then_some(1),
    );
    bytes.resize(PAGE, 0);
    bytes
}

proptest! {
    #[test]
    fn merged_as_they_are_read_events_are_as_sorted(
        rings in prop::collection::vec(ring(), 1..4),
        takings in prop::collection::vec((0..40_u64, 0..2_usize), 0..4),
    ) {
        let mut until = BEGIN;
        let takings = takings.into_iter().map(|(after, more)| {
            until += after;
            (until, more)
        });
        // The last one finds all.
        let takings: Vec<_> = takings.chain([(Nanos::MAX, usize::MAX >> 1)]).collect();
        let mut found = merged(&rings, &takings);
        prop_assert!(found.0.is_sorted_by_key(|event| event.0));
        // Of one moment a page may be read that begins with it, or be left for the next taking.
        let mut expected = sorted(&rings, &takings);
        found.0.sort_unstable();
        expected.0.sort_unstable();
        prop_assert_eq!(&found, &expected);
        let all: usize = rings.iter().flatten().map(|(times, _)| times.len()).sum();
        prop_assert_eq!(found.0.len(), all);
    }
}
