//! Random threads, against a search of all calls for each IO.

use proptest::prelude::*;

use super::*;

/// What a thread does next: after so long it begins a call, which takes so long and has IOs, each
/// from a moment of it on and for so long.
type Step = (u64, u64, Vec<(u64, u64)>);

const READ: usize = 0;

fn step() -> impl Strategy<Value = Step> {
    (1_u64..50, 2_u64..50).prop_flat_map(|(after, length)| {
        let ios = prop::collection::vec((0..length, 1_u64..60), 0..4);
        (Just(after), Just(length), ios)
    })
}

/// The calls, all events and all IOs of threads.
fn done(threads: &[Vec<Step>]) -> (Vec<Call>, Vec<Event>, Vec<ThreadIo>) {
    let (mut calls, mut events, mut ios) = (Vec::new(), Vec::new(), Vec::new());
    for (thread, steps) in (1..).zip(threads) {
        let mut now = 0;
        for (after, length, own) in steps {
            let (start, end) = (now + after, now + after + length);
            now = end;
            let own = own.iter().map(|(from, length)| ThreadIo {
                thread,
                from: start + from,
                to: start + from + length,
            });
            ios.extend(own);
            let event = |time, what| Event {
                time,
                thread,
                call: READ,
                what,
            };
            events.push(event(start, What::Begin(Some(3))));
            events.push(event(end, What::End(7)));
            calls.push(Call {
                start,
                end,
                thread,
                call: READ,
                file: Some(3),
                result: 7,
                ios: Ios::default(),
            });
        }
    }
    events.sort_by_key(|event| event.time);
    ios.sort_by_key(|io| io.to);
    (calls, events, ios)
}

proptest! {
    #[test]
    fn each_io_is_below_the_call_that_asked_for_it(
        threads in prop::collection::vec(prop::collection::vec(step(), 0..6), 1..4),
        looks in prop::collection::vec(1_u64..400, 0..4),
    ) {
        let (mut expected, events, ios) = done(&threads);
        let mut calls = Calls::default();
        let mut looks = looks;
        looks.sort_unstable();
        looks.push(u64::MAX);
        let mut before = 0;
        for look in looks {
            let now = |time: Nanos| (before..look).contains(&time);
            events.iter().filter(|event| now(event.time)).for_each(|event| calls.take(event, true));
            ios.iter().filter(|io| now(io.to)).for_each(|io| calls.add(*io));
            before = look;
        }
        for call in &mut expected {
            // At the end of one call the next has not begun, as each pause is longer than nothing.
            let own = |io: &&ThreadIo| {
                io.thread == call.thread && (call.start..=call.end).contains(&io.from)
            };
            let own: Vec<_> = ios.iter().filter(own).collect();
            call.ios.count = own.len() as u32;
            call.ios.waited = own.iter().filter(|io| io.to <= call.end).count() as u32;
            let first = own.iter().map(|io| io.from).min().unwrap_or(0);
            let last = own.iter().map(|io| io.to.min(call.end)).max().unwrap_or(0);
            call.ios.time = last - first;
            call.ios.first = first;
        }
        let mut found = Vec::new();
        calls.finish(Nanos::MAX, |call| found.push(*call));
        found.sort_by_key(|call| (call.thread, call.start));
        prop_assert_eq!(found, expected);
        prop_assert_eq!(calls.oldest(), None);
    }
}

#[test]
fn what_is_half_seen_is_no_call() {
    let mut calls = Calls::default();
    let event = |time, what| Event {
        time,
        thread: 1,
        call: READ,
        what,
    };
    calls.take(&event(1, What::End(0)), true);
    calls.take(&event(2, What::Begin(None)), true);
    calls.take(&event(3, What::Begin(None)), true);
    calls.forget(|_| false);
    calls.take(&event(4, What::End(0)), true);
    // Of something that holds no data.
    calls.take(&event(5, What::Begin(Some(0))), false);
    calls.take(&event(6, What::End(9)), true);
    calls.finish(Nanos::MAX, |call| panic!("{call:?}"));
}
