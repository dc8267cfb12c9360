//! Changes while requests wait and are in flight.

use super::*;

fn read(offset: Bytes) -> Request {
    request(Op::Read, offset, 4 * KIB)
}

/// What becomes of inputs, each at its time, by `end`.
fn outcome(spec: &StorageSpec, inputs: &[(Nanos, Input)], end: Nanos) -> Replies {
    let (mut storage, mut done) = (Engine::new(spec, 1), BTreeMap::new());
    for (ticket, (at, input)) in (0..).zip(inputs) {
        enter(&mut storage, *at, ticket, input.clone(), &mut done);
    }
    advance_to(&mut storage, end, &mut done);
    done
}

#[test]
fn a_changed_limit_holds_for_those_who_wait() {
    let spec = one(vec![limit("iops", Unit::Io, 10, 1)], flat(0));
    let limit = Engine::new(&spec, 1)
        .limits()
        .of(Owner::Volume(0))
        .next()
        .unwrap();
    let change = Change::Limit {
        limit,
        rate: 1000,
        depth: 1,
    };
    let mut inputs = vec![(0, Input::Request(read(0))); 4];
    inputs.push((150 * MILLISECOND, Input::Change(change)));
    let done = outcome(&spec, &inputs, SECOND);
    assert_eq!((done[&0].at, done[&1].at), (0, 100 * MILLISECOND));
    // Half a token had come at the old rate; the rest comes at the new one.
    assert_eq!(done[&2].at, 150 * MILLISECOND + 500_000);
    assert_eq!(done[&3].at, 150 * MILLISECOND + 1_500_000);
}

#[test]
fn a_paused_volume_keeps_everything_until_it_resumes() {
    let spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(100));
    let requests = [(0, Input::Request(read(0))), (0, Input::Request(read(0)))];
    let pause = (50, Input::Change(Change::Pause { volume: 0 }));
    let resume = Input::Change(Change::Resume { volume: 0 });
    let [first, second] = requests;
    let inputs = [first, second, pause, (5 * MILLISECOND, resume)];
    assert_eq!(outcome(&spec, &inputs[..3], SECOND), BTreeMap::new());
    let done = outcome(&spec, &inputs, SECOND);
    let resumed = 5 * MILLISECOND;
    // The second has its token by then, and its latency before it.
    assert_eq!((done[&0].at, done[&1].at), (resumed, resumed + 100));
}

#[test]
fn a_flush_waits_for_writes_on_a_paused_volume() {
    let spec = one(vec![], flat(100));
    let inputs = [
        (0, Input::Request(request(Op::Write, 0, 4 * KIB))),
        (10, Input::Request(request(Op::Flush, 0, 0))),
        (50, Input::Change(Change::Pause { volume: 0 })),
        (500, Input::Change(Change::Resume { volume: 0 })),
    ];
    assert_eq!(outcome(&spec, &inputs[..2], SECOND)[&1].at, 100);
    assert_eq!(outcome(&spec, &inputs[..3], SECOND), BTreeMap::new());
    assert_eq!(outcome(&spec, &inputs, SECOND)[&1].at, 500);
}

#[test]
fn a_failed_volume_fails_what_is_outstanding_and_what_comes() {
    let spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(100));
    let write = |offset| Input::Request(request(Op::Write, offset, 4 * KIB));
    let inputs = [
        (0, write(0)),
        (0, write(0)),
        (0, write(0)),
        (0, Input::Request(request(Op::Flush, 0, 0))),
        (50, Input::Change(Change::Fail { volume: 0 })),
        (60, Input::Request(read(0))),
        (SECOND, Input::Change(Change::Resume { volume: 0 })),
        (SECOND, write(4 * KIB)),
    ];
    let done = outcome(&spec, &inputs, 2 * SECOND);
    for ticket in [0, 1, 2, 5] {
        assert!(done[&ticket].failed, "{ticket}");
    }
    // What comes later is told after a millisecond.
    let told = 60 + MILLISECOND;
    assert_eq!((done[&2].at, done[&3].at, done[&5].at), (50, 50, told));
    assert!(!done[&7].failed);
}

#[test]
fn a_request_fails_under_the_ticket_of_one_that_failed() {
    let spec = one(vec![], flat(100));
    let (mut storage, mut done) = (Engine::new(&spec, 1), BTreeMap::new());
    let mut at = |now, ticket, input| enter(&mut storage, now, ticket, input, &mut done);
    at(0, 0, Input::Request(read(0)));
    at(10, 1, Input::Change(Change::Fail { volume: 0 }));
    at(20, 1, Input::Change(Change::Resume { volume: 0 }));
    at(30, 1, Input::Change(Change::Pause { volume: 0 }));
    at(40, 0, Input::Request(read(0)));
    at(50, 1, Input::Change(Change::Fail { volume: 0 }));
    assert_eq!(done[&0], Reply::failed(50));
}

