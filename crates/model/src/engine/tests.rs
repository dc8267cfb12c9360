mod changes;
mod directions;
mod disciplines;
mod oracle;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::num::{NonZeroU8, NonZeroU32};

use proptest::prelude::*;

use super::*;
use crate::spec::{
    Applies, DeviceSpec, Discipline, HostSpec, LatencySpec, LimitSpec, PerKib, Queues, SlowState,
    TopUp, Unit, VolumeSpec,
};
use crate::units::{KIB, MILLISECOND, SECOND};

fn limit(name: &str, unit: Unit, rate: u64, depth: u64) -> LimitSpec {
    let applies = Applies::Both;
    LimitSpec {
        name: name.into(),
        unit,
        applies,
        rate,
        depth,
        level: depth,
        credits: false,
        top_up: None,
    }
}

fn flat(latency: Nanos) -> LatencySpec {
    let table = vec![(0.0, latency), (1.0, latency)];
    LatencySpec {
        read: table.clone(),
        write: table,
        sequential: None,
        base_size: 1 << 20,
        per_kib: 0.into(),
        spread_permille: 0,
        volume_spread_permille: 0,
        slow: vec![],
    }
}

fn varied() -> LatencySpec {
    LatencySpec {
        read: vec![(0.0, 100), (0.9, 900), (1.0, 50_000)],
        write: vec![(0.0, 300), (1.0, 2_000)],
        sequential: None,
        base_size: 16 * KIB,
        per_kib: PerKib {
            read: 10,
            write: 25,
        },
        spread_permille: 150,
        volume_spread_permille: 150,
        slow: vec![
            SlowState {
                multiplier_permille: 1000,
                mean: 3_000,
            },
            SlowState {
                multiplier_permille: 1700,
                mean: 2_000,
            },
        ],
    }
}

fn volume(name: &str, limits: Vec<LimitSpec>, latency: LatencySpec) -> VolumeSpec {
    VolumeSpec {
        name: name.into(),
        size: 1 << 40,
        io_unit: 256 * KIB,
        whole_units: false,
        limits,
        discipline: Discipline::Fifo,
        latency,
        queues: None,
        host: 0,
        standby: Vec::new(),
        behind_host: true,
    }
}

fn host(limits: Vec<LimitSpec>) -> HostSpec {
    HostSpec {
        limits,
        ..HostSpec::unnamed()
    }
}

fn one(limits: Vec<LimitSpec>, latency: LatencySpec) -> StorageSpec {
    StorageSpec {
        hosts: vec![host(vec![])],
        volumes: vec![volume("data", limits, latency)],
        devices: vec![DeviceSpec {
            name: "data".into(),
            size: 1 << 40,
            layout: Layout::Volume(0),
        }],
        links: Vec::new(),
    }
}

fn request(op: Op, offset: Bytes, len: Bytes) -> Request {
    Request {
        device: 0,
        op,
        offset,
        len,
        requester: 0.into(),
        submitter: 0,
    }
}

use crate::request::Requester;
use crate::units::Bytes;

/// Something that reaches a storage from outside.
#[derive(Clone, Debug)]
enum Input {
    Request(Request),
    Change(Change),
}

/// Replies by ticket: the number of the input.
type Replies = BTreeMap<Ticket, Reply>;

/// The replies to requests submitted at their times.
fn replies(spec: &StorageSpec, requests: &[(Nanos, Request)]) -> Replies {
    replies_of(&mut Engine::new(spec, 1), requests)
}

fn replies_of(storage: &mut Engine, requests: &[(Nanos, Request)]) -> Replies {
    let mut done = BTreeMap::new();
    for (ticket, &(at, request)) in (0..).zip(requests) {
        enter(storage, at, ticket, Input::Request(request), &mut done);
    }
    advance_to(storage, Nanos::MAX - 1, &mut done);
    done
}

fn enter(storage: &mut Engine, at: Nanos, ticket: Ticket, input: Input, done: &mut Replies) {
    advance_to(storage, at, done);
    match input {
        Input::Request(request) => {
            if let Some(reply) = storage.submit(at, ticket, &request) {
                done.insert(ticket, reply);
            }
        }
        Input::Change(change) => storage.change(at, change, &mut |ticket, reply| {
            match reply {
                Some(reply) => done.insert(ticket, reply),
                None => done.remove(&ticket),
            };
        }),
    }
}

