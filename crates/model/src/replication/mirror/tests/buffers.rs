//! The memory of the host of the other leg: what it has of requests, and what that does to those
//! who write.

use super::*;

/// Looks at the memory of each leg's host: it is what requests have of it that the disk has not
/// ended, no more than there is, and nothing waits for what is free.
pub(super) fn look(storage: &Storage) {
    let Some(mirrors) = storage.mirrors.as_deref() else {
        return;
    };
    for (index, mirror) in mirrors.mirrors.iter().enumerate() {
        for (leg, of) in mirror.legs.iter().enumerate() {
            let own = |flow: &&Flow| usize::from(flow.mirror) == index;
            let branches = mirrors.flows.iter().filter(own);
            let held = branches.map(|flow| &flow.branches[leg]);
            let held = held.filter(|branch| branch.buffered > 0);
            assert!(held.clone().all(|it| it.open & Branch::DISK != 0));
            let (sum, count) = held.fold((0, 0), |(sum, count), it| (sum + it.buffered, count + 1));
            assert_eq!(of.buffers.used, sum);
            let most = mirror.spec.max_buffers;
            assert!(sum <= most || count == 1, "{sum} bytes for {most}");
            assert!(
                of.buffers.unread.is_empty() || sum > 0,
                "it waits for nothing"
            );
            for &(id, _) in &of.buffers.unread {
                let branch = &mirrors.flows[id as usize].branches[leg];
                assert_eq!(
                    branch.open & (Branch::REQUEST | Branch::DISK),
                    Branch::REQUEST
                );
            }
        }
    }
}

/// Writes of 16 KiB, 32 at a time, for a second to a far disk that takes 10 ms for each: how many
/// end, and the most that was at risk.
fn second_of_writes(acknowledge: Acknowledge, max_buffers: Bytes, socket: Bytes) -> (u64, Bytes) {
    let of = MirrorSpec {
        acknowledge,
        max_buffers,
        ..mirror()
    };
    let link = LinkSpec {
        socket_buffer: Some(socket),
        ..link()
    };
    let mut spec = two_hosts(of, link);
    spec.volumes[1] = volume("b", 10 * MILLISECOND);
    let mut storage = Storage::new(&spec, 1);
    let (mut now, mut writes, mut risk) = (0, 0, 0);
    let mut ends = vec![Some(0); 32];
    while now < SECOND {
        for ticket in 0..32 {
            if ends[ticket as usize].is_some_and(|end| end <= now) {
                let write = request(Op::Write, 0, 16 * KIB);
                let end = storage.submit(now, ticket, &write);
                ends[ticket as usize] = end.map(|end| end.at);
                writes += 1;
            }
        }
        let first = ends.iter().flatten().min().copied();
        now = first
            .unwrap_or(NEVER)
            .min(storage.next_event().unwrap_or(NEVER));
        storage.advance(now, &mut |ticket, end| ends[ticket as usize] = Some(end.at));
        look(&storage);
        risk = risk.max(storage.mirrors(now).map(|it| it.at_risk).max().unwrap_or(0));
    }
    (writes, risk)
}

/// Four requests have the buffers, each for 10 ms, so 400 a second are written in the long run,
/// whatever is acknowledged before; and what the protocol lets be at risk is bounded by them.
#[test]
fn writers_keep_the_pace_of_the_other_disk_whatever_the_letter() {
    let (buffers, socket) = (64 * KIB, 128 * KIB);
    let in_memory = (buffers + socket) / (16 * KIB);
    for (protocol, ahead, most_at_risk) in [
        (Acknowledge::A, in_memory, buffers + socket),
        (Acknowledge::B, buffers / (16 * KIB), buffers),
        (Acknowledge::C, 0, 0),
    ] {
        let (writes, risk) = second_of_writes(protocol, buffers, socket);
        // Those that are under way at the end are counted too.
        let expected = 390..=405 + 32 + ahead;
        assert!(expected.contains(&writes), "{protocol:?}: {writes}");
        assert!(risk <= most_at_risk, "{protocol:?}: {risk} at risk");
        assert!(
            risk > most_at_risk / 2 || protocol == Acknowledge::C,
            "{risk}"
        );
    }
    // With room for all of them the near disk decides, but for C.
    let (writes, _) = second_of_writes(Acknowledge::B, 64 * MIB, 64 * MIB);
    assert!(writes > 50_000, "{writes}");
}
