//! What becomes of an engine whose IO fails.

use alloc::vec::Vec;

use super::slots::{CLEANER, LOAD, OF_NODE};
use super::spec::OnError;
use super::threads::{Phase, Thread};
use super::{Load, Oltp, Service};
use crate::event_queue::NEVER;
use crate::units::{Bytes, Nanos, SECOND};
use crate::workload::facts::{EngineIo, EngineStop, Fact};
use crate::workload::io::{IoSink, Slot};

/// How long after it was refused a client of a closed loop tries again: an assumption.
const RETRY: Nanos = SECOND;

impl Oltp {
    pub(crate) fn is_stopped(&self) -> bool {
        self.service == Service::Stopped
    }

    /// Its group has no quorum, or has it again.
    pub(crate) fn refuses(&mut self, refuses: bool) {
        self.service = match (self.service, refuses) {
            (Service::Stopped, _) => Service::Stopped,
            (_, true) => Service::Refuses,
            (_, false) => Service::Serves,
        };
    }

    /// A thread of a closed loop is refused its transaction, and tries again.
    pub(super) fn is_refused(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        sink.fact(Fact::Refused(now, 1));
        self.thread(thread).enter(now, Phase::Thinking);
        sink.wake(self.slot(thread), now + RETRY);
    }

    /// The commit of a thread fails: its group does not certify it any more.
    pub(crate) fn fails_to_commit(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        self.thread(thread).enter(now, Phase::Idle);
        sink.fact(Fact::Failed(now, 1));
        self.is_free(now, thread, sink);
    }

    /// The IO on `slot` failed: it ends the transaction or the engine, as the product has it.
    #[cold]
    pub(super) fn io_failed(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        if self.is_stopped() {
            return self.ended_late(now, slot, sink);
        }
        let purpose = match slot {
            _ if slot < CLEANER || slot == self.relay_slot() => EngineIo::Log,
            _ if slot < self.first_thread() => EngineIo::PageWrite,
            _ => EngineIo::PageRead,
        };
        // A change of another node cannot be rolled back here alone.
        match (purpose, self.spec.on_error) {
            (EngineIo::PageRead, OnError::Abort) if self.leads => {
                self.rolls_back(now, slot - self.first_thread(), sink);
            }
            _ => {
                self.stops(now, Some(purpose), sink);
                self.late -= 1;
            }
        }
    }

    /// The transaction of a thread is rolled back. The thread goes on with its next, as a load
    /// generator does.
    fn rolls_back(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        let of = &self.threads[thread as usize];
        let accesses = self.spec.kinds[usize::from(of.kind)].accesses;
        // What it did not come to was not accessed.
        self.counts.accesses -= u64::from(accesses - of.done);
        self.counts.reads -= 1;
        self.thread(thread).enter(now, Phase::Idle);
        sink.fact(Fact::Failed(now, 1));
        self.is_free(now, thread, sink);
    }

    /// The engine stops, as an IO failed or, with none, with its host. What its threads were doing
    /// fails, and what was being written is not counted.
    pub(crate) fn stops(&mut self, now: Nanos, failed: Option<EngineIo>, sink: &mut impl IoSink) {
        sink.fact(Fact::Stopped(EngineStop {
            at: now,
            node: (self.submitters / OF_NODE) as u16,
            failed,
        }));
        self.ceases(now, sink);
    }

    /// The engine does nothing more.
    pub(crate) fn ceases(&mut self, now: Nanos, sink: &mut impl IoSink) {
        self.service = Service::Stopped;
        self.late = self.in_flight();
        self.given_up = self.uncommitted();
        let in_phase =
            |wanted: fn(Phase) -> bool| self.threads.iter().filter(|it| wanted(it.phase)).count();
        let reading = in_phase(|phase| phase == Phase::Reading) as u64;
        let under_way = self.under_way();
        let (doubling, writing) = self.cleaner.in_flight();
        self.counts.reads -= reading;
        self.counts.flushed -= writing;
        self.counts.doublewritten -= doubling * self.spec.page;
        if under_way > 0 && self.leads {
            sink.fact(Fact::Failed(now, under_way));
        }
        for thread in 0..self.threads.len() as Slot {
            let phase = self.threads[thread as usize].phase;
            if matches!(phase, Phase::Working | Phase::Certifying) {
                sink.wake(self.slot(thread), NEVER);
            }
        }
        self.clients_are_refused(now, sink);
    }

    /// Where commits end in the log that no client was told of, and of what kinds these are.
    pub(super) fn uncommitted(&self) -> Vec<(Bytes, u16)> {
        let waits = |it: &&Thread| {
            matches!(it.phase, Phase::Log | Phase::Binlog | Phase::Certifying) && self.leads
        };
        let waiting = self.threads.iter().filter(waits);
        waiting.map(|it| (it.commit, it.kind)).collect()
    }

    /// IOs in flight.
    fn in_flight(&self) -> u32 {
        let reading = self.threads.iter().filter(|it| it.phase == Phase::Reading);
        let logs = [
            Some(&self.log),
            self.binlog.as_ref(),
            self.relay_log.as_ref(),
        ];
        let logs = logs.into_iter().flatten().filter(|it| it.is_writing());
        reading.count() as u32 + logs.count() as u32 + self.cleaner.ios()
    }

    /// Threads that are at work.
    pub(super) fn under_way(&self) -> u64 {
        let idle = |it: &&Thread| matches!(it.phase, Phase::Idle | Phase::Thinking);
        self.threads.iter().filter(|it| !idle(it)).count() as u64
    }

    /// Clients of an engine that has stopped try again, if that may help.
    fn clients_are_refused(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if !self.clients_stay {
            return;
        }
        if let Load::Open { free, .. } = &mut self.load {
            *free = (0..self.threads.len() as Slot).collect();
            return self.take_due(now, sink);
        }
        for thread in 0..self.threads.len() as Slot {
            // One that reads has its slot until that ends.
            if self.threads[thread as usize].phase != Phase::Reading {
                self.turned_away(now, thread, sink);
            }
        }
    }

    /// A thread of a closed loop tries again, if its load step has it.
    fn turned_away(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        let Load::Closed { steps, .. } = &self.load else {
            return;
        };
        let is_active = thread < steps.active();
        let phase = if is_active {
            Phase::Thinking
        } else {
            Phase::Idle
        };
        self.thread(thread).enter(now, phase);
        if is_active {
            sink.wake(self.slot(thread), now + RETRY);
        }
    }

    /// An IO ended after its engine had stopped.
    pub(super) fn ended_late(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        if let Some(thread) = self.thread_of(slot).filter(|_| self.clients_stay) {
            self.turned_away(now, thread, sink);
        }
        self.late = self.late.saturating_sub(1);
        self.may_start(now, sink);
    }

    /// An alarm of an engine that has stopped: a client tries again, in vain.
    pub(super) fn client_tries_again(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        match slot {
            _ if !self.clients_stay => {}
            LOAD => self.load_goes_on(now, sink),
            _ if slot < self.first_thread() => {}
            _ => {
                let thread = slot - self.first_thread();
                if self.threads[thread as usize].phase == Phase::Thinking {
                    self.begins_next(now, thread, sink);
                }
            }
        }
    }
}
