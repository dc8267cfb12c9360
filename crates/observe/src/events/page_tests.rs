//! Pages written here as the kernel writes them, and read back.

use proptest::prelude::*;

use super::*;

pub(in crate::events) const HEADER: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
    \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
    \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
    \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

/// What a ring is given.
#[derive(Clone, Debug)]
pub(in crate::events) enum Written {
    /// Words of an event, after a time.
    Event(u64, u8),
    /// One that was taken back.
    TakenBack(u64, u8),
}

fn first(kind: u32, delta: u64) -> [u8; WORD] {
    (kind | (delta as u32) << 5).to_ne_bytes()
}

/// Times that do not fit get a record of their own: an extension, or a whole stamp.
pub(in crate::events) fn page(
    begin: Nanos,
    all: &[Written],
    whole: bool,
    missed: Option<u64>,
) -> Vec<u8> {
    let mut records = Vec::new();
    let mut time = begin;
    for one in all {
        let (Written::Event(after, words) | Written::TakenBack(after, words)) = *one;
        time += after;
        let mut delta = after;
        if after >> DELTA_BITS > 0 {
            let (kind, figure) = if whole {
                (TIME_STAMP, time & ((1 << STAMP_BITS) - 1))
            } else {
                (TIME_EXTEND, after)
            };
            records.extend(first(kind, figure & ((1 << DELTA_BITS) - 1)));
            records.extend(((figure >> DELTA_BITS) as u32).to_ne_bytes());
            delta = 0;
        }
        let bytes = usize::from(words) * WORD;
        match one {
            Written::TakenBack(..) => {
                time += u64::from(delta == 0);
                records.extend(first(PADDING, delta.max(1)));
                records.extend((bytes as u32).to_ne_bytes());
                records.extend(vec![0; bytes.saturating_sub(WORD)]);
            }
            Written::Event(..) if words < 29 => {
                records.extend(first(words.into(), delta));
                records.extend(vec![words; bytes]);
            }
            Written::Event(..) => {
                records.extend(first(LONG, delta));
                records.extend((bytes as u32 + 4).to_ne_bytes());
                records.extend(vec![words; bytes]);
            }
        }
    }
    let mut commit = records.len() as u64;
    if let Some(events) = missed {
        // Two flags, that events are missing and that their number follows.
        commit = commit.wrapping_add_signed(i64::from(i32::MIN) + (1 << 30));
        records.extend(events.to_ne_bytes());
    }
    let mut page = [begin.to_ne_bytes(), commit.to_ne_bytes()].concat();
    page.extend(records);
    page.resize(1 << 14, 0xff);
    page
}

fn read(page: &[u8]) -> (bool, Vec<(Nanos, Vec<u8>)>) {
    let records = Layout::parse(HEADER).unwrap().open(page);
    let events = records.map(|(time, raw)| (time, raw.to_vec()));
    (records.missed, events.collect())
}

fn written() -> impl Strategy<Value = Written> {
    let after = prop_oneof![0..9_u64, 0..1_u64 << 26, (1_u64 << 27)..1 << 40];
    (after, 1..60_u8, any::<bool>()).prop_map(|(after, words, taken_back)| {
        if taken_back {
            Written::TakenBack(after, words)
        } else {
            Written::Event(after, words)
        }
    })
}

proptest! {
    #[test]
    fn what_was_written_is_read(
        begin in 1_u64..1 << 60,
        all in prop::collection::vec(written(), 0..60),
        whole: bool,
        missed in prop::option::of(1..200_u64),
    ) {
        let mut expected = Vec::new();
        let mut time = begin;
        for one in &all {
            match *one {
                Written::Event(after, words) => {
                    time += after;
                    expected.push((time, vec![words; usize::from(words) * WORD]));
                }
                // Its own time is never 0, so that it is not taken for the end.
                Written::TakenBack(after, _) if after >> DELTA_BITS > 0 => time += after + 1,
                Written::TakenBack(after, _) => time += after.max(1),
            }
        }
        let found = read(&page(begin, &all, whole, missed));
        prop_assert_eq!(found, (missed.is_some(), expected));
    }

    #[test]
    fn pages_cut_or_changed_anywhere_are_read_up_to_there(
        all in prop::collection::vec(written(), 1..20),
        cut in 0..600_usize,
        byte: u8,
    ) {
        let mut page = page(7, &all, false, None);
        prop_assert!(read(&page[..cut]).1.len() <= all.len());
        page[cut] = byte;
        let _ = read(&page);
    }
}

#[test]
fn what_is_no_description_is_refused() {
    assert!(Layout::parse(&HEADER.replace("commit", "length")).is_none());
    assert!(Layout::parse("").is_none());
}

#[test]
fn nothing_is_read_behind_the_end() {
    let mut page = page(7, &[Written::Event(1, 1)], false, None);
    // Longer than was written: zeroes, which are padding without a time.
    page[8] = 200;
    page[24..].fill(0);
    page[24] = PADDING as u8;
    assert_eq!(read(&page).1.len(), 1);
}
