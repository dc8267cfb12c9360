//! Requests against an oracle that knows each one by a name that the kernel's events lack.

use proptest::prelude::*;

use super::*;

const READ: usize = 0;
const WRITE: usize = 1;

/// A request as the oracle knows it: gaps between what happens to it, and how it ends.
#[derive(Clone, Debug)]
struct Story {
    gaps: [Nanos; 5],
    sectors: u64,
    kind: How,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Whole,
    /// The device ends it in two parts.
    InParts,
    /// Another bio is put before it while it waits.
    FrontMerged,
    /// It becomes a part of another.
    Merged,
    /// A write that begins with a flush.
    Flushed,
    /// Nothing but a flush.
    Empty,
}

fn stories() -> impl Strategy<Value = Vec<Story>> {
    let how = prop_oneof![
        4 => Just(How::Whole),
        1 => Just(How::InParts),
        1 => Just(How::FrontMerged),
        1 => Just(How::Merged),
        1 => Just(How::Flushed),
        1 => Just(How::Empty),
    ];
    let gaps = prop::array::uniform5(1_u64..1000);
    let story = (gaps, 2_u64..64, how).prop_map(|(gaps, sectors, kind)| Story {
        gaps,
        sectors,
        kind,
    });
    prop::collection::vec(story, 0..40)
}

fn event(time: Nanos, kind: Kind, sector: u64, sectors: u64, what: What) -> Event {
    Event {
        time,
        kind,
        device: 1,
        sector,
        sectors,
        failed: false,
        what,
        by: Task::default(),
    }
}

/// The events of a story, and the IO that it is.
fn told(story: &Story, sector: u64) -> (Vec<Event>, Option<Io>) {
    let mut times = story.gaps.iter().scan(0, |time, gap| {
        *time += gap;
        Some(*time)
    });
    let mut next = || times.next().unwrap();
    let plain = What {
        op: READ,
        preflush: false,
        fua: false,
    };
    let write = What { op: WRITE, ..plain };
    let preflush = What {
        preflush: true,
        ..write
    };
    let (sectors, half) = (story.sectors, story.sectors / 2);
    let arrival = next();
    let mut events = vec![event(arrival, Kind::Arrival, sector, sectors, plain)];
    let by = Task {
        thread: sector as u32,
        ..Task::default()
    };
    events[0].by = by;
    let mut add = |kind, sector, sectors, what| {
        let time = next();
        events.push(event(time, kind, sector, sectors, what));
        time
    };
    let (time, issue) = match story.kind {
        How::Whole => {
            let issue = add(Kind::Issue, sector, sectors, plain);
            (add(Kind::Completion, sector, sectors, plain), Some(issue))
        }
        How::InParts => {
            let issue = add(Kind::Issue, sector, sectors, plain);
            add(Kind::Completion, sector, half, plain);
            let rest = (sector + half, sectors - half);
            (add(Kind::Completion, rest.0, rest.1, plain), Some(issue))
        }
        How::FrontMerged => {
            add(Kind::FrontMerge, sector - 1, 1, plain);
            let issue = add(Kind::Issue, sector - 1, sectors + 1, plain);
            let end = add(Kind::Completion, sector - 1, sectors + 1, plain);
            (end, Some(issue))
        }
        How::Merged => {
            add(Kind::Merge, sector, sectors, plain);
            return (events, None);
        }
        How::Flushed => {
            add(Kind::Issue, sector, sectors, write);
            add(Kind::Completion, sector, sectors, write);
            let end = add(Kind::Completion, sector, 0, write);
            events[0].what = preflush;
            (end, None)
        }
        How::Empty => {
            let end = add(Kind::Completion, sector, 0, write);
            (events[0].what, events[0].sectors) = (preflush, 0);
            (end, None)
        }
    };
    let io = Io {
        time,
        op: events[0].what.op,
        failed: false,
        latency: time - arrival,
        queue: issue.map(|issue| issue - arrival),
        device: issue.map(|issue| time - issue),
        place: match story.kind {
            How::FrontMerged => (sector - 1, sectors + 1),
            How::Empty => (sector, 0),
            _ => (sector, sectors),
        },
        counted: u64::from(!matches!(story.kind, How::Empty)),
        by,
    };
    (events, Some(io))
}

