//! Mirrors over links, and what an IO to one costs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a measurement prints what it found")]

mod common;

use std::time::Instant;

use blockyard_model::random::Stream;
use blockyard_model::spec::{
    Acknowledge, DeviceSpec, Discipline, HostSpec, LatencySpec, Layout, LegSpec, LinkSpec,
    MirrorSpec, ProcessorCost, ReadPolicy, ResyncSpec, StorageSpec, VolumeSpec,
};
use blockyard_model::storage::{Op, Request, Storage};
use blockyard_model::units::{KIB, MIB};
use blockyard_record::Detail;
use blockyard_record::result::RunResult;
use blockyard_simulate::{Options, Ran, ScenarioText, simulate_many};

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
        standby: Vec::new(),
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

/// One of the published five configurations, with some of its fields set otherwise.
fn infoscale(name: &str, sets: &[&str]) -> RunResult {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/infoscale");
    let text = std::fs::read_to_string(format!("{root}/{name}.yaml")).unwrap();
    common::run_with(&text, sets, Options::default()).result
}

fn iops(result: &RunResult) -> f64 {
    result.totals.iter().map(|total| total.iops).sum()
}

const CONFIGURATIONS: [&str; 5] = [
    "1-single-node",
    "2-shared-disk",
    "3-mirror-tcp",
    "4-mirror-udp",
    "5-mirror-two-zones",
];

/// Published for 4 KiB random, half of it reads: about 2,000 IOPS for the first two, about half
/// of that for the next two, less for the last; the mirror adds at most about two points of CPU.
#[test]
fn the_five_configurations_of_infoscale_rank_as_published() {
    let short = ["duration=11s", "warmup=1s"];
    let runs = CONFIGURATIONS.map(|name| infoscale(name, &short));
    let got = runs.each_ref().map(iops);
    for (got, expected) in got.iter().zip([2000.0, 2000.0, 1000.0, 987.0, 705.0]) {
        assert!(
            (got / expected - 1.0_f64).abs() < 0.03,
            "{got} against {expected}"
        );
    }
    assert!(got[2] > got[3], "TCP is a little ahead of UDP");
    let cpu = |run: &RunResult| 100.0 * run.packet_cpu[0].share.unwrap();
    let [tcp, udp, far] = [&runs[2], &runs[3], &runs[4]].map(cpu);
    assert!(
        tcp > udp && udp > far && far > 0.5 && tcp < 2.2,
        "{tcp} {udp} {far}"
    );
    for run in &runs[2..] {
        let [mirror] = &run.mirrors[..] else {
            panic!("one mirror");
        };
        assert_eq!(mirror.state, "in sync");
        assert_eq!(mirror.at_risk_bytes, 0);
        assert!(mirror.reads[0].abs_diff(mirror.reads[1]) <= 1);
        let [there, back] = &run.links[..] else {
            panic!("two directions");
        };
        assert!(
            there.bytes > back.bytes,
            "writes are more than reads over the link"
        );
    }
}

/// All nine published access patterns rank the configurations alike.
#[test]
fn every_access_pattern_ranks_the_configurations_alike() {
    for size in ["4k", "64k"] {
        for (way, reads) in [
            ("random", 100),
            ("random", 50),
            ("random", 0),
            ("sequential", 50),
        ] {
            let random = if way == "random" { "100%" } else { "0%" };
            let bytes = size.replace('k', "KiB");
            let pattern = [
                "duration=4s".into(),
                "warmup=1s".into(),
                format!(
                    "workload.load.pattern={{size: {bytes}, read: {reads}%, random: {random}}}"
                ),
            ];
            let sets: Vec<&str> = pattern.iter().map(String::as_str).collect();
            let got = CONFIGURATIONS.map(|name| iops(&infoscale(name, &sets)));
            let ranked = got[2] < 0.8 * got[0] && got[3] < 0.8 * got[1] && got[4] < 0.9 * got[3];
            assert!(got[0] == got[1] && ranked, "{size} {way} {reads}: {got:?}");
        }
    }
}

#[test]
fn the_same_comes_out_whatever_the_threads() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/infoscale");
    let texts = CONFIGURATIONS.map(|name| ScenarioText {
        text: std::fs::read_to_string(format!("{root}/{name}.yaml")).unwrap(),
        file_name: format!("{name}.yaml"),
        sets: vec!["duration=2s".into(), "warmup=1s".into(), "repeats=2".into()],
    });
    let run = |threads| {
        let keep = |ran: Ran| serde_json::to_string(&ran.result.unwrap()).unwrap();
        simulate_many(&texts, threads, Detail::Totals, keep, &mut || false)
    };
    assert_eq!(run(1).unwrap(), run(3).unwrap());
}
