mod directions;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::spec::{Applies, DeviceSpec, LatencySpec, SlowState, Unit, VolumeSpec};
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
    }
}

fn flat(latency: Nanos) -> LatencySpec {
    let table = vec![(0.0, latency), (1.0, latency)];
    LatencySpec {
        read: table.clone(),
        write: table,
        base_size: 1 << 20,
        per_kib: 0,
        slow: vec![],
    }
}

fn varied() -> LatencySpec {
    LatencySpec {
        read: vec![(0.0, 100), (0.9, 900), (1.0, 50_000)],
        write: vec![(0.0, 300), (1.0, 2_000)],
        base_size: 16 * KIB,
        per_kib: 10,
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
        unit: 256 * KIB,
        whole_units: false,
        limits,
        latency,
        unfairness_permille: 0,
        behind_host: true,
    }
}

fn one(limits: Vec<LimitSpec>, latency: LatencySpec) -> StorageSpec {
    StorageSpec {
        host_limits: vec![],
        volumes: vec![volume("data", limits, latency)],
        devices: vec![DeviceSpec {
            name: "data".into(),
            size: 1 << 40,
            layout: Layout::Volume(0),
        }],
    }
}

fn request(op: Op, offset: Bytes, len: Bytes) -> Request {
    Request {
        device: 0,
        op,
        offset,
        len,
        job: 0,
    }
}

use crate::units::Bytes;

/// Replies by ticket of requests submitted at their times.
fn replies(spec: &StorageSpec, mode: Mode, requests: &[(Nanos, Request)]) -> BTreeMap<u32, Reply> {
    replies_of(&mut Storage::new(spec, 1, SECOND, mode), requests)
}

fn replies_of(storage: &mut Storage, requests: &[(Nanos, Request)]) -> BTreeMap<u32, Reply> {
    let mut done = BTreeMap::new();
    for (ticket, &(at, request)) in (0..).zip(requests) {
        advance_to(storage, at, &mut done);
        if let Submitted::Done(reply) = storage.submit(at, ticket, request) {
            done.insert(ticket, reply);
        }
    }
    advance_to(storage, Nanos::MAX, &mut done);
    done
}

/// The replies, and what the host and the volumes count in each microsecond.
fn replies_and_counts(
    spec: &StorageSpec,
    mode: Mode,
    requests: &[(Nanos, Request)],
) -> (BTreeMap<u32, Reply>, Vec<Vec<Counted>>) {
    let mut storage = Storage::new(spec, 1, 1000, mode);
    let replies = replies_of(&mut storage, requests);
    let last = replies.values().map(|reply| reply.at).max().unwrap_or(0);
    let volumes = 0..spec.volumes.len();
    let counts = (0..=last / 1000).map(|period| {
        let by_volume = volumes
            .clone()
            .map(|volume| storage.served_by_volume(volume, period));
        let mut counts: Vec<_> = by_volume.collect();
        counts.push(storage.served_by_host(period));
        counts
    });
    let counts = counts.collect();
    (replies, counts)
}

fn advance_to(storage: &mut Storage, end: Nanos, done: &mut BTreeMap<u32, Reply>) {
    while let Some(next) = storage.next_event().filter(|&next| next <= end) {
        storage.advance(next, &mut |ticket, reply| {
            assert!(done.insert(ticket, reply).is_none(), "one reply a request");
        });
    }
}

/// A host over a volume and a stripe, with every kind of limit.
fn everything() -> impl Strategy<Value = StorageSpec> {
    (1_u64..4, 0_u32..2000, any::<bool>(), 1_u64..50).prop_map(|(pace, unfairness, hdd, depth)| {
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
                    unfairness_permille: unfairness,
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
            host_limits: vec![
                limit("iops", Unit::Io, 2 * rate, depth),
                limit("throughput", Unit::Byte, bytes, 400 * KIB),
            ],
            volumes,
            devices: vec![
                device("single", Layout::Volume(0)),
                device("stripe", stripe),
            ],
        }
    })
}

