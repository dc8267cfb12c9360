mod buffers;
mod contents;
mod failover;
mod failures;
mod fuzz;
mod hosts;
mod loss;
mod published;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use self::contents::Contents;
use self::loss::Loss;
use super::flow::Branch;
use super::*;
use crate::spec::{
    Acknowledge, Contact, DeviceSpec, Discipline, HostSpec, LatencySpec, LegSpec, LinkSpec,
    LogSpec, MirrorSpec, PartitionSpec, ProcessorCost, ReadPolicy, ResyncSpec, VolumeSpec,
};
use crate::storage::{Change, Storage};
use crate::units::{Bytes, KIB, MIB, MICROSECOND, MILLISECOND, SECOND};

const DISK: Nanos = 500 * MICROSECOND;
const TRAVEL: Nanos = 125 * MICROSECOND;

pub(crate) fn volume(name: &str, latency: Nanos) -> VolumeSpec {
    let table = vec![(0.0, latency), (1.0, latency)];
    VolumeSpec {
        name: name.to_string(),
        size: 64 * MIB,
        io_unit: 256 * KIB,
        whole_units: false,
        limits: vec![],
        discipline: Discipline::Fifo,
        latency: LatencySpec {
            read: table.clone(),
            write: table,
            sequential: None,
            base_size: MIB,
            per_kib: 0.into(),
            spread_permille: 0,
            volume_spread_permille: 0,
            slow: vec![],
        },
        queues: None,
        standby: Vec::new(),
        behind_host: false,
        host: 0,
    }
}

/// A link of so long a way whose bandwidth takes next to no time.
pub(crate) fn link() -> LinkSpec {
    LinkSpec {
        name: "llt".into(),
        ends: [0, 1],
        delay: [TRAVEL, TRAVEL],
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
        retry: None,
        timeout: SECOND,
        contact: Contact::default(),
    }
}

fn mirror() -> MirrorSpec {
    let leg = |volume, link| LegSpec {
        layout: Layout::Volume(volume),
        link,
    };
    MirrorSpec {
        legs: [leg(0, None), leg(1, Some((0, 0)))],
        size: 64 * MIB,
        acknowledge: Acknowledge::C,
        max_buffers: 8 * MIB,
        read: ReadPolicy::Local,
        region: MIB,
        log: None,
        resync: ResyncSpec {
            rate: None,
            request: 64 * KIB,
            depth: 8,
            full: false,
        },
        partition: PartitionSpec::default(),
    }
}

