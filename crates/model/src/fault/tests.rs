use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::limits::LimitId;
use crate::spec::{
    Applies, Contact, DeviceSpec, Discipline, HostSpec, LatencySpec, Layout, LimitSpec, LinkSpec,
    ProcessorCost, StorageSpec, Unit, VolumeSpec,
};
use crate::storage::Change;
use crate::units::{GIB, SECOND};

/// Two volumes with one limit of 1000 IOs a second each, as devices of their own.
fn storage() -> StorageSpec {
    let volume = |name: &str| VolumeSpec {
        name: name.into(),
        size: GIB,
        io_unit: 1 << 18,
        whole_units: false,
        limits: vec![LimitSpec {
            name: "iops".into(),
            unit: Unit::Io,
            applies: Applies::Both,
            rate: 1000,
            depth: 2000,
            level: 2000,
            credits: false,
            top_up: None,
        }],
        discipline: Discipline::Fifo,
        latency: LatencySpec {
            read: vec![(0.0, 1), (1.0, 1)],
            write: vec![(0.0, 1), (1.0, 1)],
            sequential: None,
            base_size: 1,
            per_kib: 0.into(),
            spread_permille: 0,
            volume_spread_permille: 0,
            slow: Vec::new(),
        },
        queues: None,
        host: 0,
        standby: Vec::new(),
        behind_host: false,
    };
    let device = |(index, name): (usize, &str)| DeviceSpec {
        name: name.into(),
        size: GIB,
        layout: Layout::Volume(index),
    };
    StorageSpec {
        hosts: vec![HostSpec::unnamed()],
        volumes: ["a", "b"].map(volume).into(),
        devices: [(0, "a"), (1, "b")].map(device).into(),
        links: Vec::new(),
    }
}

fn fault(volume: usize, from: Nanos, until: Nanos, does: Does) -> Fault {
    Fault {
        number: 0,
        volumes: vec![volume],
        links: Vec::new(),
        hosts: Vec::new(),
        from,
        until: (until > 0).then_some(until),
        does,
    }
}

/// All that is told, each with its time.
fn told(mut faults: Faults) -> Vec<(Nanos, Change)> {
    let mut told = Vec::new();
    let mut next = Some(0);
    while let Some(now) = next {
        faults.advance(now, &mut |change| told.push((now, change)));
        next = faults.next_event(now);
    }
    told
}

#[test]
fn a_volume_that_failed_while_it_was_paused_is_paused_when_it_returns() {
    let mut faults = Faults::new(&storage(), 1);
    faults.start(fault(0, 10, 50, Does::Pause));
    faults.start(fault(0, 20, 30, Does::Fail));
    faults.start(fault(1, 25, 0, Does::Fail));
    let volume = 0;
    let expected = [
        (10, Change::Pause { volume }),
        (20, Change::Fail { volume }),
        (25, Change::Fail { volume: 1 }),
        (30, Change::Resume { volume }),
        (30, Change::Pause { volume }),
        (50, Change::Resume { volume }),
    ];
    assert_eq!(told(faults), expected);
}

#[test]
fn a_degraded_volume_that_is_modified_keeps_its_share_of_the_new_rate() {
    let limit = LimitId::at(0);
    let mut faults = Faults::new(&storage(), 1);
    let slow = |rate, depth| Change::Limit { limit, rate, depth };
    let terms = |at, holds| Terms {
        at,
        volume: 0,
        limits: vec![Term {
            name: "iops".into(),
            holds,
        }],
        latency: None,
        host: None,
        reconnects: false,
    };
    faults.start(fault(0, 10, 40, Does::Slow(250)));
    faults.plan([terms(20, Some((8000, 8000))), terms(30, None)]);
    faults.plan([terms(50, Some((3000, 9000)))]);
    let lifted = Change::Lift { limit };
    let expected = [
        (10, slow(250, 500)),
        (20, slow(2000, 2000)),
        (30, lifted.clone()),
        (40, lifted),
        (50, slow(3000, 9000)),
    ];
    assert_eq!(told(faults), expected);
}

#[test]
fn clearing_leaves_what_is_to_come() {
    let mut faults = Faults::new(&storage(), 1);
    faults.start(fault(0, 0, 100, Does::Pause));
    faults.start(fault(1, 50, 60, Does::Pause));
    faults.advance(10, &mut |_| {});
    faults.clear(10);
    let volume = 0;
    assert_eq!(told(faults)[..1], [(0, Change::Resume { volume })]);
}

