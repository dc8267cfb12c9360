//! Random mirrors, loads and failures: nothing is lost, nothing hangs.

use proptest::prelude::*;

use super::*;
use crate::spec::{Contact, FlowControl, Impairment, LossSpec, QueuedUntil, Recovery};

#[derive(Clone, Debug)]
enum Input {
    Io(Op, u64, Bytes),
    Change(Change),
}

fn changes() -> impl Strategy<Value = Change> {
    (0_usize..2, 0_usize..9, any::<[bool; 2]>()).prop_map(|(volume, what, from)| match what {
        0 => Change::Pause { volume },
        1 => Change::Fail { volume },
        2 | 3 => Change::Resume { volume },
        4 => Change::Cut {
            link: 0,
            from: [true; 2],
        },
        5 => Change::Cut {
            link: 0,
            from: [false; 2],
        },
        6 => Change::Cut { link: 0, from },
        7 => Change::Impair {
            link: 0,
            is: Impairment {
                permille: [300, 700],
                delay: [MILLISECOND, 2 * MILLISECOND],
                loss: from.map(|is_lossy| {
                    is_lossy.then_some(LossSpec {
                        per_million: LossSpec::MOST,
                        recovery: match volume {
                            0 => Recovery::Rack,
                            _ => Recovery::Timeout,
                        },
                        retransmit_after: MILLISECOND,
                    })
                }),
            },
        },
        _ => Change::Impair {
            link: 0,
            is: Impairment::NONE,
        },
    })
}

fn inputs() -> impl Strategy<Value = Vec<(Nanos, Input)>> {
    let op = prop_oneof![
        3 => Just(Op::Read), 5 => Just(Op::Write), 1 => Just(Op::Flush), 1 => Just(Op::Trim), 1 => Just(Op::Zero)
    ];
    let io = (op, 0_u64..16, 1_u64..300).prop_map(|(op, at, kib)| Input::Io(op, at, kib * KIB));
    let input = prop_oneof![8 => io, 1 => changes().prop_map(Input::Change)];
    prop::collection::vec((0_u64..300 * MICROSECOND, input), 1..120)
}

pub(super) fn specs() -> impl Strategy<Value = StorageSpec> {
    let flow = (1_u64..40, any::<bool>()).prop_map(|(high, answered)| FlowControl {
        high,
        low: high / 2,
        until: if answered {
            QueuedUntil::Answered
        } else {
            QueuedUntil::Acknowledged
        },
    });
    let recovery = prop_oneof![Just(Recovery::Rack), Just(Recovery::Timeout)];
    let loss = (1_u32..LossSpec::MOST, recovery, 0_u64..500_000).prop_map(
        |(per_million, recovery, after)| LossSpec {
            per_million,
            recovery,
            retransmit_after: after,
        },
    );
    let log = (any::<bool>(), 1_u32..4).prop_map(|(both, active)| LogSpec {
        on: [true, both],
        block: 4 * KIB,
        extent: MIB,
        clean_after: 3 * MILLISECOND,
        active,
    });
    (
        (0_usize..3, any::<bool>(), any::<bool>()),
        (
            prop::option::of(flow),
            prop::option::of(1_u64..200_000),
            0_u64..20_000,
            prop_oneof![Just(0), 0_u64..200_000],
            prop::option::of(loss),
            prop_oneof![Just(8 * MIB), 1_u64..600_000],
        ),
        prop::option::of(log),
        (1_u64..3_000_000, 1_u64..3_000_000, 1_u64..5),
        (
            1_000_000_u64..2_000_000_000,
            1_u32..3,
            1_000_000_u64..20_000_000,
            prop_oneof![Just(Contact::Answered), Just(Contact::Heard)],
            prop::option::of(100_000_u64..5_000_000),
        ),
    )
        .prop_map(
            |((protocol, in_turn, is_remote), network, log, disks, wire)| {
                let mut of = MirrorSpec {
                    acknowledge: [Acknowledge::A, Acknowledge::B, Acknowledge::C][protocol],
                    read: if in_turn {
                        ReadPolicy::RoundRobin
                    } else {
                        ReadPolicy::Local
                    },
                    log,
                    max_buffers: network.5,
                    ..mirror()
                };
                of.resync.depth = disks.2 as u32;
                if !is_remote {
                    of.legs[1].link = None;
                }
                let link = LinkSpec {
                    flow_control: network.0,
                    socket_buffer: network.1,
                    processor: ProcessorCost {
                        per_packet: network.2,
                        per_kib: 0,
                    },
                    jitter: network.3,
                    loss: network.4,
                    bandwidth: wire.0,
                    count: wire.1,
                    timeout: wire.2,
                    contact: wire.3,
                    retry: wire.4,
                    ..link()
                };
                let mut spec = two_hosts(of, link);
                spec.volumes = vec![volume("a", disks.0), volume("b", disks.1)];
                spec
            },
        )
}