/// Two volumes, of which the second is on the other host, as a mirror.
fn two_hosts(mirror: MirrorSpec, link: LinkSpec) -> StorageSpec {
    StorageSpec {
        hosts: vec![HostSpec::unnamed()],
        volumes: vec![volume("a", DISK), volume("b", DISK)],
        devices: vec![DeviceSpec {
            name: "data".into(),
            size: 64 * MIB,
            layout: Layout::Mirror(Box::new(mirror)),
        }],
        links: vec![link],
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

/// A storage with what was reported of the requests in it.
struct Watched {
    storage: Storage,
    /// By ticket: how it ends, as far as that is known.
    ends: BTreeMap<Ticket, Option<Reply>>,
    contents: Contents,
    /// Of a mirror whose first leg always serves.
    loss: Option<Loss>,
}

impl Watched {
    fn new(spec: &StorageSpec) -> Self {
        Self {
            storage: Storage::new(spec, 1),
            ends: BTreeMap::new(),
            contents: Contents::default(),
            loss: Some(Loss::new(spec)),
        }
    }

    fn submit(&mut self, now: Nanos, ticket: Ticket, request: &Request) {
        self.advance(now);
        let end = self.storage.submit(now, ticket, request);
        self.ends.insert(ticket, end);
        if let Some(loss) = &mut self.loss {
            loss.submit(ticket, request);
        }
        self.look(now);
    }

    fn advance(&mut self, now: Nanos) {
        while let Some(next) = self.storage.next_event().filter(|next| *next <= now) {
            self.storage.advance(next, &mut |ticket, reply| {
                self.ends.insert(ticket, Some(reply));
            });
            self.look(next);
        }
        self.look(now);
    }

    fn change(&mut self, now: Nanos, change: Change) {
        self.advance(now);
        self.storage
            .change(now, change.clone(), &mut |ticket, reply| {
                self.ends.insert(ticket, reply);
            });
        if let Some(loss) = &mut self.loss {
            loss.change(now, &change);
        }
        self.look(now);
    }

    fn look(&mut self, now: Nanos) {
        self.contents.look(&self.storage, now);
        buffers::look(&self.storage);
        let status = self.status(now);
        let Some(loss) = &mut self.loss else {
            return;
        };
        loss.look(&self.storage, &self.contents, now);
        if self.storage.next_event().is_none_or(|next| next > now) {
            loss.check(&self.contents, &self.ends, &status, now);
        }
    }

    /// Does all that is to come.
    fn settle(&mut self) -> Nanos {
        let mut now = 0;
        while let Some(next) = self.storage.next_event() {
            assert!(next >= now);
            now = next;
            self.advance(now);
        }
        now
    }

    fn end(&self, ticket: Ticket) -> Reply {
        self.ends[&ticket].expect("it has ended")
    }

    fn status(&self, now: Nanos) -> MirrorStatus {
        self.storage.mirrors(now).next().expect("there is one")
    }
}

/// When a single request that comes at 0 ends.
fn alone(mirror: MirrorSpec, request: &Request) -> Nanos {
    let mut watched = Watched::new(&two_hosts(mirror, link()));
    watched.submit(0, 0, request);
    watched.settle();
    watched.end(0).at
}

#[test]
fn a_write_is_acknowledged_as_the_letter_says() {
    let write = |acknowledge| {
        alone(
            MirrorSpec {
                acknowledge,
                ..mirror()
            },
            &request(Op::Write, 0, 4 * KIB),
        )
    };
    assert_eq!(write(Acknowledge::A), DISK);
    // The peer's memory has it in half a millisecond at most: the local disk decides.
    assert_eq!(write(Acknowledge::B), DISK.max(2 * TRAVEL));
    assert!(write(Acknowledge::C) >= 2 * TRAVEL + DISK);
    assert!(write(Acknowledge::C) < 2 * TRAVEL + DISK + MICROSECOND);
}

#[test]
fn reads_stay_local_or_take_turns() {
    let reads = |read| {
        let mut watched = Watched::new(&two_hosts(MirrorSpec { read, ..mirror() }, link()));
        for ticket in 0..4 {
            watched.submit(u64::from(ticket), ticket, &request(Op::Read, 0, 4 * KIB));
        }
        watched.settle();
        watched.status(SECOND).counts.reads
    };
    assert_eq!(reads(ReadPolicy::Local), [4, 0]);
    assert_eq!(reads(ReadPolicy::RoundRobin), [2, 2]);
}

#[test]
fn the_log_is_written_before_the_data_of_a_clean_region_only() {
    let log = LogSpec {
        on: [true, false],
        block: 4 * KIB,
        extent: MIB,
        clean_after: SECOND,
        active: 2,
    };
    let local = MirrorSpec {
        acknowledge: Acknowledge::A,
        log: Some(log),
        ..mirror()
    };
    let mut watched = Watched::new(&two_hosts(local, link()));
    let mut took = |at: Nanos, region: u64| {
        watched.submit(at, 0, &request(Op::Write, region * MIB, 4 * KIB));
        while watched.ends[&0].is_none() {
            watched.advance(watched.storage.next_event().unwrap());
        }
        watched.end(0).at - at
    };
    assert_eq!(took(0, 5), 2 * DISK, "clean at the start");
    assert_eq!(took(10 * MILLISECOND, 5), DISK);
    assert_eq!(took(20 * MILLISECOND, 6), 2 * DISK);
    // A third region is one too many: the first gives way.
    assert_eq!(took(30 * MILLISECOND, 7), 2 * DISK);
    assert_eq!(took(40 * MILLISECOND, 5), 2 * DISK);
    assert_eq!(took(50 * MILLISECOND, 7), DISK);
    assert_eq!(took(2 * SECOND, 7), 2 * DISK, "clean again after a while");
}

#[test]
fn those_who_write_to_a_region_share_its_log_write() {
    let spec = MirrorSpec {
        acknowledge: Acknowledge::A,
        log: Some(LogSpec {
            on: [true, true],
            block: 4 * KIB,
            extent: MIB,
            clean_after: SECOND,
            active: 1,
        }),
        ..mirror()
    };
    let mut watched = Watched::new(&two_hosts(spec, link()));
    for ticket in 0..5 {
        watched.submit(0, ticket, &request(Op::Write, 0, 4 * KIB));
    }
    // A write across regions needs the log for each, one after another.
    watched.submit(0, 5, &request(Op::Write, 3 * MIB - KIB, 4 * KIB));
    watched.settle();
    assert_eq!(watched.status(SECOND).counts.log_writes, 3);
    let ends: Vec<_> = (0..6).map(|ticket| watched.end(ticket).at).collect();
    let log = DISK + 2 * TRAVEL;
    assert!(ends[..5].iter().all(|end| end.abs_diff(log + DISK) < 10));
    assert!(ends[5].abs_diff(2 * log + DISK) < 10);
}

#[test]
fn a_flush_and_a_trim_go_to_both_legs() {
    for op in [Op::Flush, Op::Trim] {
        let end = alone(
            mirror(),
            &request(op, 0, if op == Op::Flush { 0 } else { KIB }),
        );
        assert!(end.abs_diff(2 * TRAVEL) < 10);
    }
    let mut watched = Watched::new(&two_hosts(mirror(), link()));
    watched.submit(0, 0, &request(Op::Write, 0, KIB));
    watched.submit(1, 1, &request(Op::Flush, 0, 0));
    watched.settle();
    assert!(watched.end(1).at >= watched.end(0).at);
}

#[test]
fn a_mirror_on_one_host_writes_to_both_at_once() {
    let mut spec = mirror();
    spec.legs[1].link = None;
    let mut storage = two_hosts(spec, link());
    storage.volumes[1] = volume("b", 3 * DISK);
    let mut watched = Watched::new(&storage);
    watched.submit(0, 0, &request(Op::Write, 0, KIB));
    assert_eq!(watched.end(0).at, 3 * DISK);
}
