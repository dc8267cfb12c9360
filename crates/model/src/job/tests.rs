//! What a job says of itself is what it does, whatever its kind.

mod amounts;
mod commits;
pub(crate) mod engines;
mod failures;
mod fsyncs;
mod restarts;
mod slots;
mod specs;
mod submitters;
mod thinks;
mod trace;
mod windows;

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use proptest::prelude::*;

use self::engines::oltp;
use self::slots::{Event, Slots};
use self::specs::{access, demand, ranwrite, replay};
use super::*;
use crate::network::Processors;
use crate::random::Stream;
use crate::request::{Op, Request};
use crate::units::{MILLISECOND, SECOND};
use crate::workload::spec::{JobSpec, Region};
use crate::workload::{
    Cycle, EngineIo, EngineStop, Fact, FileUse, IoSink, LoopType, MembershipChange, NodeCounts,
    Offered, Transaction, TransactionWait,
};

/// The number that the job has in its run.
const JOB: u16 = 3;

/// When a run ends.
const END: Nanos = 2 * SECOND;

/// A job whose IOs each take a random time, in which every call is held to
/// what the job says of itself.
struct Run<'a> {
    spec: &'a JobSpec,
    files: Vec<FileUse>,
    /// Whether the job was called because an IO completed.
    after_io: bool,
    slots: Slots<Request>,
    /// Per slot: the largest IO.
    largest: Vec<Bytes>,
    /// Per file: reads and writes in flight, and the most there were.
    in_flight: Vec<u64>,
    peaks: Vec<u64>,
    cycles: Vec<Cycle>,
    network: Processors,
    transactions: Vec<Transaction>,
}

impl Run<'_> {
    /// The file of a read or a write.
    fn file_of(&self, request: &Request) -> Option<usize> {
        let holds = |file: &FileUse| {
            let Region {
                device,
                offset,
                size,
            } = file.region;
            device == request.device && (offset..offset + size).contains(&request.offset)
        };
        match request.op {
            Op::Flush => None,
            _ => self.files.iter().position(holds),
        }
    }

    fn request_is_as_said(&self, slot: Slot, request: &Request) {
        assert_eq!(request.requester, JOB.into());
        if request.op == Op::Flush {
            let flushes = |file: &FileUse| {
                file.region.device == request.device && file.ops.contains(&Op::Flush)
            };
            assert!(self.files.iter().any(flushes), "{request:?}");
            return;
        }
        let file = &self.files[self.file_of(request).expect("an IO in one of its files")];
        assert!(file.ops.contains(&request.op), "{request:?}");
        let from = request.offset - file.region.offset;
        assert!(from + request.len <= file.region.size, "{request:?}");
        assert!(from.is_multiple_of(file.unit), "{request:?}");
        assert!(request.len > 0 && request.len.is_multiple_of(file.unit));
        assert!(request.len <= file.largest_io, "{request:?}");
        assert!(request.len <= self.largest[slot as usize], "{request:?}");
    }

    fn is_issued_when_said(&self, op: Op, due: Nanos) {
        let now = self.slots.now;
        let is_step = self.spec.steps().iter().any(|step| step.0 == now);
        match self.spec.loop_type() {
            // A flush may be the end of an fsync that began earlier.
            LoopType::Closed if op == Op::Flush => assert!(due <= now && self.after_io),
            LoopType::Closed => assert!(due == now && (self.after_io || is_step)),
            LoopType::Open { .. } => assert!(due <= now),
            LoopType::Timed => assert_eq!(due, now),
        }
    }
}

impl IoSink for Run<'_> {
    fn io(&mut self, slot: Slot, due: Nanos, request: Request) {
        self.request_is_as_said(slot, &request);
        self.is_issued_when_said(request.op, due);
        if let Some(file) = self.file_of(&request) {
            self.in_flight[file] += 1;
            assert!(self.in_flight[file] <= self.files[file].in_flight);
            self.peaks[file] = self.peaks[file].max(self.in_flight[file]);
        }
        let latency = self.slots.latency();
        self.slots.io(slot, latency, request);
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.slots.wake(slot, at);
    }

    fn fact(&mut self, fact: Fact) {
        let now = self.slots.now;
        match fact {
            Fact::Cycle(cycle) => {
                assert_eq!(cycle.end, now, "told at once");
                self.cycles.push(cycle);
            }
            Fact::Transaction(it) => {
                assert_eq!(it.end, now, "told at once");
                let waits = TransactionWait::ALL.map(|wait| it.waits.of(wait));
                assert_eq!(waits.iter().sum::<Nanos>(), it.end - it.due);
                let engine = self.spec.transactions().expect("an engine's");
                let kind = &engine.kinds[usize::from(it.kind)];
                assert_eq!(it.waits.of(TransactionWait::Work), kind.processor);
                self.transactions.push(it);
            }
            Fact::Engine(engine) | Fact::Node(NodeCounts { engine, .. }) => {
                assert_eq!(engine.at, now, "told at once");
            }
            Fact::Failed(at, _)
            | Fact::Refused(at, _)
            | Fact::Stopped(EngineStop { at, .. })
            | Fact::Membership(MembershipChange { at, .. }) => {
                assert_eq!(at, now, "told at once");
            }
            Fact::Group(group) => assert_eq!(group.at, now, "told at once"),
            Fact::Through(at) => {
                assert!(self.spec.amount().is_some(), "through without an amount");
                assert_eq!(at, now, "told at once");
            }
        }
    }
}

