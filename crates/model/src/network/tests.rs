mod interface;
mod liveness;
mod one_way;
mod oracle;
mod rack;
mod scoreboard;

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use proptest::prelude::*;

use self::oracle::Oracle;
use super::lottery::Lottery;
use super::*;
use crate::event_queue::NEVER;
use crate::random::Stream;
use crate::spec::{Contact, FlowControl, Impairment, LossSpec, ProcessorCost, Recovery};
use crate::units::SECOND;

const SEED: u64 = 5;

pub(crate) fn link() -> LinkSpec {
    LinkSpec {
        name: "llt".into(),
        ends: [0, 1],
        delay: [125_000, 125_000],
        jitter: 0,
        loss: None,
        overhead: 0,
        bandwidth: 1_000_000_000,
        count: 1,
        payload: 1460,
        headers: 78,
        socket_buffer: None,
        flow_control: None,
        processor: ProcessorCost::default(),
        retry: None,
        timeout: 16_000_000_000,
        contact: Contact::default(),
    }
}

/// A message to be sent: when, from which end, its bytes and whether it has an answer.
type Planned = (Nanos, usize, Bytes, bool);

/// From when on which ways are cut, by the end that sends.
type Cuts = [(Nanos, [bool; 2])];

/// From when on packets of which host are handled how fast, in 1/1000.
type Speeds = [(Nanos, usize, u32)];

/// Sends `planned`, in the order of their times, reads those that have an answer `reads` after
/// they came and answers them `think` after that; gives when each was delivered.
fn deliveries(spec: &LinkSpec, planned: &[Planned], reads: Nanos, think: Nanos) -> Vec<Nanos> {
    deliveries_through(spec, planned, &[], (reads, think))
}

/// The same where other ways of the link are cut from some times on.
fn deliveries_through(
    spec: &LinkSpec,
    planned: &[Planned],
    cuts: &Cuts,
    (reads, think): (Nanos, Nanos),
) -> Vec<Nanos> {
    deliveries_and_resumptions(spec, planned, (cuts, &[]), (reads, think)).0
}

/// The same with hosts that become slower or faster, and with the senders that went on later than
/// their way worked.
fn deliveries_and_resumptions(
    spec: &LinkSpec,
    planned: &[Planned],
    (cuts, speeds): (&Cuts, &Speeds),
    (reads, think): (Nanos, Nanos),
) -> (Vec<Nanos>, Vec<Resumption>) {
    let mut cuts = cuts.iter().copied().peekable();
    let mut speeds = speeds.iter().copied().peekable();
    let mut link = Link::new(spec, SEED, 0);
    let mut processors = Processors::default();
    let mut released = Vec::new();
    let mut delivered = vec![NEVER; planned.len()];
    let mut unread: VecDeque<(Nanos, usize, Bytes)> = VecDeque::new();
    let mut answers: VecDeque<(Nanos, usize, Bytes)> = VecDeque::new();
    let mut next = 0;
    loop {
        let due = planned.get(next).map_or(NEVER, |planned| planned.0);
        let events = [link.next_event(0), link.next_event(1)];
        let read = unread.front().map_or(NEVER, |read| read.0);
        let answer = answers.front().map_or(NEVER, |answer| answer.0);
        let turn = cuts.peek().map_or(NEVER, |turn| turn.0);
        let turn = turn.min(speeds.peek().map_or(NEVER, |turn| turn.0));
        let now = due.min(events[0]).min(events[1]).min(read).min(answer);
        let now = now.min(turn);
        if now == NEVER {
            break;
        }
        if let Some(from) = (0..2).find(|&from| events[from] == now) {
            link.advance(now, from, &mut processors, &mut released);
        } else if let Some((_, from, bytes)) = unread.pop_front_if(|read| read.0 == now) {
            link.take_up(from, bytes);
            link.read(now, from, bytes);
        } else if let Some((_, from, bytes)) = answers.pop_front_if(|answer| answer.0 == now) {
            link.answered(now, from, bytes, &mut processors, &mut released);
        } else if let Some((_, host, speed)) = speeds.next_if(|turn| turn.0 == now) {
            processors.run_at(host, speed);
        } else if let Some((_, cut)) = cuts.next_if(|turn| turn.0 == now) {
            link.turn(now, cut, &mut processors, &mut released);
        } else {
            let (_, from, bytes, has_answer) = planned[next];
            let to = next as u32;
            let message = Message {
                to,
                bytes,
                has_answer,
                ahead: false,
                is_copy: false,
            };
            link.send(now, from, message, &mut processors);
            next += 1;
        }
        for (to, at) in take_deliveries(&mut link) {
            assert_eq!(at, now);
            assert_eq!(delivered[to as usize], NEVER, "once");
            let (_, from, bytes, has_answer) = planned[to as usize];
            delivered[to as usize] = now;
            if has_answer {
                link.leave_unread(from, bytes);
                unread.push_back((now + reads, from, bytes));
                answers.push_back((now + reads + think, from, bytes));
            }
        }
        check_marks(spec, &link.counts(now), planned);
    }
    (delivered, link.resumptions().collect())
}

