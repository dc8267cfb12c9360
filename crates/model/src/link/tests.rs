mod oracle;

use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use self::oracle::Oracle;
use super::*;
use crate::event_queue::NEVER;

pub(crate) fn link() -> LinkSpec {
    LinkSpec {
        name: "llt".into(),
        ends: [0, 1],
        delay: [125_000, 125_000],
        overhead: 0,
        bandwidth: 1_000_000_000,
        count: 1,
        payload: 1460,
        headers: 78,
        socket_buffer: None,
        flow_control: None,
        processor: ProcessorCost::default(),
        timeout: 16_000_000_000,
    }
}

/// A message to be sent: when, from which end, its bytes and whether it has an answer.
type Planned = (Nanos, usize, Bytes, bool);

/// Sends `planned`, in the order of their times, and answers those that have one `think`
/// after they came; gives when each was delivered.
fn deliveries(spec: &LinkSpec, planned: &[Planned], think: Nanos) -> Vec<Nanos> {
    let mut link = Link::new(spec);
    let mut processors = [Processor::default(); 2];
    let mut happened = Vec::new();
    let mut delivered = vec![NEVER; planned.len()];
    let mut answers: Vec<(Nanos, usize, Bytes)> = Vec::new();
    let mut next = 0;
    loop {
        let due = planned.get(next).map_or(NEVER, |planned| planned.0);
        let events = [link.next_event(0), link.next_event(1)];
        let answer = answers.first().map_or(NEVER, |answer| answer.0);
        let now = due.min(events[0]).min(events[1]).min(answer);
        if now == NEVER {
            break;
        }
        if let Some(from) = (0..2).find(|&from| events[from] == now) {
            link.advance(now, from, &mut processors, &mut happened);
        } else if answer == now {
            let (_, from, bytes) = answers.remove(0);
            link.answered(now, (from, bytes), &mut processors, &mut happened);
        } else {
            let (_, from, bytes, has_answer) = planned[next];
            let to = next as u32;
            let message = Message {
                to,
                bytes,
                has_answer,
                ahead: false,
                taken: Taken::default(),
            };
            link.send(now, from, message, &mut processors);
            next += 1;
        }
        for what in happened.drain(..) {
            if let Happened::Delivered(to, at, _) = what {
                assert_eq!(at, now);
                let (_, from, bytes, has_answer) = planned[to as usize];
                delivered[to as usize] = now;
                if has_answer {
                    answers.push((now + think, from, bytes));
                    answers.sort_by_key(|answer| answer.0);
                }
            }
        }
        check_marks(spec, &link.counts(now), planned);
    }
    delivered
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
    (
        (0_u64..3_000, 0_u64..3_000, 0_u64..500),
        (1_000_000_u64..10_000_000_000, 1_u32..5, 1_u64..2_000),
        prop::option::of(1_u64..10_000),
        prop::option::of(flow_control),
        (0_u64..2_000, 0_u64..2_000),
    )
        .prop_map(
            |(delays, wire, socket_buffer, flow_control, cost)| LinkSpec {
                delay: [delays.0, delays.1],
                overhead: delays.2,
                bandwidth: wire.0,
                count: wire.1,
                payload: wire.2,
                socket_buffer,
                flow_control,
                processor: ProcessorCost {
                    per_packet: cost.0,
                    per_kib: cost.1,
                },
                ..link()
            },
        )
}

proptest! {
    #[test]
    fn a_link_does_what_the_obvious_one_does(
        spec in specs(),
        mut planned in prop::collection::vec((0_u64..40_000, 0_usize..2, 0_u64..6_000, any::<bool>()), 1..40),
        think in 0_u64..5_000,
    ) {
        planned.sort();
        let got = deliveries(&spec, &planned, think);
        let expected = Oracle::new(&spec, &planned, think).run();
        prop_assert!(got.iter().all(|&at| at != NEVER), "all are delivered");
        prop_assert_eq!(got, expected);
    }
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
    assert_eq!(deliveries(&spec, &[(0, 0, 4096, false)], 0), [expected]);
}

#[test]
fn what_a_cut_interrupts_is_sent_again() {
    let spec = link();
    let mut link = Link::new(&spec);
    let mut processors = [Processor::default(); 2];
    let mut happened = Vec::new();
    for to in 0..3 {
        let message = Message {
            to,
            bytes: 1000,
            has_answer: false,
            ahead: false,
            taken: Taken::default(),
        };
        link.send(0, 0, message, &mut processors);
    }
    link.cut(100_000);
    assert_eq!(link.next_event(0), NEVER);
    link.restore(500_000, &mut processors, &mut happened);
    let sent = |(to, what): (u32, &Happened)| matches!(what, Happened::Sent(of, _) if *of == to);
    assert!((0..3).zip(&happened).all(sent));
    assert_eq!(core::mem::take(&mut happened).len(), 3);
    while link.next_event(0) != NEVER {
        assert!(link.next_event(0) > 625_000);
        link.advance(link.next_event(0), 0, &mut processors, &mut happened);
    }
    let delivered = |to| matches!(happened[to as usize], Happened::Delivered(of, ..) if of == to);
    assert!((0..3).all(delivered));
    assert_eq!(link.counts(SECOND)[0].messages, 6);
    assert_eq!(
        link.counts(SECOND)[0].waited[Wait::Down as usize],
        3 * 400_000
    );
}

use crate::units::SECOND;