fn advance_to(storage: &mut Engine, end: Nanos, done: &mut Replies) {
    while let Some(next) = storage.next_event().filter(|&next| next <= end) {
        storage.advance(next, &mut |ticket, reply| {
            assert!(done.insert(ticket, reply).is_none(), "one reply a request");
        });
    }
}

/// What all volumes and then all hosts let through in a period.
fn take_counted(storage: &mut Engine, spec: &StorageSpec, end: Nanos) -> Vec<Counted> {
    let volumes = (0..spec.volumes.len()).map(Owner::Volume);
    let owners = volumes.chain((0..spec.hosts.len()).map(Owner::Host));
    owners
        .map(|owner| storage.take_counted(owner, end))
        .collect()
}

/// Perhaps one to three queues, of a few tags each or so many that they are woken for in batches.
fn queues() -> impl Strategy<Value = Option<Queues>> {
    let tags = prop_oneof![3 => 1_u32..5, 1 => Just(16)];
    let drawn = (1_u8..4, tags).prop_map(|(count, tags)| {
        Some(Queues {
            count: NonZeroU8::new(count)?,
            tags: NonZeroU32::new(tags)?,
        })
    });
    prop_oneof![1 => Just(None), 4 => drawn]
}

/// A host over a volume and a stripe, with every kind of limit.
fn everything() -> impl Strategy<Value = StorageSpec> {
    (1_u64..4, queues(), any::<bool>(), 1_u64..50).prop_map(|(pace, queues, hdd, depth)| {
        let rate = 1_000_000 * pace;
        let bytes = 300_000_000_000;
        let mut volumes: Vec<_> = (0..4)
            .map(|index| {
                let name = alloc::format!("v{index}");
                let limits = vec![
                    limit("iops", Unit::Io, rate, depth),
                    limit("throughput", Unit::Byte, bytes, 600 * KIB),
                ];
                let volume = volume(&name, limits, varied());
                VolumeSpec {
                    queues,
                    latency: LatencySpec {
                        sequential: hdd
                            .then(|| [vec![(0.0, 5), (1.0, 50)], vec![(0.0, 7), (1.0, 70)]]),
                        ..varied()
                    },
                    whole_units: hdd,
                    ..volume
                }
            })
            .collect();
        // An instance store: not behind the host, reads and writes apart.
        volumes[3].behind_host = false;
        volumes[3].limits[0].applies = Applies::Reads;
        volumes[3].limits[1].applies = Applies::Writes;
        let stripe = Layout::Stripe {
            chunk: 64 * KIB,
            parts: (1..4).map(Layout::Volume).collect(),
        };
        let device = |name: &str, layout| DeviceSpec {
            name: name.into(),
            size: 1 << 40,
            layout,
        };
        StorageSpec {
            hosts: vec![host(vec![
                limit("iops", Unit::Io, 2 * rate, depth),
                limit("throughput", Unit::Byte, bytes, 400 * KIB),
            ])],
            volumes,
            devices: vec![
                device("single", Layout::Volume(0)),
                device("stripe", stripe),
            ],
            links: Vec::new(),
        }
    })
}

/// By volume: the host that it is attached to.
fn attached() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![Just(vec![0; 4]), prop::collection::vec(0_usize..3, 4)]
}

/// Attaches volumes to hosts, each of which lets through a little less than the one before.
fn attach(spec: &mut StorageSpec, attached: &[usize]) {
    let last = attached.iter().max().copied().unwrap_or(0);
    for number in 1..=last {
        let mut next = spec.hosts[number - 1].clone();
        for limit in &mut next.limits {
            limit.rate -= limit.rate / 4;
        }
        spec.hosts.push(next);
    }
    for (volume, &host) in spec.volumes.iter_mut().zip(attached) {
        volume.host = host;
        volume.standby = (0..=last).filter(|&other| other != host).collect();
    }
}

fn direction() -> impl Strategy<Value = Applies> {
    prop_oneof![
        2 => Just(Applies::Both), 1 => Just(Applies::Reads), 1 => Just(Applies::Writes)
    ]
}

fn discipline() -> impl Strategy<Value = Discipline> {
    prop_oneof![
        2 => Just(Discipline::Fifo), 1 => Just(Discipline::PerDirection), 1 => Just(Discipline::PerSubmitter)
    ]
}

/// Perhaps a top-up every few microseconds.
fn top_up() -> impl Strategy<Value = Option<TopUp>> {
    let top_up = (1_000_u64..20_000, 1_u64..30);
    prop::option::weighted(0.3, top_up.prop_map(|(every, kept)| TopUp { every, kept }))
}