fn protocol(spec: &StorageSpec) -> Acknowledge {
    match &spec.devices[0].layout {
        Layout::Mirror(mirror) => mirror.acknowledge,
        _ => panic!("the device is a mirror"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn every_request_ends_and_what_c_acknowledged_is_on_both_legs(
        spec in specs(),
        inputs in inputs(),
    ) {
        let mut watched = Watched::new(&spec);
        let mut now = 0;
        let mut tickets = 0;
        let mut requests = Vec::new();
        for (after, input) in inputs {
            now += after;
            match input {
                Input::Io(op, region, len) => {
                    let len = if op == Op::Flush { 0 } else { len };
                    requests.push(request(op, region * MIB, len));
                    watched.submit(now, tickets, &requests[tickets as usize]);
                    tickets += 1;
                }
                Input::Change(change) => watched.change(now, change),
            }
            let status = watched.status(now);
            if protocol(&spec) == Acknowledge::C && status.state == MirrorState::InSync {
                prop_assert_eq!(status.at_risk, 0);
            }
        }
        // Whatever has gone returns.
        now += SECOND;
        watched.change(now, Change::Cut { link: 0, from: [false; 2] });
        for volume in [0, 1] {
            watched.change(now, Change::Resume { volume });
        }
        let end = watched.settle().max(now);
        for ticket in 0..tickets {
            prop_assert!(watched.ends[&ticket].is_some(), "request {} hangs", ticket);
        }
        let status = watched.status(end);
        prop_assert_eq!((status.state, status.at_risk), (MirrorState::InSync, 0));
        // Whatever C acknowledged is on both disks. What A and B acknowledge before the second
        // disk has it is lost if the first leg is given up before the second.
        let last = watched.ends.values().flatten().map(|reply| reply.at).max();
        watched.advance(last.unwrap_or(0).max(end));
        for (ticket, request) in (0..tickets).zip(&requests) {
            if !request.op.writes() || watched.end(ticket).failed {
                continue;
            }
            let has = [0, 1].map(|leg| watched.contents.has(leg, ticket, request));
            let is_c = protocol(&spec) == Acknowledge::C;
            prop_assert!(has == [true; 2] || !is_c, "write {}: {:?}", ticket, has);
        }
    }
}

/// What is told of requests, each with what is told of it, in order; and how the mirror is at
/// the end. With `is_stepped` every event has a call of its own.
fn told(
    spec: &StorageSpec,
    inputs: &[(Nanos, Input)],
    is_stepped: bool,
) -> (Vec<(Ticket, Option<Reply>)>, MirrorStatus) {
    let mut storage = Storage::new(spec, 1);
    let mut told = Vec::new();
    let mut now = 0;
    let last = (
        SECOND,
        Input::Change(Change::Cut {
            link: 0,
            from: [false; 2],
        }),
    );
    for (ticket, (after, input)) in (0..).zip(inputs.iter().chain([&last])) {
        let until = now + after;
        while let Some(next) = storage.next_event().filter(|next| *next <= until) {
            let before = told.len();
            let mut tell = |ticket, reply| told.push((ticket, Some(reply)));
            if is_stepped {
                storage.advance(next, &mut tell);
                continue;
            }
            storage.advance_until_told(until, &mut tell);
            let is_over = storage.next_event().is_none_or(|next| next > until);
            assert!(is_over || told.len() > before, "it stopped for nothing");
        }
        now = until;
        match input {
            Input::Io(op, region, len) => {
                let len = if *op == Op::Flush { 0 } else { *len };
                let end = storage.submit(now, ticket, &request(*op, region * MIB, len));
                told.push((ticket, end));
            }
            Input::Change(change) => storage.change(now, change.clone(), &mut |ticket, reply| {
                told.push((ticket, reply));
            }),
        }
    }
    let status = storage.mirrors(now).next().expect("there is one");
    (told, status)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn to_go_on_until_something_is_told_is_to_step(spec in specs(), inputs in inputs()) {
        prop_assert_eq!(told(&spec, &inputs, false), told(&spec, &inputs, true));
    }
}
