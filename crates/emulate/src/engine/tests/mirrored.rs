//! A mirror over two hosts, served: what its writes wait for, and what a cut does to them.

use blockyard_model::spec::{
    Acknowledge, LegSpec, MirrorSpec, PartitionSpec, ReadPolicy, ResyncSpec,
};
use blockyard_model::spec::{Contact, ProcessorCost};
use blockyard_model::spec::{Layout, LinkSpec};

use super::*;

const DISK: Nanos = MILLISECOND;
const WAY: Nanos = 5 * MILLISECOND;
const TIMEOUT: Nanos = 100 * MILLISECOND;

/// Two volumes of 1 ms as a mirror, whose hosts are 10 ms apart.
fn mirrored(acknowledge: Acknowledge) -> StorageSpec {
    let mut spec = testing::one("data", GIB, DISK);
    spec.volumes.push(testing::volume("far", GIB, DISK));
    let leg = |volume, link| LegSpec {
        layout: Layout::Volume(volume),
        link,
    };
    spec.devices[0].layout = Layout::Mirror(Box::new(MirrorSpec {
        legs: [leg(0, None), leg(1, Some((0, 0)))],
        size: GIB,
        acknowledge,
        max_buffers: 8 << 20,
        read: ReadPolicy::Local,
        region: 64 * KIB,
        log: None,
        resync: ResyncSpec {
            rate: None,
            request: 64 * KIB,
            depth: 1,
            full: false,
        },
        partition: PartitionSpec::default(),
    }));
    spec.links.push(LinkSpec {
        name: "wan".into(),
        ends: [0, 1],
        delay: [WAY, WAY],
        jitter: 0,
        loss: None,
        overhead: 0,
        bandwidth: u64::MAX,
        count: 1,
        payload: 8 * KIB,
        headers: 0,
        socket_buffer: None,
        flow_control: None,
        processor: ProcessorCost::default(),
        timeout: TIMEOUT,
        retry: None,
        contact: Contact::default(),
    });
    let mut far = spec.hosts[0].clone();
    far.name = "far".into();
    spec.hosts.push(far);
    spec.volumes[1].host = 1;
    spec
}

/// When writes at these times are answered, in whole milliseconds, where the link is cut from 20
/// to `until` ms.
fn answered(acknowledge: Acknowledge, writes: &[Nanos], until: Nanos) -> Vec<Nanos> {
    let mut bench = Bench::new(&mirrored(acknowledge), 0);
    let cut = Fault {
        number: 0,
        volumes: Vec::new(),
        links: vec![0],
        hosts: Vec::new(),
        from: 20 * MILLISECOND,
        until: None,
        does: Does::Cut([true; 2]),
    };
    bench
        .engine
        .change(0, |model, now, queue| model.start_fault(now, cut, queue));
    let (early, late): (Vec<Nanos>, Vec<Nanos>) = writes.iter().partition(|&&at| at < until);
    for (number, at) in early.into_iter().enumerate() {
        bench.submit(number, at * MILLISECOND, Op::Write, 0);
    }
    bench.run_until(until * MILLISECOND, 0);
    let restore = |model: &mut Model, now, queue: &mut _| model.restore(now, &[0], queue);
    bench.engine.change(until * MILLISECOND, restore);
    for (number, at) in late.into_iter().enumerate() {
        bench.submit(10 + number, at * MILLISECOND, Op::Write, 0);
    }
    bench.run_until(SECOND, 0);
    assert!(
        bench
            .answered
            .lock()
            .unwrap()
            .iter()
            .all(|(_, result)| result.is_ok())
    );
    bench.sent.iter().map(|sent| sent / MILLISECOND).collect()
}

#[test]
fn a_write_waits_for_the_disk_the_round_trip_or_both() {
    assert_eq!(answered(Acknowledge::A, &[0], 500), [1]);
    assert_eq!(answered(Acknowledge::B, &[0], 500), [10]);
    assert_eq!(answered(Acknowledge::C, &[0], 500), [11]);
}

#[test]
fn a_write_over_a_cut_link_waits_until_it_is_restored() {
    assert_eq!(answered(Acknowledge::C, &[0, 25, 60], 50), [11, 61, 71]);
}

#[test]
fn after_the_links_timeout_the_other_leg_serves_alone() {
    // Given up at 120 ms; back from 200 ms on.
    let ends = answered(Acknowledge::C, &[0, 25, 150, 250], 200);
    assert_eq!(ends, [11, 120, 151, 261]);
}