/// The same, where any limit may be for one direction, have a balance and be topped up, and
/// any stage may serve in any order; the volumes are on one host or on any of several.
fn mixed() -> impl Strategy<Value = StorageSpec> {
    let kinds = prop::collection::vec((direction(), any::<bool>(), top_up()), 14);
    let disciplines = prop::collection::vec(discipline(), 7);
    let drawn = (everything(), attached(), kinds, disciplines);
    drawn.prop_map(|(mut spec, attached, kinds, disciplines)| {
        attach(&mut spec, &attached);
        let hosts = spec.hosts.iter_mut().map(|host| &mut host.limits);
        let volumes = spec.volumes.iter_mut().map(|volume| &mut volume.limits);
        for (limit, kind) in hosts.chain(volumes).flatten().zip(kinds) {
            (limit.applies, limit.credits, limit.top_up) = kind;
            if let Some(top_up) = &mut limit.top_up {
                top_up.kept = (limit.depth * top_up.kept / 30).max(1);
            }
        }
        let hosts = spec.hosts.iter_mut().map(|host| &mut host.discipline);
        let volumes = spec.volumes.iter_mut().map(|volume| &mut volume.discipline);
        for (stage, discipline) in hosts.chain(volumes).zip(disciplines) {
            *stage = discipline;
        }
        spec
    })
}