/// To whom what is delivered goes, and when.
fn take_deliveries(link: &mut Link) -> Vec<(u32, Nanos)> {
    let mut all = Vec::new();
    for from in [0, 1] {
        let of_end = (0..).map_while(|place| link.delivery(from, place));
        all.extend(of_end.map(|it| (it.to, it.at)));
        link.forget_delivered(from);
    }
    all
}

/// Does all that is to come from end 0; gives to whom what is delivered goes.
fn settle(link: &mut Link, released: &mut Vec<Released>) -> Vec<u32> {
    let (mut processors, mut all) = (Processors::default(), Vec::new());
    while link.next_event(0) != NEVER {
        link.advance(link.next_event(0), 0, &mut processors, released);
        all.extend(take_deliveries(link).iter().map(|it| it.0));
    }
    all
}

/// What is under way never passes the link's marks, but for a message alone.
fn check_marks(spec: &LinkSpec, counts: &[LinkCounts; 2], planned: &[Planned]) {
    let largest = planned.iter().map(|planned| planned.2).max().unwrap_or(0);
    let packets = largest.div_ceil(spec.payload).max(1);
    for counts in counts {
        if let Some(buffer) = spec.socket_buffer {
            assert!(counts.most_unacknowledged <= buffer.max(largest));
        }
        if let Some(flow) = spec.flow_control {
            assert!(counts.most_queued <= flow.high.max(packets));
        }
    }
}

fn specs() -> impl Strategy<Value = LinkSpec> {
    let flow_control =
        (1_u64..12, 0_u64..12, any::<bool>()).prop_map(|(high, low, answered)| FlowControl {
            high,
            low: low.min(high),
            until: match answered {
                true => QueuedUntil::Answered,
                false => QueuedUntil::Acknowledged,
            },
        });
    let recovery = prop_oneof![Just(Recovery::Rack), Just(Recovery::Timeout)];
    // A probe is sent after 2 ms at least.
    let after = prop_oneof![0_u64..20_000, 1_000_000_u64..9_000_000];
    let loss =
        (1_u32..500_000, recovery, after).prop_map(|(per_million, recovery, after)| LossSpec {
            per_million,
            recovery,
            retransmit_after: after,
        });
    (
        (0_u64..3_000, 0_u64..3_000, 0_u64..500),
        (
            prop_oneof![Just(0), 0_u64..3_000],
            prop::option::weighted(0.4, loss),
        ),
        (1_000_000_u64..10_000_000_000, 1_u32..5, 1_u64..2_000),
        (
            prop::option::of(1_u64..10_000),
            prop::option::of(1_u64..10_000),
        ),
        prop::option::of(flow_control),
        (0_u64..2_000, 0_u64..2_000),
    )
        .prop_map(
            |(delays, (jitter, loss), wire, (socket_buffer, retry), flow_control, cost)| LinkSpec {
                delay: [delays.0, delays.1],
                jitter,
                loss,
                overhead: delays.2,
                bandwidth: wire.0,
                count: wire.1,
                // The oracle looks at all packets behind each lost one.
                payload: wire.2.max(if loss.is_some() { 800 } else { 1 }),
                socket_buffer,
                flow_control,
                retry,
                processor: ProcessorCost {
                    per_packet: cost.0,
                    per_kib: cost.1,
                },
                ..link()
            },
        )
}

/// When packets of which host are handled how fast from then on: at times that cuts have, too.
fn speed() -> impl Strategy<Value = (Nanos, usize, u32)> {
    (
        1_u64..60_000,
        0_usize..2,
        prop_oneof![Just(1000), 1_u32..1000],
    )
}

proptest! {
    #[test]
    fn a_link_does_what_the_obvious_one_does(
        spec in specs(),
        mut planned in prop::collection::vec((0_u64..40_000, 0_usize..2, 0_u64..6_000, any::<bool>()), 1..40),
        after in (prop_oneof![Just(0), 0_u64..9_000], 0_u64..5_000),
    ) {
        planned.sort();
        let got = deliveries(&spec, &planned, after.0, after.1);
        let expected = Oracle::new(&spec, &planned, after).run_noting().0;
        prop_assert!(got.iter().all(|&at| at != NEVER), "all are delivered");
        prop_assert_eq!(got, expected);
    }
}