impl NetworkSink for Run<'_> {
    fn over_network(&mut self, act: impl FnOnce(&mut Processors)) {
        act(&mut self.network);
    }
}

/// Runs `spec` until [`END`] with IOs that take up to `longest`; gives the most
/// reads and writes in flight by file, and the cycles.
fn run(spec: &JobSpec, longest: Nanos) -> (Vec<u64>, Vec<Cycle>) {
    let mut workload = Job::new(spec, JOB, 1);
    let files = spec.files();
    let mut run = Run {
        spec,
        after_io: false,
        slots: Slots::of(&workload, longest),
        largest: (0..workload.slots())
            .map(|slot| workload.largest_io(slot))
            .collect(),
        in_flight: vec![0; files.len()],
        peaks: vec![0; files.len()],
        cycles: Vec::new(),
        network: Processors::default(),
        transactions: Vec::new(),
        files,
    };
    workload.start(&mut run);
    while let Some((slot, event)) = run.slots.next(END) {
        let now = run.slots.now;
        run.after_io = matches!(event, Event::Ends(_));
        match event {
            Event::Ends(request) => {
                if let Some(file) = run.file_of(&request) {
                    run.in_flight[file] -= 1;
                }
                workload.completed(now, slot, Outcome::Done, &mut run);
            }
            Event::Wakes => workload.woken(now, slot, &mut run),
        }
    }
    let is_open = matches!(spec.loop_type(), LoopType::Open { .. });
    assert_eq!(workload.backlog(END).is_some(), is_open);
    threads_are_those_of_their_step(spec, &run.transactions);
    (run.peaks, run.cycles)
}

/// In a closed loop a load step has no more transactions at once that began in it than threads.
fn threads_are_those_of_their_step(spec: &JobSpec, transactions: &[Transaction]) {
    let steps = spec.steps();
    for (number, &(from, offered)) in steps.iter().enumerate() {
        let Offered::Processes(threads) = offered else {
            return;
        };
        let until = steps.get(number + 1).map_or(END, |step| step.0);
        let own = transactions
            .iter()
            .filter(|it| from < it.due && it.due < until);
        let mut changes: Vec<_> = own.flat_map(|it| [(it.due, 1), (it.end, -1)]).collect();
        changes.sort_unstable();
        let mut at_once = 0;
        for (_, change) in changes {
            at_once += change;
            assert!(at_once <= threads as i64, "step {number}");
        }
    }
}

proptest! {
    /// The checks are those of [`Run`].
    #[test]
    fn jobs_do_what_they_say(
        spec in prop_oneof![2 => access(), 2 => ranwrite(), 1 => oltp(), 1 => demand(), 1 => replay()],
        longest in 1..30 * MILLISECOND,
    ) {
        let (peaks, cycles) = run(&spec, longest);
        let files = spec.files();
        prop_assert_eq!(spec.writes(), files.iter().any(FileUse::is_written));
        if spec.loop_type() == LoopType::Closed {
            let waits = spec.files().iter().any(|file| file.ops.contains(&Op::Flush));
            for (file, peak) in files.iter().zip(peaks).filter(|(file, _)| file.ops != [Op::Journal]) {
                // One that waits for an fsync early may never have all its IO in flight.
                prop_assert!(waits || peak == file.in_flight, "all processes are at work in some step");
            }
        }
        for pair in cycles.windows(2) {
            let most = spec.cycle().expect("cycles of which it says nothing");
            prop_assert!(pair[1].start <= pair[0].end.max(pair[0].start + most));
        }
    }
}