fn direction() -> impl Strategy<Value = Applies> {
    prop_oneof![
        2 => Just(Applies::Both), 1 => Just(Applies::Reads), 1 => Just(Applies::Writes)
    ]
}

/// The same, where any limit may be for one direction and have a balance.
fn mixed() -> impl Strategy<Value = StorageSpec> {
    let kinds = prop::collection::vec((direction(), any::<bool>()), 10);
    (everything(), kinds).prop_map(|(mut spec, kinds)| {
        let own = spec
            .volumes
            .iter_mut()
            .flat_map(|volume| &mut volume.limits);
        for (limit, kind) in spec.host_limits.iter_mut().chain(own).zip(kinds) {
            (limit.applies, limit.credits) = kind;
        }
        spec
    })
}

fn requests() -> impl Strategy<Value = Vec<(Nanos, Request)>> {
    let op = prop_oneof![
        6 => Just(Op::Read), 6 => Just(Op::Write), 1 => Just(Op::Zero),
        1 => Just(Op::Flush), 1 => Just(Op::Trim)
    ];
    // Few places, so that many requests continue an earlier one.
    let one = (0_u64..2500, op, 0_usize..2, 0_u64..12, 1_u64..130, 0_u16..3);
    prop::collection::vec(one, 1..80).prop_map(|drawn| {
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
                        job,
                    },
                )
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn reserved_is_stepwise(spec in mixed(), requests in requests()) {
        let reserved = replies_and_counts(&spec, Mode::Reserved, &requests);
        let stepwise = replies_and_counts(&spec, Mode::Stepwise, &requests);
        prop_assert_eq!(reserved, stepwise);
    }

    #[test]
    fn handing_over_ahead_changes_no_reply(
        spec in mixed(), requests in requests(), ahead in 1_u64..5000,
    ) {
        let no_flush = |(_, request): &(Nanos, Request)| request.op != Op::Flush;
        let requests: Vec<_> = requests.into_iter().filter(no_flush).collect();
        let mut storage = Storage::new(&spec, 1, SECOND, Mode::Stepwise);
        storage.hand_over_ahead(ahead).unwrap();
        prop_assert_eq!(
            replies(&spec, Mode::Stepwise, &requests),
            replies_of(&mut storage, &requests)
        );
    }

    #[test]
    fn waits_add_up(spec in mixed(), requests in requests()) {
        let mut storage = Storage::new(&spec, 1, 1000, Mode::Reserved);
        let mut held = vec![0; storage.causes().len()];
        let (mut parts, mut last) = (0, 0);
        for (ticket, &(at, request)) in (0..).zip(&requests) {
            // Requests on one volume: a split one is only charged its last part's wait.
            let request = Request { device: 0, ..request };
            let Submitted::Done(reply) = storage.submit(at, ticket, request) else { unreachable!() };
            prop_assert!(reply.at >= at + reply.held);
            prop_assert_eq!(reply.held > 0, reply.cause.is_some());
            if let Some(cause) = reply.cause {
                held[usize::from(cause)] += reply.held;
            }
            parts += u64::from(matches!(request.op, Op::Read | Op::Write | Op::Zero)) * request.len;
            last = last.max(reply.at);
        }
        let causes = storage.causes_of(0);
        let (mut metered, mut bytes) = (vec![0; held.len()], 0);
        for period in 0..=last / 1000 {
            let counted = storage.served_by_volume(0, period);
            bytes += counted.bytes;
            for (cause, held) in causes.iter().zip(counted.held) {
                metered[usize::from(*cause)] += held;
            }
        }
        prop_assert_eq!(metered, held, "the volume's account is the sum of the replies'");
        prop_assert_eq!(bytes, parts);
    }

    #[test]
    fn joint_grants_hold_every_limit(spec in everything(), requests in requests()) {
        // In every window of grants, each limit of the host must hold.
        let mut storage = Storage::new(&spec, 1, 1, Mode::Reserved);
        let mut last = 0;
        for (ticket, &(at, request)) in (0..).zip(&requests) {
            let request = Request { device: 0, len: request.len.min(256 * KIB), ..request };
            if let Submitted::Done(reply) = storage.submit(at, ticket, request) {
                last = last.max(reply.at);
            }
        }
        let grants: Vec<_> = (0..=last).map(|at| (at, storage.served_by_host(at)))
            .filter(|(_, counted)| counted.bytes > 0).collect();
        for (first, (start, _)) in grants.iter().enumerate() {
            let (mut ios, mut bytes) = (0, 0);
            for (at, counted) in &grants[first..] {
                ios += u128::from(counted.ios);
                bytes += u128::from(counted.bytes);
                let window = u128::from(at - start);
                for (limit, taken) in spec.host_limits.iter().zip([ios, bytes]) {
                    let most = u128::from(limit.depth.max(256 * KIB * u64::from(limit.unit == Unit::Byte)));
                    let flow = window * u128::from(limit.rate) / 1_000_000_000 + 1;
                    prop_assert!(taken <= most + flow, "{}: {taken} in {window} ns", limit.name);
                }
            }
        }
    }
}