proptest! {
    /// So it does between hosts that become slower and faster.
    #[test]
    fn a_link_between_slow_hosts_does_what_the_obvious_one_does(
        spec in specs(),
        mut planned in prop::collection::vec((0_u64..40_000, 0_usize..2, 0_u64..6_000, any::<bool>()), 1..40),
        after in (prop_oneof![Just(0), 0_u64..9_000], 0_u64..5_000),
        mut speeds in prop::collection::vec(speed(), 1..6),
    ) {
        planned.sort();
        speeds.sort();
        let (got, _) = deliveries_and_resumptions(&spec, &planned, (&[], &speeds), after);
        let oracle = Oracle::new(&spec, &planned, after).with_turns(&[], &speeds);
        prop_assert!(got.iter().all(|&at| at != NEVER), "all are delivered");
        prop_assert_eq!(got, oracle.run_noting().0);
    }
}

proptest! {
    /// So it does where its ways are cut, each by itself, and work again in the end.
    #[test]
    fn a_link_that_is_cut_does_what_the_obvious_one_does(
        spec in specs(),
        mut planned in prop::collection::vec((0_u64..40_000, 0_usize..2, 0_u64..6_000, any::<bool>()), 1..40),
        after in (prop_oneof![Just(0), 0_u64..9_000], 0_u64..5_000),
        mut cuts in prop::collection::vec((1_u64..60_000, any::<[bool; 2]>()), 1..6),
        mut speeds in prop::collection::vec(speed(), 0..4),
    ) {
        let spec = LinkSpec { loss: None, ..spec };
        planned.sort();
        cuts.sort();
        cuts.dedup_by_key(|it| it.0);
        cuts.push((70_000, [false; 2]));
        speeds.sort();
        let (got, noted) = deliveries_and_resumptions(&spec, &planned, (&cuts, &speeds), after);
        let oracle = Oracle::new(&spec, &planned, after).with_turns(&cuts, &speeds);
        let (expected, mut resumptions) = oracle.run_noting();
        prop_assert!(got.iter().all(|&at| at != NEVER), "all are delivered");
        prop_assert_eq!(got, expected);
        resumptions.sort_by_key(|it| it.from);
        prop_assert_eq!(noted, resumptions);
    }
}

/// What comes while the way back is cut arrives once, and its sender stalls with a full buffer
/// until it can be told.
#[test]
fn without_a_way_back_what_arrives_is_not_acknowledged() {
    let spec = LinkSpec {
        socket_buffer: Some(2500),
        ..link()
    };
    let planned: Vec<Planned> = (0..3).map(|_| (100, 0, 1000, false)).collect();
    let cuts = [(0, [false, true]), (SECOND, [false; 2])];
    let got = deliveries_through(&spec, &planned, &cuts, (0, 0));
    let (one, way) = (8 * 1078, 125_000);
    assert_eq!(got[..2], [100 + one + way, 100 + 2 * one + way]);
    assert_eq!(got[2], SECOND + way + one + way);
    // The other way round nothing arrives before.
    let cuts = [(0, [true, false]), (SECOND, [false; 2])];
    let got = deliveries_through(&spec, &planned, &cuts, (0, 0));
    assert_eq!(got[..2], [SECOND + one + way, SECOND + 2 * one + way]);
}

#[test]
fn a_message_takes_the_processors_the_wire_and_half_the_round_trip() {
    let spec = LinkSpec {
        processor: ProcessorCost {
            per_packet: 12_000,
            per_kib: 0,
        },
        overhead: 50_000,
        ..link()
    };
    // Three packets of 4096 + 3 * 78 bytes at 8 ns each.
    let expected = 3 * 12_000 + 8 * (4096 + 3 * 78) + 125_000 + 25_000 + 3 * 12_000;
    assert_eq!(deliveries(&spec, &[(0, 0, 4096, false)], 0, 0), [expected]);
}

