//! IOs that the kernel splits, and that a driver gives back: each part is one IO of the device, in
//! each form of the same events.

use blockyard_trace::{Row, Trace};
use proptest::prelude::*;

/// Actions as blkparse prints them, as the kernel calls them, and in the files of blktrace.
const QUEUED: Action = ("Q", "block_bio_queue", 1);
const SPLIT: Action = ("X", "block_split", 13);
const GOT: Action = ("G", "block_getrq", 4);
const INSERTED: Action = ("I", "block_rq_insert", 12);
const ISSUED: Action = ("D", "block_rq_issue", 7);
const GIVEN_BACK: Action = ("R", "block_rq_requeue", 6);
const DONE: Action = ("C", "block_rq_complete", 8);

type Action = (&'static str, &'static str, u32);
/// What happens at a microsecond, and to which sectors.
type Event = (u64, Action, u64, u64);

/// Reads of so many parts each; of a part the kernel tells that it got a request, or that it is
/// inserted, or both. The driver may give it back before it ends.
fn events(reads: &[(u64, u8)], part: u64) -> Vec<Event> {
    let (mut now, mut from, mut all) = (0, 0, Vec::new());
    for (parts, told) in reads {
        let mut add = |action, sector, sectors| {
            now += 1;
            all.push((now, action, sector, sectors));
        };
        let each = || (0..*parts).map(|nth| (from + nth * part, part));
        add(QUEUED, from, parts * part);
        for (nth, (sector, sectors)) in (1..).zip(each()) {
            if nth < *parts {
                add(SPLIT, sector, sectors);
            }
            if told & 1 != 0 {
                add(GOT, sector, sectors);
            }
            if told & 2 != 0 {
                add(INSERTED, sector, sectors);
            }
        }
        each().for_each(|(sector, sectors)| add(ISSUED, sector, sectors));
        if told & 4 != 0 {
            for (sector, sectors) in each() {
                let again = [GIVEN_BACK, INSERTED, ISSUED];
                again.into_iter().for_each(|it| add(it, sector, sectors));
            }
        }
        each().for_each(|(sector, sectors)| add(DONE, sector, sectors));
        from += parts * part;
    }
    all
}

fn blkparse(events: &[Event]) -> Vec<u8> {
    let line = |(at, (action, ..), sector, sectors): &Event| {
        let (between, last) = match *action {
            "X" => ("/", "fio"),
            "C" | "R" => ("+", "0"),
            _ => ("+", "fio"),
        };
        format!("7,0 0 1 0.{at:06} 9 {action} R {sector} {between} {sectors} [{last}]\n")
    };
    events.iter().map(line).collect::<String>().into_bytes()
}

fn ftrace(events: &[Event]) -> Vec<u8> {
    let line = |(at, (_, name, _), sector, sectors): &Event| {
        let (before, last) = match *name {
            "block_rq_complete" | "block_rq_requeue" => ("() ", "0"),
            "block_rq_issue" | "block_rq_insert" => ("4096 () ", "fio"),
            _ => ("", "fio"),
        };
        let what = format!("7,0 R {before}{sector} + {sectors} [{last}]");
        format!("fio-9 [000] ..... 0.{at:06}: {name}: {what}\n")
    };
    events.iter().map(line).collect::<String>().into_bytes()
}

fn blktrace(events: &[Event]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut add = |at: u64, action: u32, (sector, sectors): (u64, u64), follows: &[u8]| {
        out.extend(0x6561_7407_u32.to_le_bytes());
        out.extend(0_u32.to_le_bytes());
        out.extend((at * 1000).to_le_bytes());
        out.extend(sector.to_le_bytes());
        out.extend((sectors as u32 * 512).to_le_bytes());
        out.extend(action.to_le_bytes());
        out.extend(9_u32.to_le_bytes());
        out.extend((7_u32 << 20).to_le_bytes());
        out.extend(0_u32.to_le_bytes());
        out.extend(0_u16.to_le_bytes());
        out.extend((follows.len() as u16).to_le_bytes());
        out.extend(follows);
    };
    add(0, 1 << 26, (0, 0), b"fio\0\0\0\0\0\0\0\0\0\0\0\0\0");
    for (at, (_, _, action), sector, sectors) in events {
        add(*at, action | 1 << 16, (*sector, *sectors), b"");
    }
    out
}

fn rows(bytes: &[u8]) -> Vec<Row> {
    let trace = Trace::new(bytes, "t", None).unwrap();
    trace.map(Result::unwrap).collect()
}

/// At least one of the ways to tell of a part, and whether it is given back.
fn told() -> impl Strategy<Value = u8> {
    (1_u8..4, 0_u8..2).prop_map(|(ways, back)| ways | back << 2)
}

proptest! {
    #[test]
    fn each_part_of_a_split_io_is_one(
        reads in prop::collection::vec((1_u64..4, told()), 1..20),
        part in 1_u64..2048,
    ) {
        let events = events(&reads, part);
        let found = rows(&ftrace(&events));
        prop_assert_eq!(found.len() as u64, reads.iter().map(|read| read.0).sum::<u64>());
        prop_assert!(found.iter().all(|row| row.bytes == part * 512 && row.latency().is_some()));
        prop_assert_eq!(&rows(&blkparse(&events)), &found);
        prop_assert_eq!(&rows(&blktrace(&events)), &found);
    }
}

/// Such as smartd's, of which the bytes of the command's answer stand where others have a sector.
#[test]
fn a_command_of_a_program_is_no_io() {
    let text = "8,0 1 1 0.000001 7 Q R 8 + 8 [fio]\n\
                8,0 1 2 0.000002 8 I R 36 (12 00 00 00 24 00) [smartd]\n\
                8,0 1 3 0.000003 8 D R 36 (12 00 00 00 24 00) [smartd]\n\
                8,0 1 4 0.000004 7 D R 8 + 8 [fio]\n\
                8,0 1 5 0.000005 0 C R (12 00 00 00 24 00) [0]\n\
                8,0 1 6 0.000006 0 C R 8 + 8 [0]\n";
    let mut trace = Trace::new(text.as_bytes(), "t", None).unwrap();
    let found: Vec<_> = trace.by_ref().map(Result::unwrap).collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].offset, found[0].bytes), (8 * 512, 8 * 512));
    assert_eq!(trace.notes().skipped, 2);
}