proptest! {
    #[test]
    fn each_request_ends_with_its_own_times(stories in stories()) {
        let mut events = Vec::new();
        let mut expected = Vec::new();
        for (place, story) in (1..).zip(&stories) {
            let (told, io) = told(story, place * 1000);
            events.extend(told);
            expected.extend(io);
        }
        events.sort_by_key(|event| event.time);
        let key = |io: &Io| (io.time, io.op, io.latency, io.queue);
        let mut requests = Requests::new(Takes::Requests { fua: false });
        let mut found: Vec<_> = events.iter().filter_map(|event| requests.take(event)).collect();
        found.sort_by_key(key);
        expected.sort_by_key(key);
        prop_assert_eq!(found, expected);
        prop_assert_eq!(requests.open.len(), 0);
    }

    #[test]
    fn no_order_of_events_is_too_strange(
        events in prop::collection::vec(
            (0_u64..5, 0_usize..6, 0_u64..4, 0_u64..4, 0_usize..4, any::<(bool, bool)>()),
            0..60,
        ),
    ) {
        let kinds = [
            Kind::Arrival, Kind::FrontMerge, Kind::Merge, Kind::Issue, Kind::Completion,
            Kind::Requeue,
        ];
        let mut requests = Requests::new(Takes::Requests { fua: true });
        for (time, kind, sector, sectors, op, (preflush, fua)) in events {
            let what = What { op, preflush, fua };
            let sector = if sector == 3 { u64::MAX } else { sector };
            let _ = requests.take(&event(time, kinds[kind], sector, sectors, what));
        }
    }
}

#[test]
fn of_requests_at_one_place_no_latency_is_guessed() {
    let read = What {
        op: READ,
        preflush: false,
        fua: false,
    };
    let mut requests = Requests::new(Takes::Requests { fua: true });
    let mut at = |time, kind| requests.take(&event(time, kind, 8, 8, read));
    for (time, kind) in [
        (1, Kind::Arrival),
        (2, Kind::Arrival),
        (3, Kind::Issue),
        (4, Kind::Issue),
        (10, Kind::Completion),
        (20, Kind::Completion),
        (30, Kind::Arrival),
        (31, Kind::Issue),
    ] {
        assert_eq!(at(time, kind), None);
    }
    let io = at(40, Kind::Completion).unwrap();
    assert_eq!((io.queue, io.device), (Some(1), Some(9)));
    // It was there before anything was watched.
    assert_eq!(at(50, Kind::Completion), None);
}

/// Four writes of 128 KiB behind each other: EBS counts two.
#[test]
fn writes_merge_in_the_order_in_which_the_device_got_them() {
    let write = What {
        op: WRITE,
        preflush: false,
        fua: false,
    };
    for takes in [Takes::Requests { fua: true }, Takes::Bios] {
        let mut requests = Requests::new(takes);
        let mut at = |time, kind, nth: u64| {
            let event = event(time, kind, 4096 + nth * 256, 256, write);
            requests.take(&event).map(|io| io.counted)
        };
        for nth in 0..4 {
            assert_eq!(at(nth, Kind::Arrival, nth), None);
        }
        for nth in 0..4 {
            assert_eq!(at(10 + nth, Kind::Issue, nth), None);
        }
        let mut end = |nth| at(20, Kind::Completion, nth).unwrap();
        assert_eq!([3, 1, 0, 2].map(&mut end), [0, 0, 1, 1]);
    }
}

#[test]
fn flushes_of_the_device_are_ios_of_their_own() {
    let flush = What {
        op: FLUSH,
        preflush: true,
        fua: false,
    };
    let mut requests = Requests::new(Takes::Requests { fua: true });
    assert_eq!(requests.take(&event(5, Kind::Issue, 0, 0, flush)), None);
    let io = requests
        .take(&event(9, Kind::Completion, u64::MAX, 0, flush))
        .unwrap();
    assert_eq!((io.op, io.queue, io.device), (FLUSH, None, Some(4)));
    assert_eq!(
        requests.take(&event(9, Kind::Completion, u64::MAX, 0, flush)),
        None
    );
}

#[test]
fn a_bio_ends_as_it_came_even_if_it_only_flushes() {
    let write = What {
        op: WRITE,
        preflush: true,
        fua: true,
    };
    let mut bios = Requests::new(Takes::Bios);
    for (time, sector, sectors) in [(1, 0, 0), (2, 0, 8)] {
        assert_eq!(
            bios.take(&event(time, Kind::Arrival, sector, sectors, write)),
            None
        );
    }
    for (time, sectors, latency) in [(7, 8, 5), (9, 0, 8)] {
        let io = bios
            .take(&event(time, Kind::Completion, 0, sectors, write))
            .unwrap();
        assert_eq!((io.latency, io.device), (latency, None));
    }
}