#[test]
fn what_a_cut_interrupts_is_sent_again() {
    let spec = link();
    let mut link = Link::new(&spec, SEED, 0);
    let mut processors = Processors::default();
    let mut released = Vec::new();
    for to in 0..3 {
        let message = Message {
            to,
            bytes: 1000,
            has_answer: false,
            ahead: false,
            is_copy: false,
        };
        link.send(0, 0, message, &mut processors);
    }
    link.turn(100_000, [true; 2], &mut processors, &mut released);
    assert_eq!(link.next_event(0), NEVER);
    link.turn(500_000, [false; 2], &mut processors, &mut released);
    assert_eq!(released, []);
    assert!(link.next_event(0) > 625_000);
    assert_eq!(settle(&mut link, &mut released), [0, 1, 2]);
    assert_eq!(link.counts(SECOND)[0].messages, 6);
    assert_eq!(
        link.counts(SECOND)[0].waited[Wait::Down as usize],
        3 * 400_000
    );
}

#[test]
fn a_link_that_is_down_takes_what_its_buffer_has_room_for() {
    let spec = LinkSpec {
        socket_buffer: Some(2500),
        ..link()
    };
    let mut link = Link::new(&spec, SEED, 0);
    let mut processors = Processors::default();
    let mut released = Vec::new();
    let mut send = |link: &mut Link, to| {
        let message = Message {
            to,
            bytes: 1000,
            has_answer: false,
            ahead: false,
            is_copy: false,
        };
        link.send(0, 0, message, &mut processors)
    };
    // The one that the cut interrupts stays in the buffer.
    assert!(send(&mut link, 0));
    link.turn(0, [true; 2], &mut Processors::default(), &mut released);
    assert!(send(&mut link, 1));
    assert!(!send(&mut link, 2));
    link.turn(400_000, [false; 2], &mut processors, &mut released);
    assert_eq!(settle(&mut link, &mut released), [0, 1, 2]);
    assert!(released.iter().any(|it| it.to == 2));
    let counts = link.counts(SECOND)[0];
    assert_eq!(counts.most_unacknowledged, 2000);
}

/// When messages of one packet arrive that are sent at these times over a link that loses a
/// tenth of its packets, and how many packets were sent again.
fn with_losses(recovery: Recovery, times: impl Iterator<Item = Nanos>) -> (Vec<Nanos>, u64) {
    let loss = LossSpec {
        per_million: 100_000,
        recovery,
        retransmit_after: 200_000_000,
    };
    let spec = LinkSpec {
        loss: Some(loss),
        ..link()
    };
    let planned: Vec<Planned> = times.map(|at| (at, 0, 1000, false)).collect();
    let lottery = &mut Lottery::new(loss, SEED, (0, 0));
    let sent_again = (planned.iter()).map(|_| u64::from(lottery.times_lost()));
    (deliveries(&spec, &planned, 0, 0), sent_again.sum())
}

#[test]
fn a_lost_packet_waits_for_the_timer_or_for_one_behind_it() {
    // One each 10 s: nothing follows in time to tell of a loss.
    let far = |each: Nanos| (0..1000).map(move |at| at * each);
    for recovery in [Recovery::Rack, Recovery::Timeout] {
        let (alone, sent_again) = with_losses(recovery, far(10 * SECOND));
        let late = |(at, sent): (&Nanos, Nanos)| *at >= sent + SECOND / 5;
        let lost = alone.iter().zip(far(10 * SECOND)).filter(|&it| late(it));
        let lost = lost.count() as u64;
        assert!((80..125).contains(&lost), "{lost} of 1000");
        assert!(sent_again >= lost, "{sent_again} of {lost}");
    }
    // One each 10 ms: another is there long before the timer ends.
    let mean = |recovery| {
        let (dense, _) = with_losses(recovery, far(10_000_000));
        let took = dense
            .iter()
            .zip(far(10_000_000))
            .map(|(at, sent)| at - sent);
        took.sum::<Nanos>() / 1000
    };
    let (told, timer) = (mean(Recovery::Rack), mean(Recovery::Timeout));
    assert!(10 * told < timer, "{told} against {timer}");
}

#[test]
fn jitter_lengthens_the_way_by_half_of_it_on_average_and_nothing_overtakes() {
    let spec = LinkSpec {
        jitter: 100_000,
        ..link()
    };
    let planned: Vec<Planned> = (0..2000).map(|at| (at * SECOND, 0, 1000, false)).collect();
    let late = |(at, planned): (Nanos, &Planned)| at - planned.0 - 125_000 - 8 * 1078;
    let got = deliveries(&spec, &planned, 0, 0);
    let late: Vec<Nanos> = got.into_iter().zip(&planned).map(late).collect();
    assert!(late.iter().all(|&late| late <= 100_000));
    let mean = late.iter().sum::<Nanos>() / 2000;
    assert!((48_000..52_000).contains(&mean), "{mean}");
    let close: Vec<Planned> = (0..100).map(|at| (at * 20_000, 0, 1000, false)).collect();
    assert!(deliveries(&spec, &close, 0, 0).is_sorted());
}