#[test]
fn counting_starts_at_each_unit_and_merges_what_waits() {
    // One IO a millisecond and no slack: after the first, everything waits.
    let spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(0));
    let count = |requests: &[(Nanos, Request)]| {
        let mut storage = Storage::new(&spec, 1, SECOND, Mode::Reserved);
        for &(at, request) in requests {
            storage.submit(at, 0, request);
        }
        storage.served_by_volume(0, 0).ios
    };
    let write = |offset, len| (0, request(Op::Write, offset * KIB, len * KIB));
    let read = |offset, len| (0, request(Op::Read, offset * KIB, len * KIB));
    assert_eq!(count(&[write(0, 1024)]), 4, "a large IO is split");
    assert_eq!(count(&[write(0, 257)]), 2, "a started unit counts");
    assert_eq!(
        count(&[write(0, 64), write(64, 64)]),
        2,
        "the first is granted at once"
    );
    assert_eq!(
        count(&[write(0, 8), write(512, 64), write(576, 64)]),
        2,
        "waiting neighbours join"
    );
    assert_eq!(
        count(&[write(0, 8), write(512, 64), read(576, 64)]),
        3,
        "not across directions"
    );
    assert_eq!(
        count(&[write(0, 8), write(512, 64), write(580, 64)]),
        3,
        "not across gaps"
    );
    let full = [
        write(0, 8),
        write(512, 128),
        write(640, 128),
        write(768, 128),
    ];
    assert_eq!(count(&full), 3, "a full unit is followed by another");
    let depth_one: Vec<_> = (0..8)
        .map(|i| {
            (
                i * 10 * MILLISECOND,
                request(Op::Write, i * 8 * KIB, 8 * KIB),
            )
        })
        .collect();
    assert_eq!(count(&depth_one), 8, "at depth 1 nothing merges");
}

#[test]
fn a_flush_waits_for_earlier_writes_only() {
    for mode in [Mode::Reserved, Mode::Stepwise] {
        let spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(500_000));
        let flush = request(Op::Flush, 0, 0);
        let at = |requests: &[(Nanos, Request)], ticket| replies(&spec, mode, requests)[&ticket].at;
        let write = |n: u64| request(Op::Write, n * 1024 * KIB, 8 * KIB);
        assert_eq!(at(&[(5, flush)], 0), 5);
        assert_eq!(at(&[(0, write(1)), (5, flush)], 1), 500_000);
        assert_eq!(
            at(
                &[(0, write(1)), (0, write(2)), (5, flush), (6, write(3))],
                2
            ),
            MILLISECOND
        );
        assert_eq!(at(&[(0, request(Op::Read, 0, 4096)), (5, flush)], 1), 5);
    }
}

