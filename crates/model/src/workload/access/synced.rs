//! The closed loop with flushes: a process that has issued its share of writes waits for all its
//! IO, then for an fsync, and only then goes on.

mod commits;

use alloc::vec;
use alloc::vec::Vec;

use self::commits::{Asked, Commits, Transaction};
use super::closed::places_of;
use super::places::Places;
use crate::request::Op;
use crate::units::{Bytes, Nanos};
use crate::workload::facts::Fact;
use crate::workload::io::{IoSink, Outcome, Part, Slot};
use crate::workload::spec::{AccessSpec, Fsync};
use crate::workload::steps::Steps;

/// A closed-loop access job with flushes. The last slot is the alarm of its load steps.
#[derive(Clone, Debug)]
pub(crate) struct Synced {
    processes: Vec<Process>,
    outstanding: u32,
    every: u32,
    /// What each slot has in flight.
    busy: Vec<Option<Op>>,
    steps: Steps,
    commits: Option<Commits>,
    block: Bytes,
}

#[derive(Clone, Debug)]
struct Process {
    places: Places,
    /// Writes issued since the last fsync, and those that were done.
    writes: u32,
    written: u32,
    in_flight: u32,
    /// The transaction that its last write changed metadata in.
    changed: Transaction,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It issues.
    Working,
    /// It waits for its IO in flight, and issues nothing.
    Draining,
    /// It waits for its fsync, which has this slot.
    Syncing(Slot),
}

impl Process {
    /// A read or write of its own has ended.
    fn ended(&mut self, op: Op, outcome: Outcome) {
        self.in_flight -= 1;
        match outcome {
            Outcome::Done => self.written += u32::from(op.writes()),
            Outcome::Failed => self.places.failed(1),
        }
    }

    /// Its fsync has ended. Where that failed, nothing that was written since the last is known to
    /// be durable.
    fn synced(&mut self, outcome: Outcome) {
        if outcome == Outcome::Failed {
            self.places.failed(self.written);
        }
        (self.writes, self.written) = (0, 0);
        self.phase = Phase::Working;
    }
}

impl Synced {
    pub(super) fn new(
        spec: &AccessSpec,
        fsync: &Fsync,
        (steps, outstanding): (&[(Nanos, u32)], u32),
        (job, seed, part): (u16, u64, Part),
    ) -> Self {
        let processes = places_of(spec, steps, job, seed, part);
        let process = |places| Process {
            places,
            writes: 0,
            written: 0,
            in_flight: 0,
            changed: 0,
            phase: Phase::Working,
        };
        let of_file_system = fsync.file_system.as_ref();
        Self {
            busy: vec![None; processes.len() * outstanding as usize],
            processes: processes.into_iter().map(process).collect(),
            outstanding,
            every: fsync.every,
            steps: Steps::new(steps, part),
            commits: of_file_system.map(|it| Commits::new(it, job)),
            block: spec.block,
        }
    }

    pub(super) fn slots(&self) -> u32 {
        self.busy.len() as u32 + 1
    }

    pub(super) fn largest_io(&self) -> Bytes {
        let journal = self.commits.as_ref().map_or(0, Commits::largest_write);
        self.block.max(journal)
    }

    /// The next load step begins.
    pub(super) fn step(&mut self, now: Nanos, sink: &mut impl IoSink) {
        self.steps.begin_next(self.slots() - 1, sink);
        for process in 0..self.steps.active() {
            self.work(now, process, sink);
        }
    }

    pub(super) fn completed(
        &mut self,
        now: Nanos,
        slot: Slot,
        outcome: Outcome,
        sink: &mut impl IoSink,
    ) {
        if let Some(commits) = &mut self.commits
            && commits.writer() == Some(slot)
        {
            match outcome {
                Outcome::Done => {
                    for (slot, since) in commits.written() {
                        self.flush(slot, since, sink);
                    }
                }
                // The fsyncs that it served fail with it.
                Outcome::Failed => {
                    for (slot, _) in commits.failed() {
                        self.io_ended(now, slot, Outcome::Failed, sink);
                    }
                }
            }
            return self.commit(now, sink);
        }
        self.io_ended(now, slot, outcome, sink);
    }

    /// An IO of a process on `slot` has ended, or its fsync.
    fn io_ended(&mut self, now: Nanos, slot: Slot, outcome: Outcome, sink: &mut impl IoSink) {
        let number = slot / self.outstanding;
        let process = &mut self.processes[number as usize];
        let ended = self.busy[slot as usize].take();
        if process.phase == Phase::Syncing(slot) {
            process.synced(outcome);
        } else if let Some(op) = ended {
            process.ended(op, outcome);
            if process.phase == Phase::Draining && process.in_flight == 0 {
                return self.sync(now, slot, sink);
            }
        }
        if number < self.steps.active() {
            self.work(now, number, sink);
        }
    }

    /// A process issues on all its slots that are free, until an fsync is due.
    fn work(&mut self, now: Nanos, number: u32, sink: &mut impl IoSink) {
        let process = &mut self.processes[number as usize];
        for slot in (number * self.outstanding..).take(self.outstanding as usize) {
            if process.phase != Phase::Working {
                return;
            }
            if self.busy[slot as usize].is_some() {
                continue;
            }
            let Some(request) = process.places.next() else {
                return self.come_to_an_end(now, slot, sink);
            };
            self.busy[slot as usize] = Some(request.op);
            process.in_flight += 1;
            if request.op.writes() {
                process.writes += 1;
                process.changed = self.commits.as_ref().map_or(0, Commits::running);
            }
            if process.writes == self.every {
                process.phase = Phase::Draining;
            }
            sink.io(slot, now, request);
        }
    }

    /// A process has issued its share of the job's amount. It is through once its writes are
    /// durable.
    fn come_to_an_end(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let process = &mut self.processes[(slot / self.outstanding) as usize];
        match (process.writes, process.in_flight) {
            (0, 0) => sink.fact(Fact::Through(now)),
            (0, _) => {}
            (_, 0) => self.sync(now, slot, sink),
            _ => process.phase = Phase::Draining,
        }
    }

    /// The fsync of a process begins, on `slot`.
    fn sync(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let process = &mut self.processes[(slot / self.outstanding) as usize];
        process.phase = Phase::Syncing(slot);
        self.busy[slot as usize] = Some(Op::Flush);
        let (changed, commits) = (process.changed, self.commits.as_mut());
        match commits.map(|commits| commits.ask(slot, now, changed)) {
            Some(Asked::Waits) => {}
            Some(Asked::Begins) => self.commit(now, sink),
            Some(Asked::Durable) | None => self.flush(slot, now, sink),
        }
    }

    /// The file system goes on with its commits.
    fn commit(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if let Some(commits) = &mut self.commits
            && let Some((slot, request)) = commits.next_write()
        {
            sink.io(slot, now, request);
        }
    }

    /// The end of the fsync that `slot` has waited for since `since`.
    fn flush(&self, slot: Slot, since: Nanos, sink: &mut impl IoSink) {
        let process = &self.processes[(slot / self.outstanding) as usize];
        sink.io(slot, since, process.places.flush());
    }
}
