//! Mirrors over links, and what an IO to one costs.

use std::time::Instant;

use blockyard_model::random::Stream;
use blockyard_model::spec::{
    Acknowledge, DeviceSpec, Discipline, HostSpec, LatencySpec, Layout, LegSpec, LinkSpec,
    MirrorSpec, ProcessorCost, ReadPolicy, ResyncSpec, StorageSpec, VolumeSpec,
};
use blockyard_model::storage::{Op, Request, Storage};
use blockyard_model::units::{KIB, MIB};

fn volume(name: &str) -> VolumeSpec {
    let table = vec![(0.0, 400_000), (1.0, 600_000)];
    VolumeSpec {
        name: name.into(),
        size: 1 << 40,
        io_unit: 256 * KIB,
        whole_units: false,
        limits: vec![],
        discipline: Discipline::Fifo,
        latency: LatencySpec {
            read: table.clone(),
            write: table,
            sequential: None,
            base_size: 16 * KIB,
            per_kib: 0.into(),
            spread_permille: 0,
            slow: vec![],
        },
        queue_depth: None,
        behind_host: false,
        host: 0,
    }
}

fn storage() -> StorageSpec {
    let leg = |volume, link| LegSpec {
        layout: Layout::Volume(volume),
        link,
    };
    StorageSpec {
        hosts: vec![HostSpec::unnamed()],
        volumes: vec![volume("a"), volume("b")],
        devices: vec![DeviceSpec {
            name: "data".into(),
            size: 1 << 40,
            layout: Layout::Mirror(Box::new(MirrorSpec {
                legs: [leg(0, None), leg(1, Some((0, 0)))],
                size: 1 << 40,
                acknowledge: Acknowledge::C,
                read: ReadPolicy::RoundRobin,
                region: MIB,
                log: None,
                resync: ResyncSpec {
                    rate: None,
                    request: 64 * KIB,
                    depth: 8,
                },
            })),
        }],
        links: vec![LinkSpec {
            name: "llt".into(),
            ends: [0, 1],
            delay: [125_000; 2],
            overhead: 280_000,
            bandwidth: 100_000_000_000,
            count: 1,
            payload: 8 * KIB,
            headers: 78,
            socket_buffer: Some(MIB),
            flow_control: None,
            processor: ProcessorCost {
                per_packet: 100,
                per_kib: 0,
            },
            timeout: 16_000_000_000,
        }],
    }
}

#[test]
#[ignore = "a measurement: prints what an IO takes"]
fn what_an_io_to_a_mirror_takes() {
    let mut storage = Storage::new(&storage(), 1);
    let mut random = Stream::new(1, "test");
    let depth = 64;
    let mut queue = blockyard_model::event_queue::EventQueue::new(depth);
    for slot in 0..depth {
        queue.set(slot, slot as u64);
    }
    let ios = 5_000_000;
    let (start, mut done) = (Instant::now(), 0);
    while done < ios {
        let (at, slot) = queue.first();
        let next = storage.next_event().unwrap_or(u64::MAX);
        if next <= at {
            storage.advance(next, &mut |ticket, reply| {
                queue.set(ticket as usize, reply.at)
            });
            continue;
        }
        let request = Request {
            device: 0,
            op: if random.below(2) == 0 {
                Op::Read
            } else {
                Op::Write
            },
            offset: random.below(1 << 20) * 4 * KIB,
            len: 4 * KIB,
            job: 0,
            submitter: 0,
        };
        done += 1;
        let end = storage.submit(at, slot as u32, &request);
        queue.set(slot, end.map_or(u64::MAX, |reply| reply.at));
    }
    let each = start.elapsed() / ios;
    println!("{each:?} an IO, half of them reads");
}
