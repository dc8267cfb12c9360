//! The published comparison of five configurations of a cluster (InfoScale on AWS: one node, a
//! shared disk, mirrors within a zone over TCP and UDP, and a mirror across zones), under the
//! assumptions that rank all its access patterns: reads in turn, no log, one IO in flight.

use super::*;
use crate::random::Stream;

/// 4 KiB reads and writes in equal parts, one at a time: IOPS, and the share of two cores that
/// the network takes on the first host.
fn run(spec: &StorageSpec) -> (f64, f64) {
    let mut storage = Storage::new(spec, 1);
    let mut random = Stream::new(1, "test");
    let (mut now, ios) = (0, 20_000);
    for _ in 0..ios {
        let op = if random.below(2) == 0 {
            Op::Read
        } else {
            Op::Write
        };
        let mut end = storage.submit(now, 0, &request(op, 4 * KIB * random.below(1000), 4 * KIB));
        while end.is_none() {
            let next = storage.next_event().unwrap();
            storage.advance(next, &mut |_, reply| end = Some(reply));
        }
        now = end.unwrap().at;
        storage.advance(now, &mut |_, _| {});
    }
    let seconds = now as f64 / 1e9;
    let busy = storage.busy(0, now) as f64 / 1e9;
    (f64::from(ios) / seconds, busy / seconds / 2.0)
}

#[test]
fn the_five_configurations_rank_as_published() {
    let over = |round_trip: Nanos, overhead: Nanos, per_packet: Nanos, count: u32| {
        let link = LinkSpec {
            delay: [round_trip / 2; 2],
            overhead,
            bandwidth: 1_000_000_000,
            count,
            payload: 1460,
            headers: 78,
            processor: ProcessorCost {
                per_packet,
                per_kib: 0,
            },
            ..link()
        };
        let read = ReadPolicy::RoundRobin;
        run(&two_hosts(MirrorSpec { read, ..mirror() }, link))
    };
    let mut single = two_hosts(mirror(), link());
    single.devices[0].layout = Layout::Volume(0);
    let us = MICROSECOND;
    let got = [
        run(&single),
        over(250 * us, 250 * us, 13_800, 1),
        over(250 * us, 280 * us, 12_000, 2),
        over(800 * us, 280 * us, 12_000, 2),
    ];
    let expected = [
        (2002.0, 0.0),
        (1000.0, 0.02),
        (987.0, 0.0175),
        (705.0, 0.0127),
    ];
    for (got, expected) in got.iter().zip(expected) {
        assert!(
            (got.0 / expected.0 - 1.0).abs() < 0.03,
            "{got:?} {expected:?}"
        );
        assert!((got.1 - expected.1).abs() < 0.0015, "{got:?} {expected:?}");
    }
    assert!(got[1].0 > got[2].0, "TCP is a little ahead");
}
