//! Limits for reads, for writes and for both, next to each other.

use super::*;

/// When the last of `count` requests is done, all asked for at the start.
fn done_ms(spec: &StorageSpec, op: Op, count: u64) -> Nanos {
    let requests = (0..count).map(|place| (0, request(op, place * 1024 * KIB, 4 * KIB)));
    let replies = replies(spec, &requests.collect::<Vec<_>>());
    replies.values().map(|reply| reply.at).max().unwrap_or(0) / MILLISECOND
}

#[test]
fn a_limit_for_both_holds_beside_one_for_reads() {
    let reads = LimitSpec {
        applies: Applies::Reads,
        ..limit("read throughput", Unit::Byte, 1 << 40, 1 << 30)
    };
    let spec = one(vec![limit("iops", Unit::Io, 100, 1), reads], flat(0));
    assert_eq!(done_ms(&spec, Op::Read, 1000), 9_990);
    assert_eq!(done_ms(&spec, Op::Write, 1000), 9_990);
}

#[test]
fn a_hosts_limit_on_reads_holds_no_writes() {
    let reads = LimitSpec {
        applies: Applies::Reads,
        ..limit("read iops", Unit::Io, 100, 1)
    };
    let spec = StorageSpec {
        hosts: vec![host(vec![reads])],
        ..one(vec![], flat(0))
    };
    assert_eq!(done_ms(&spec, Op::Write, 1000), 0);
    assert_eq!(done_ms(&spec, Op::Read, 1000), 9_990);
}
