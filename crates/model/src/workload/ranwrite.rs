//! `ranwrite`: update processes over a database cache, and the three writers
//! that make their updates durable.
//!
//! A write-daemon cycle starts every `cycle`, or early when too many blocks
//! are dirty, and runs through the phases that the product's write-daemon
//! statistics name (`SYS.Stats.WriteDaemon`): form the list of dirty blocks
//! with the updaters held; write them to the write image journal; sync the
//! journal; write the database; clear the write image journal.

mod daemons;
mod dirty;
mod journal;
mod pace;
mod replica;
mod slots;
pub(super) mod spec;

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use self::daemons::Daemons;
use self::dirty::DirtySet;
use self::journal::Journal;
use self::pace::Pace;
pub(crate) use self::replica::Replica;
use self::slots::{CONTROL, CYCLE, JOURNAL, JOURNAL_ALARM, MASTER, WIJ};
use self::spec::RanWriteSpec;
use super::facts::{Cycle, Fact};
use super::io::{IoSink, Outcome, Slot, StateMachine};
use super::sequential::{Sequential, padded};
use crate::random::Stream;
use crate::request::{Op, Request};
use crate::units::{Bytes, Nanos, SECOND};

/// How long after an IO failed it is tried again: the journal daemon does "typically at one second
/// intervals" ("Journal I/O Errors" of the Data Integrity Guide); for the write daemons the same
/// is assumed.
const RETRY: Nanos = SECOND;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Listing,
    WritingWij { left: Bytes, in_flight: u32 },
    FlushingWij,
    WritingJournal,
    FlushingJournal,
    WritingDatabase,
    FlushingDatabase,
    ClearingWij,
}

/// A `ranwrite` job.
#[derive(Clone, Debug)]
pub(crate) struct RanWrite {
    spec: RanWriteSpec,
    job: u16,
    pace: Pace,
    places: Stream,
    /// Blocks that updates have dirtied, and those of the running cycle.
    dirty: DirtySet,
    taken: DirtySet,
    journal: Journal,
    wij: Sequential,
    daemons: Daemons,
    phase: Phase,
    cycle: Cycle,
    /// Whether updates are frozen, as the journal could not be written.
    frozen: bool,
    /// By slot, the last IO: one that failed is tried again.
    requests: Vec<Option<Request>>,
}

impl RanWrite {
    pub(crate) fn new(spec: &RanWriteSpec, job: u16, seed: u64) -> Self {
        let blocks = spec.data.size / spec.block;
        Self {
            job,
            pace: Pace::new(spec),
            places: Stream::new(seed, &format!("job/{job}/updates")),
            dirty: DirtySet::new(blocks),
            taken: DirtySet::new(blocks),
            journal: Journal::new(spec, job),
            wij: Sequential::new(spec.wij, job, MASTER),
            daemons: Daemons::new(spec, job),
            phase: Phase::Idle,
            cycle: Cycle::default(),
            frozen: false,
            requests: vec![None; (WIJ + spec.wij_outstanding + spec.outstanding) as usize],
            spec: spec.clone(),
        }
    }
}

impl StateMachine for RanWrite {
    fn slots(&self) -> u32 {
        WIJ + self.spec.wij_outstanding + self.spec.outstanding
    }

    fn largest_io(&self, slot: Slot) -> Bytes {
        let [data, wij, journal] = self.spec.uses();
        match slot {
            CYCLE | JOURNAL_ALARM => 0,
            JOURNAL => journal.largest_io,
            CONTROL => padded(self.spec.block),
            _ if slot < WIJ + self.spec.wij_outstanding => wij.largest_io,
            _ => data.largest_io,
        }
    }

    fn start(&mut self, sink: &mut impl IoSink) {
        sink.wake(CYCLE, self.spec.cycle);
        self.set_journal_alarm(0, sink);
    }

    fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        match slot {
            CYCLE if self.phase == Phase::Listing => self.list_formed(now, sink),
            CYCLE => self.begin_cycle(now, sink),
            JOURNAL.. => self.try_again(now, slot, sink),
            _ => {
                self.update(now, sink);
                self.frozen |= self.journal.overdue().is_some_and(|at| at <= now);
                self.write_journal(now, sink);
                self.set_journal_alarm(now, sink);
            }
        }
    }

    fn completed(&mut self, now: Nanos, slot: Slot, outcome: Outcome, sink: &mut impl IoSink) {
        if outcome == Outcome::Failed {
            return self.failed(now, slot, sink);
        }
        match slot {
            JOURNAL => self.journal_written(now, sink),
            CONTROL => self.control_done(now, sink),
            _ if slot < WIJ + self.spec.wij_outstanding => self.wij_written(now, slot, sink),
            _ => self.database_written(now, slot, sink),
        }
    }
}

impl RanWrite {
    fn issue(&mut self, now: Nanos, slot: Slot, request: Request, sink: &mut impl IoSink) {
        self.requests[slot as usize] = Some(request);
        sink.io(slot, now, request);
    }

    /// An IO failed: it is tried again, and what waits for it waits on. Without its journal no
    /// update is made.
    fn failed(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        if slot == JOURNAL {
            self.update(now, sink);
            self.frozen = true;
        }
        sink.wake(slot, now + RETRY);
    }

    fn try_again(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        if let Some(request) = self.requests[slot as usize] {
            sink.io(slot, now, request);
        }
    }

    /// Makes the updates up to `now`. Where they dirty too many blocks, the
    /// next cycle starts early.
    fn update(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if self.frozen {
            self.pace.hold_until(now);
        }
        let blocks = self.spec.data.size / self.spec.block;
        let updates = self.pace.until(now);
        for _ in 0..updates {
            self.dirty.insert(self.places.below(blocks));
        }
        self.journal.add(updates);
        self.begin_early(now, sink);
    }

    /// Begins a cycle if too many blocks are dirty.
    fn begin_early(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if self.phase == Phase::Idle && self.dirty.count() >= self.spec.dirty_limit {
            self.begin_cycle(now, sink);
        }
    }

    fn begin_cycle(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if self.phase != Phase::Idle {
            return;
        }
        // From here on, so that the updates below cannot begin another.
        self.phase = Phase::Listing;
        self.update(now, sink);
        core::mem::swap(&mut self.dirty, &mut self.taken);
        let blocks = self.taken.count();
        self.cycle = Cycle {
            start: now,
            blocks,
            ..Cycle::default()
        };
        let listed = now + blocks * self.spec.list_time_per_block;
        self.pace.hold_until(listed);
        sink.wake(CYCLE, listed);
    }

    fn list_formed(&mut self, now: Nanos, sink: &mut impl IoSink) {
        self.cycle.listed = now;
        self.cycle.wij_bytes = self.cycle.blocks * self.spec.block;
        self.wij.rewind();
        self.phase = Phase::WritingWij {
            left: self.cycle.wij_bytes,
            in_flight: 0,
        };
        for slot in 0..self.spec.wij_outstanding {
            self.write_wij(now, WIJ + slot, sink);
        }
        self.after_wij_write(now, sink);
    }

    fn write_wij(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        if let Phase::WritingWij { left, in_flight } = &mut self.phase
            && *left > 0
        {
            let len = self.spec.wij_write.min(*left);
            *left -= len;
            *in_flight += 1;
            let request = self.wij.write(len);
            self.issue(now, slot, request, sink);
        }
    }

    fn wij_written(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        if let Phase::WritingWij { in_flight, .. } = &mut self.phase {
            *in_flight -= 1;
        }
        self.write_wij(now, slot, sink);
        self.after_wij_write(now, sink);
    }

    fn after_wij_write(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if self.phase
            == (Phase::WritingWij {
                left: 0,
                in_flight: 0,
            })
        {
            self.phase = Phase::FlushingWij;
            self.issue(now, CONTROL, self.wij.flush(), sink);
        }
    }

