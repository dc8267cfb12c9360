//! In which order those who wait are served.

use super::*;

/// A volume of a thousand IOPS that serves in this order.
fn volume_of(discipline: Discipline) -> StorageSpec {
    let mut spec = one(vec![limit("iops", Unit::Io, 1000, 1)], flat(0));
    spec.volumes[0].discipline = discipline;
    spec
}

/// Requests of (submitter, write) at their times; gives the order in which they are served.
fn order(discipline: Discipline, requests: &[(Nanos, u32, bool)]) -> Vec<usize> {
    let request = |(place, &(at, submitter, write)): (u64, &(Nanos, u32, bool))| {
        let op = if write { Op::Write } else { Op::Read };
        let request = request(op, place * 1024 * KIB, 4 * KIB);
        (
            at,
            Request {
                submitter,
                ..request
            },
        )
    };
    let requests: Vec<_> = (0..).zip(requests).map(request).collect();
    let replies = replies(&volume_of(discipline), &requests);
    let mut order: Vec<_> = (0..requests.len()).collect();
    order.sort_by_key(|&number| replies[&(number as Ticket)].at);
    order
}

#[test]
fn fifo_serves_in_the_order_of_arrival() {
    let requests: Vec<_> = (0..6).map(|n| (0, n, n > 2)).collect();
    assert_eq!(order(Discipline::Fifo, &requests), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn classes_serve_reads_and_writes_in_turn() {
    // The first write takes the token that lay there.
    let mut requests = vec![(0, 0, true); 5];
    requests.extend([(1, 1, false), (1, 2, false)]);
    assert_eq!(
        order(Discipline::PerDirection, &requests),
        [0, 1, 5, 2, 6, 3, 4]
    );
}

#[test]
fn queues_serve_the_submitters_in_turn() {
    let mut requests = vec![(0, 0, true); 5];
    requests.extend([(1, 1, false), (1, 1, false), (1, 2, true)]);
    assert_eq!(
        order(Discipline::PerSubmitter, &requests),
        [0, 1, 5, 7, 2, 6, 3, 4]
    );
}

#[test]
fn turns_count_ios_not_requests() {
    // A write of a mebibyte counts four times a read of 4 KiB.
    let mut spec = volume_of(Discipline::PerDirection);
    spec.volumes[0].limits[0].depth = 4;
    let large = |n: u64| request(Op::Write, n * 4096 * KIB, 1024 * KIB);
    let small = |n: u64| request(Op::Read, n * 4096 * KIB, 4 * KIB);
    let mut requests: Vec<_> = (0..4).map(|n| (0, large(n))).collect();
    requests.extend((4..20).map(|n| (0, small(n))));
    let replies = replies(&spec, &requests);
    let served = |write: bool, until| {
        let done = (0_u32..).zip(&requests).filter(|(ticket, (_, request))| {
            request.op.writes() == write && replies[ticket].at <= until
        });
        done.count()
    };
    // Of the 16 tokens until then each direction has had eight.
    let until = 15 * MILLISECOND;
    assert_eq!((served(true, until), served(false, until)), (2, 8));
}

#[test]
fn nobody_is_owed_what_was_served_while_they_were_away() {
    // Fifty writes were served while no read came; reads do not make up for that.
    let mut requests = vec![(0, 0, true); 54];
    requests.extend([(49 * MILLISECOND + 1, 1, false); 4]);
    let last = order(Discipline::PerDirection, &requests).split_off(50);
    assert_eq!(last, [54, 50, 55, 51, 56, 52, 57, 53]);
}

#[test]
fn nobody_is_charged_for_what_failed_unserved() {
    for discipline in [Discipline::PerDirection, Discipline::PerSubmitter] {
        // 500 writes wait as the volume fails, and none of them is served.
        let spec = volume_of(discipline);
        let (mut storage, mut done) = (Engine::new(&spec, 1), BTreeMap::new());
        let mut at = |now, ticket, input| enter(&mut storage, now, ticket, input, &mut done);
        let io = |op, ticket: Ticket, submitter| {
            Input::Request(Request {
                submitter,
                ..request(op, u64::from(ticket) * 1024 * KIB, 4 * KIB)
            })
        };
        (0..500).for_each(|ticket| at(0, ticket, io(Op::Write, ticket, 0)));
        at(10, 500, Input::Change(Change::Fail { volume: 0 }));
        at(20, 500, Input::Change(Change::Resume { volume: 0 }));
        for ticket in 500..540 {
            let (op, submitter) = [(Op::Read, 1), (Op::Write, 0)][ticket as usize % 2];
            at(30, ticket, io(op, ticket, submitter));
        }
        advance_to(&mut storage, SECOND, &mut done);
        let mut order: Vec<_> = (500..540).collect();
        order.sort_by_key(|ticket| done[ticket].at);
        assert_eq!(order, (500..540).collect::<Vec<_>>(), "{discipline:?}");
    }
}