#[test]
fn a_changed_limit_retimes_what_waits() {
    let spec = one(vec![limit("iops", Unit::Io, 10, 1)], flat(0));
    let mut storage = Storage::new(&spec, 1, SECOND, Mode::Stepwise);
    for ticket in 0..4 {
        storage.submit(0, ticket, request(Op::Read, 0, 4 * KIB));
    }
    let mut done = BTreeMap::new();
    advance_to(&mut storage, 150 * MILLISECOND, &mut done);
    assert_eq!(done.len(), 2, "one at once, one after a tenth of a second");
    storage
        .change(
            150 * MILLISECOND,
            Change::Limit {
                cause: 0,
                rate: 1000,
                depth: 1,
            },
        )
        .unwrap();
    advance_to(&mut storage, SECOND, &mut done);
    // Half a token had come at the old rate; the rest comes at the new one.
    assert_eq!(done[&2].at, 150 * MILLISECOND + 500_000);
    assert_eq!(done[&3].at, 150 * MILLISECOND + 1_500_000);
}

#[test]
fn a_paused_volume_holds_everything_until_it_resumes() {
    let spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(100));
    let mut storage = Storage::new(&spec, 1, SECOND, Mode::Stepwise);
    let mut done = BTreeMap::new();
    storage.submit(0, 0, request(Op::Read, 0, 4 * KIB));
    storage.submit(0, 1, request(Op::Read, 0, 4 * KIB));
    storage.change(50, Change::Pause { volume: 0 }).unwrap();
    advance_to(&mut storage, 5 * MILLISECOND, &mut done);
    assert!(done.is_empty());
    storage
        .change(5 * MILLISECOND, Change::Resume { volume: 0 })
        .unwrap();
    advance_to(&mut storage, SECOND, &mut done);
    assert_eq!(
        (done[&0].at, done[&1].at),
        (5 * MILLISECOND, 5 * MILLISECOND)
    );
}

#[test]
fn a_failed_volume_fails_what_is_outstanding_and_what_comes() {
    let spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(100));
    let mut storage = Storage::new(&spec, 1, SECOND, Mode::Stepwise);
    let mut done = BTreeMap::new();
    for ticket in 0..3 {
        storage.submit(0, ticket, request(Op::Write, 0, 4 * KIB));
    }
    storage.submit(0, 3, request(Op::Flush, 0, 0));
    storage.change(50, Change::Fail { volume: 0 }).unwrap();
    storage.submit(60, 4, request(Op::Read, 0, 4 * KIB));
    advance_to(&mut storage, SECOND, &mut done);
    for ticket in [0, 1, 2, 4] {
        assert!(done[&ticket].failed, "{ticket}");
    }
    assert_eq!((done[&2].at, done[&3].at, done[&4].at), (50, 50, 60));
    storage
        .change(SECOND, Change::Resume { volume: 0 })
        .unwrap();
    storage.submit(SECOND, 5, request(Op::Write, 4 * KIB, 4 * KIB));
    advance_to(&mut storage, 2 * SECOND, &mut done);
    assert!(!done[&5].failed);
}

#[test]
fn only_stepwise_storage_can_change() {
    let spec = one(vec![], flat(0));
    let mut storage = Storage::new(&spec, 1, SECOND, Mode::Reserved);
    assert_eq!(
        storage.change(0, Change::Pause { volume: 0 }),
        Err(NotStepwise)
    );
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
        replies(spec, Mode::Reserved, &requests)
    };
    assert_eq!(sample(&spec), sample(&more));
}

#[test]
fn who_took_the_tokens_is_told_apart() {
    let spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(0));
    let mut storage = Storage::new(&spec, 1, SECOND, Mode::Reserved);
    for n in 0..40 {
        let job = u16::from(n % 4 == 0);
        storage.submit(
            0,
            n,
            Request {
                job,
                ..request(Op::Read, 0, 4 * KIB)
            },
        );
    }
    // The very first found a token and made nobody wait.
    let contended = storage.served_by_volume(0, 0).contended;
    assert_eq!(
        contended.into_iter().collect::<Vec<_>>(),
        [((0, 0), 30), ((0, 1), 9)]
    );
}