#[test]
fn a_lifted_limit_lets_all_through_and_returns_full() {
    let spec = one(vec![limit("iops", Unit::Io, 10, 2)], flat(0));
    let id = LimitId::at(0);
    let again = Change::Limit {
        limit: id,
        rate: 10,
        depth: 2,
    };
    let mut inputs = vec![(0, Input::Request(read(0))); 5];
    inputs.push((1000, Input::Change(Change::Lift { limit: id })));
    inputs.push((2000, Input::Change(again)));
    inputs.extend(vec![(3000, Input::Request(read(0))); 3]);
    let done = outcome(&spec, &inputs, SECOND);
    let ends: Vec<_> = done.values().map(|reply| reply.at).collect();
    // Two at once, the three who waited when it is lifted, and of the last three again two.
    let last = 3000 + 100 * MILLISECOND;
    assert_eq!(ends, [0, 0, 1000, 1000, 1000, 3000, 3000, last]);
}

#[test]
fn another_latency_is_for_what_comes_from_then_on() {
    let spec = one(vec![], flat(100));
    let latency = alloc::sync::Arc::new(flat(700));
    let inputs = [
        (0, Input::Request(read(0))),
        (10, Input::Change(Change::Latency { volume: 0, latency })),
        (10, Input::Request(read(0))),
    ];
    let done = outcome(&spec, &inputs, SECOND);
    assert_eq!((done[&0].at, done[&2].at), (100, 710));
}

#[test]
fn messages_take_tokens_of_a_shared_network_ahead_of_what_waits() {
    const MESSAGE: u64 = 3 * 4 * KIB;
    let mut spec = one(vec![], flat(0));
    // A byte a nanosecond.
    spec.hosts = vec![host(vec![limit(
        "network",
        Unit::Byte,
        1_000_000_000,
        4 * KIB,
    )])];
    let mut storage = Engine::new(&spec, 1);
    let mut done = BTreeMap::new();
    storage.charge_network(0, 0, MESSAGE);
    enter(&mut storage, 0, 0, Input::Request(read(0)), &mut done);
    advance_to(&mut storage, 5000, &mut done);
    assert_eq!(done, BTreeMap::new());
    storage.charge_network(5000, 0, MESSAGE);
    advance_to(&mut storage, SECOND, &mut done);
    assert_eq!(done[&0].at, 2 * MESSAGE);
    assert_eq!(done[&0].limit, Some(LimitId::at(0)));
}

/// A stripe over two volumes.
fn stripe() -> StorageSpec {
    let mut spec = one(vec![], flat(100));
    spec.volumes.push(volume("other", vec![], flat(100)));
    spec.devices[0].layout = Layout::Stripe {
        chunk: 64 * KIB,
        parts: vec![Layout::Volume(0), Layout::Volume(1)],
    };
    spec
}

#[test]
fn a_flush_and_a_trim_wait_for_any_paused_volume_of_their_device() {
    for op in [Op::Flush, Op::Trim] {
        let whole = Input::Request(request(op, 0, 0));
        let pause = |volume| Input::Change(Change::Pause { volume });
        let resume = |volume| Input::Change(Change::Resume { volume });
        let inputs = [
            (0, pause(1)),
            (10, whole.clone()),
            (20, pause(0)),
            (30, resume(1)),
            (40, resume(0)),
            (50, whole),
        ];
        assert_eq!(outcome(&stripe(), &inputs[..4], SECOND), BTreeMap::new());
        let done = outcome(&stripe(), &inputs, SECOND);
        assert_eq!((done[&1], done[&5]), (Reply::free(40), Reply::free(50)));
    }
}

#[test]
fn a_flush_and_a_trim_fail_with_any_volume_of_their_device() {
    for op in [Op::Flush, Op::Trim] {
        let whole = || Input::Request(request(op, 0, 0));
        let inputs = [
            (0, Input::Change(Change::Fail { volume: 1 })),
            (10, whole()),
            (SECOND, Input::Change(Change::Resume { volume: 1 })),
            (SECOND, whole()),
        ];
        let done = outcome(&stripe(), &inputs, 2 * SECOND);
        assert_eq!(done[&1], Reply::failed(10 + MILLISECOND));
        assert_eq!(done[&3], Reply::free(SECOND));
    }
}

#[test]
fn a_flush_in_flight_fails_with_a_volume_and_still_waits_for_the_others() {
    let write = |offset| Input::Request(request(Op::Write, offset, 4 * KIB));
    let flush = Input::Request(request(Op::Flush, 0, 0));
    let fail = |volume| Input::Change(Change::Fail { volume });
    // The write is on the first volume.
    let inputs = [(0, write(0)), (10, flush), (50, fail(1))];
    let done = outcome(&stripe(), &inputs, SECOND);
    assert_eq!((done[&0], done[&1]), (Reply::free(100), Reply::failed(100)));
    // Once it has ended, no failure touches it.
    let [write, flush, _] = inputs;
    let done = outcome(&stripe(), &[write, flush, (100, fail(0))], SECOND);
    assert_eq!(done[&1], Reply::free(100));
}

#[test]
fn a_flush_after_a_failure_is_for_the_writes_that_came_through() {
    let inputs = [
        (0, Input::Request(request(Op::Write, 0, 4 * KIB))),
        (50, Input::Change(Change::Fail { volume: 0 })),
        (60, Input::Change(Change::Resume { volume: 0 })),
        (70, Input::Request(request(Op::Flush, 0, 0))),
    ];
    let done = outcome(&one(vec![], flat(100)), &inputs, SECOND);
    assert_eq!((done[&0], done[&3]), (Reply::failed(50), Reply::free(70)));
}