#[test]
fn a_seed_decides_of_a_degradation_what_is_left_open() {
    let degraded = |share, length| {
        let schedule = Schedule {
            faults: vec![Planned {
                fault: fault(0, SECOND, 2 * SECOND, Does::Slow(500)),
                drawn: Drawn { share, length },
            }],
            terms: Vec::new(),
        };
        (0..500)
            .map(move |seed| schedule.drawn(seed).next().unwrap())
            .collect::<Vec<_>>()
    };
    assert!(
        degraded(false, false)
            .iter()
            .all(|it| it.does == Does::Slow(500))
    );
    let drawn = degraded(true, true);
    let mut shares: Vec<_> = drawn
        .iter()
        .map(|fault| match fault.does {
            Does::Slow(share) => share,
            _ => 0,
        })
        .collect();
    shares.sort_unstable();
    assert!(shares[0] >= 10 && shares[499] <= 890);
    assert!((400..500).contains(&shares[250]), "{}", shares[250]);
    let lengths = drawn.iter().map(|fault| fault.until.unwrap() - fault.from);
    assert!(
        lengths
            .clone()
            .all(|it| (60 * SECOND..=600 * SECOND).contains(&it))
    );
    assert!(lengths.max().unwrap() > 550 * SECOND);
}

fn with_a_link() -> StorageSpec {
    let mut storage = storage();
    storage.links = vec![LinkSpec {
        name: "llt".into(),
        ends: [0, 0],
        delay: [1, 1],
        jitter: 0,
        loss: None,
        overhead: 0,
        bandwidth: 1,
        count: 1,
        payload: 1,
        headers: 0,
        socket_buffer: None,
        flow_control: None,
        processor: ProcessorCost::default(),
        retry: None,
        timeout: 100,
        contact: Contact::default(),
    }];
    storage
}

/// Of two faults that cut a link the later lets it work again; volumes fail after it is down and
/// return before it works.
#[test]
fn a_link_is_down_as_long_as_any_fault_cuts_it() {
    let storage = with_a_link();
    let mut faults = Faults::new(&storage, 1);
    let zone = fault(0, 10, 20, Does::Fail);
    let cut = Fault {
        volumes: Vec::new(),
        ..fault(0, 15, 30, Does::Fail)
    };
    for fault in [zone, cut] {
        faults.start(Fault {
            links: vec![0],
            hosts: Vec::new(),
            ..fault
        });
    }
    let expected = [
        (
            10,
            Change::Cut {
                link: 0,
                from: [true; 2],
            },
        ),
        (10, Change::Fail { volume: 0 }),
        (20, Change::Resume { volume: 0 }),
        (
            30,
            Change::Cut {
                link: 0,
                from: [false; 2],
            },
        ),
    ];
    assert_eq!(told(faults), expected);
}

#[test]
fn each_way_of_a_link_is_down_as_long_as_any_fault_cuts_it() {
    let mut faults = Faults::new(&with_a_link(), 1);
    for (number, (from, until, ways)) in (0..).zip([
        (10, 30, [true, false]),
        (20, 40, [false, true]),
        (25, 30, [true, true]),
    ]) {
        faults.start(Fault {
            volumes: Vec::new(),
            links: vec![0],
            hosts: Vec::new(),
            number,
            ..fault(0, from, until, Does::Cut(ways))
        });
    }
    let cut = |at, from| (at, Change::Cut { link: 0, from });
    let expected = [
        cut(10, [true, false]),
        cut(20, [true, true]),
        cut(30, [false, true]),
        cut(40, [false, false]),
    ];
    assert_eq!(told(faults), expected);
}

/// Of two that slow a host down the worse counts. While it is paused packets keep the speed that
/// they have beside that, which is known before its links work again; a part of the storage has
/// all of this, whichever volumes it has.
#[test]
fn packets_are_as_slow_as_the_slowest_fault_makes_them() {
    let on_host = |number, from, until, does| Planned {
        fault: Fault {
            number,
            volumes: Vec::new(),
            hosts: vec![0],
            links: if does == Does::Pause { vec![0] } else { vec![] },
            ..fault(0, from, until, does)
        },
        drawn: Drawn::default(),
    };
    let schedule = Schedule {
        faults: vec![
            on_host(0, 10, 60, Does::Slow(500)),
            on_host(1, 20, 40, Does::Slow(100)),
            on_host(2, 30, 40, Does::Pause),
            on_host(3, 60, 80, Does::Pause),
        ],
        terms: Vec::new(),
    };
    let mut faults = Faults::new(&with_a_link(), 1);
    let own = schedule.within(|_| None);
    own.drawn(1).for_each(|fault| faults.start(fault));
    let host = 0;
    let runs = |at, speed| (at, Change::HostSpeed { host, speed });
    let packets = |at, speed| (at, Change::PacketSpeed { host, speed });
    let cut = |at, is_cut| {
        let from = [is_cut; 2];
        (at, Change::Cut { link: 0, from })
    };
    let expected = [
        packets(10, 500),
        runs(10, 500),
        packets(20, 100),
        runs(20, 100),
        runs(30, 0),
        cut(30, true),
        packets(40, 500),
        cut(40, false),
        runs(40, 500),
        packets(60, 1000),
        runs(60, 0),
        cut(60, true),
        cut(80, false),
        runs(80, 1000),
    ];
    assert_eq!(told(faults), expected);
}