    fn control_done(&mut self, now: Nanos, sink: &mut impl IoSink) {
        match self.phase {
            Phase::FlushingWij => {
                self.cycle.wij_done = now;
                self.phase = Phase::WritingJournal;
                self.update(now, sink);
                self.journal.want();
                self.sync_journal(now, sink);
            }
            Phase::FlushingJournal => {
                self.cycle.journal_done = now;
                self.phase = Phase::WritingDatabase;
                self.daemons.deal(&self.taken);
                self.write_database(now, sink);
            }
            Phase::FlushingDatabase => {
                self.cycle.database_done = now;
                self.phase = Phase::ClearingWij;
                self.wij.rewind();
                let request = self.wij.write(self.spec.block);
                self.issue(now, CONTROL, request, sink);
            }
            Phase::ClearingWij => self.end_cycle(now, sink),
            _ => {}
        }
    }

    fn end_cycle(&mut self, now: Nanos, sink: &mut impl IoSink) {
        self.cycle.end = now;
        sink.fact(Fact::Cycle(self.cycle));
        self.phase = Phase::Idle;
        // A cycle that overran is followed by the next at once.
        sink.wake(CYCLE, now.max(self.cycle.start + self.spec.cycle));
        self.update(now, sink);
    }

    /// Writes the database with every slot that is free.
    fn write_database(&mut self, now: Nanos, sink: &mut impl IoSink) {
        let first = WIJ + self.spec.wij_outstanding;
        let (cycle, requests) = (&mut self.cycle, &mut self.requests);
        self.daemons.fill(&mut self.taken, &mut |slot, request| {
            cycle.count(request);
            requests[(first + slot) as usize] = Some(request);
            sink.io(first + slot, now, request);
        });
        self.after_database_write(now, sink);
    }

    fn database_written(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let first = WIJ + self.spec.wij_outstanding;
        if let Some(request) = self.daemons.completed(slot - first, &mut self.taken) {
            self.cycle.count(request);
            self.issue(now, slot, request, sink);
        }
        self.after_database_write(now, sink);
    }

    fn after_database_write(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if self.taken.count() == 0 && self.daemons.idle() {
            self.phase = Phase::FlushingDatabase;
            let (device, job) = (self.spec.data.device, self.job);
            let request = Request {
                device,
                op: Op::Flush,
                offset: 0,
                len: 0,
                requester: job.into(),
                submitter: MASTER,
            };
            self.issue(now, CONTROL, request, sink);
        }
    }

    fn set_journal_alarm(&mut self, now: Nanos, sink: &mut impl IoSink) {
        let full = self.pace.when(self.journal.room().max(1));
        let mut at = full.min(self.journal.deadline());
        if at <= now {
            // Nothing to write, or a write is under way: look again in a while.
            at = now + self.spec.journal_interval;
        }
        let overdue = self.journal.overdue().filter(|&overdue| overdue > now);
        at = overdue.map_or(at, |overdue| overdue.min(at));
        sink.wake(JOURNAL_ALARM, at);
    }

    fn write_journal(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if let Some(request) = self.journal.due(now) {
            self.issue(now, JOURNAL, request, sink);
        }
    }

    fn journal_written(&mut self, now: Nanos, sink: &mut impl IoSink) {
        self.journal.written();
        if core::mem::take(&mut self.frozen) {
            self.pace.hold_until(now);
        }
        if self.phase == Phase::WritingJournal {
            self.sync_journal(now, sink);
        } else {
            self.write_journal(now, sink);
        }
    }

    /// Writes out the journal for the cycle, and flushes it once all is written that there was
    /// when the cycle reached it.
    fn sync_journal(&mut self, now: Nanos, sink: &mut impl IoSink) {
        self.write_journal(now, sink);
        if self.journal.is_written() {
            self.phase = Phase::FlushingJournal;
            self.issue(now, CONTROL, self.journal.flush(), sink);
        }
    }
}

impl Cycle {
    fn count(&mut self, request: Request) {
        self.database_ios += 1;
        self.database_bytes += request.len;
    }
}