/// What is under way arrives as it was to, what is sent later as over a link that is so by itself,
/// and nothing overtakes.
#[test]
fn an_impaired_link_is_like_one_that_is_so_by_itself() {
    let loss = Some(LossSpec {
        per_million: LossSpec::MOST,
        recovery: Recovery::Rack,
        retransmit_after: SECOND / 5,
    });
    let is = Impairment {
        permille: [100; 2],
        delay: [20_000_000; 2],
        loss: [loss; 2],
    };
    let worse = LinkSpec {
        loss,
        delay: is.delay,
        bandwidth: link().bandwidth / 10,
        ..link()
    };
    let (mut processors, mut released) = (Processors::default(), Vec::new());
    let message = |to| Message {
        to,
        bytes: 1000,
        has_answer: false,
        ahead: false,
        is_copy: false,
    };
    let mut one = Link::new(&link(), SEED, 0);
    one.send(0, 0, message(0), &mut processors);
    one.impair(0, is);
    let mut other = Link::new(&worse, SEED, 0);
    let count = 300;
    for (to, at) in (1..=count).map(|to| (to, u64::from(to) * 1_000_000)) {
        for link in [&mut one, &mut other] {
            while link.next_event(0) <= at {
                link.advance(link.next_event(0), 0, &mut processors, &mut released);
            }
            link.send(at, 0, message(to), &mut Processors::default());
        }
    }
    one.impair(300_000_000, Impairment::NONE);
    one.send(301_000_000, 0, message(count + 1), &mut processors);
    let mut arrivals = [Vec::new(), Vec::new()];
    for (link, all) in [&mut one, &mut other].into_iter().zip(&mut arrivals) {
        all.extend(take_deliveries(link));
        while link.next_event(0) != NEVER {
            link.advance(link.next_event(0), 0, &mut processors, &mut released);
            all.extend(take_deliveries(link));
        }
    }
    let [mut one, other] = arrivals;
    assert_eq!(one.remove(0), (0, 125_000 + 8 * 1078));
    let (last, _) = one.pop().unwrap();
    assert_eq!(last, count + 1);
    // The last message tells of gaps before it, earlier than if it had not been sent.
    assert_eq!(one[..150], other[..150]);
    assert!(one.iter().map(|it| it.1).is_sorted());
}

/// What was lost of messages that are forgotten is forgotten with them: what is sent then arrives,
/// each once, as over a new link.
#[test]
fn a_lossy_link_forgets_what_was_lost() {
    let loss = LossSpec {
        per_million: LossSpec::MOST,
        recovery: Recovery::Rack,
        retransmit_after: SECOND / 5,
    };
    let spec = LinkSpec {
        loss: Some(loss),
        ..link()
    };
    let mut link = Link::new(&spec, SEED, 0);
    let send = |link: &mut Link, tos: Range<u32>| {
        for to in tos {
            let message = Message {
                to,
                bytes: 1000,
                has_answer: false,
                ahead: false,
                is_copy: false,
            };
            link.send(0, 0, message, &mut Processors::default());
        }
    };
    send(&mut link, 0..300);
    link.forget();
    send(&mut link, 300..600);
    let arrived = settle(&mut link, &mut Vec::new());
    assert_eq!(arrived, (300..600).collect::<Vec<_>>());
}

/// What is lost waits for a timer, which is shorter once the link is as before: it is sent again
/// now, and not at a time that has gone by.
#[test]
fn what_a_shorter_timer_has_overdue_is_due_now() {
    let lossy = |per_million, retransmit_after| LossSpec {
        per_million,
        recovery: Recovery::Rack,
        retransmit_after,
    };
    let mut link = Link::new(
        &LinkSpec {
            loss: Some(lossy(1, 1_000_000)),
            ..link()
        },
        SEED,
        0,
    );
    let (mut processors, mut released) = (Processors::default(), Vec::new());
    let is = Impairment {
        loss: [Some(lossy(900_000, 1_000_000_000)), None],
        ..Impairment::NONE
    };
    link.impair(0, is);
    let message = Message {
        to: 0,
        bytes: 1000,
        has_answer: false,
        ahead: false,
        is_copy: false,
    };
    link.send(0, 0, message, &mut processors);
    while link.next_event(0) < 500_000_000 {
        link.advance(link.next_event(0), 0, &mut processors, &mut released);
    }
    assert!(link.next_event(0) < NEVER, "it is lost");
    link.impair(500_000_000, Impairment::NONE);
    assert_eq!(link.next_event(0), 500_000_000);
}