fn requests() -> impl Strategy<Value = Vec<(Nanos, Request)>> {
    let op = prop_oneof![
        6 => Just(Op::Read), 6 => Just(Op::Write), 1 => Just(Op::Zero),
        1 => Just(Op::Journal),
        1 => Just(Op::Flush), 1 => Just(Op::Trim)
    ];
    // Few places, so that many requests continue an earlier one.
    let one = (0_u64..2500, op, 0_usize..2, 0_u64..12, 1_u64..130, 0_u16..3);
    prop::collection::vec(one, 1..40).prop_map(|drawn| {
        let mut now = 0;
        drawn
            .into_iter()
            .map(|(gap, op, device, place, blocks, job)| {
                now += gap.saturating_sub(1000);
                let (offset, len) = (place * 64 * KIB, blocks * 4 * KIB);
                (
                    now,
                    Request {
                        device,
                        op,
                        offset,
                        len,
                        requester: job.into(),
                        submitter: (place % 3) as u32,
                    },
                )
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn waits_add_up(spec in mixed(), requests in requests()) {
        // On one volume: of a split request, only the last part's wait is the request's.
        let alone = |&(at, request): &(Nanos, Request)| (at, Request { device: 0, ..request });
        let requests: Vec<_> = requests.iter().map(alone).collect();
        let mut storage = Engine::new(&spec, 1);
        let replies = replies_of(&mut storage, &requests);
        let over: Vec<_> = storage.limits().over(0).collect();
        let (mut throttled, mut bytes) = (vec![0; over.len()], 0);
        for (ticket, &(at, request)) in (0..).zip(&requests) {
            let reply = replies[&ticket];
            prop_assert!(reply.at >= at + reply.throttled);
            prop_assert_eq!(reply.throttled > 0, reply.limit.is_some());
            if let Some(limit) = reply.limit {
                throttled[over.iter().position(|&over| over == limit).unwrap()] += reply.throttled;
            }
            bytes += u64::from(request.op == Op::Read || request.op.writes()) * request.len;
        }
        let counted = storage.take_counted(Owner::Volume(0), SECOND);
        prop_assert_eq!(counted.throttled, throttled, "the volume's account is the sum of the replies'");
        prop_assert_eq!(counted.bytes, bytes);
    }

    #[test]
    fn joint_grants_hold_every_limit(
        (mut spec, attached) in (everything(), attached()), requests in requests()
    ) {
        // In every window of grants, each limit of a host must hold.
        attach(&mut spec, &attached);
        let host = attached[0];
        let mut storage = Engine::new(&spec, 1);
        let mut grants = Vec::new();
        let mut inputs = (0..).zip(&requests).peekable();
        for now in 0..400_000 {
            while let Some((ticket, (_, request))) = inputs.next_if(|next| next.1.0 == now) {
                let request = Request { device: 0, len: request.len.min(256 * KIB), ..*request };
                storage.submit(now, ticket, &request);
            }
            if storage.next_event() == Some(now) || requests.iter().any(|next| next.0 == now) {
                storage.advance(now, &mut |_, _| ());
                let counted = storage.take_counted(Owner::Host(host), now + 1);
                if counted.bytes > 0 {
                    grants.push((now, counted));
                }
            }
        }
        for (first, (start, _)) in grants.iter().enumerate() {
            let (mut ios, mut bytes) = (0, 0);
            for (at, counted) in &grants[first..] {
                ios += u128::from(counted.ios);
                bytes += u128::from(counted.bytes);
                let window = u128::from(at - start);
                for (limit, taken) in spec.hosts[host].limits.iter().zip([ios, bytes]) {
                    let most = u128::from(limit.depth.max(256 * KIB * u64::from(limit.unit == Unit::Byte)));
                    let flow = window * u128::from(limit.rate) / 1_000_000_000 + 1;
                    prop_assert!(taken <= most + flow, "{}: {taken} in {window} ns", limit.name);
                }
            }
        }
    }
}

#[test]
fn counting_starts_at_each_unit_and_merges_streams() {
    let spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(0));
    let count = |requests: &[Request]| {
        let mut storage = Engine::new(&spec, 1);
        // Whether or not anything waits.
        let requests: Vec<_> = (0..).zip(requests.iter().copied()).collect();
        replies_of(&mut storage, &requests);
        storage.take_counted(Owner::Volume(0), SECOND).ios
    };
    let write = |offset, len| request(Op::Write, offset * KIB, len * KIB);
    let read = |offset, len| request(Op::Read, offset * KIB, len * KIB);
    assert_eq!(count(&[write(0, 1024)]), 4, "a large IO is split");
    assert_eq!(count(&[write(0, 257)]), 2, "a started unit counts");
    assert_eq!(count(&[write(0, 64), write(64, 64)]), 1, "neighbours merge");
    assert_eq!(
        count(&[write(0, 64), read(64, 64)]),
        2,
        "not across directions"
    );
    assert_eq!(count(&[write(0, 64), write(68, 64)]), 2, "not across gaps");
    assert_eq!(
        count(&[write(0, 64), write(64, 31)]),
        2,
        "small ones do not"
    );
    let full: Vec<_> = (0..6).map(|i| write(i * 128, 128)).collect();
    assert_eq!(count(&full), 3, "a full unit is followed by another");
    let mut two = vec![];
    for i in 0..16 {
        two.extend([
            write(i * 64, 64),
            read(4096 + i * 64, 64),
            read(8 * i * i, 4),
        ]);
    }
    assert_eq!(
        count(&two),
        4 + 4 + 16,
        "each stream by itself, whatever comes between"
    );
}

#[test]
fn a_flush_waits_for_earlier_writes_only() {
    let spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(500_000));
    let flush = request(Op::Flush, 0, 0);
    let at = |requests: &[(Nanos, Request)], ticket| replies(&spec, requests)[&ticket].at;
    let write = |n: u64| request(Op::Write, n * 1024 * KIB, 8 * KIB);
    assert_eq!(at(&[(5, flush)], 0), 5);
    assert_eq!(at(&[(0, write(1)), (5, flush)], 1), 500_000);
    assert_eq!(
        at(
            &[(0, write(1)), (0, write(2)), (5, flush), (6, write(3))],
            2
        ),
        MILLISECOND + 500_000
    );
    assert_eq!(at(&[(0, request(Op::Read, 0, 4096)), (5, flush)], 1), 5);
}

#[test]
fn adding_a_volume_moves_no_other() {
    let spec = one(vec![], varied());
    let mut more = spec.clone();
    more.volumes.push(volume("other", vec![], varied()));
    let sample = |spec| {
        let requests: Vec<_> = (0..50)
            .map(|i| (i * 1000, request(Op::Read, 0, 4096)))
            .collect();
        replies(spec, &requests)
    };
    assert_eq!(sample(&spec), sample(&more));
}

#[test]
fn who_took_the_tokens_is_told_apart() {
    let spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(0));
    let job = |n: u32| Request {
        requester: u16::from(n.is_multiple_of(4)).into(),
        ..request(Op::Read, 0, 4 * KIB)
    };
    let requests: Vec<_> = (0..40).map(|n| (0, job(n))).collect();
    let mut storage = Engine::new(&spec, 1);
    replies_of(&mut storage, &requests);
    // The very first found a token and made nobody wait.
    let contended = storage.take_counted(Owner::Volume(0), SECOND).contended;
    let of = |((_, requester), tokens): ((_, Requester), _)| (requester.job(), tokens);
    assert_eq!(
        contended.into_iter().map(of).collect::<Vec<_>>(),
        [(Some(0), 30), (Some(1), 9)]
    );
}
