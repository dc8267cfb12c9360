//! An engine is started again after its host was lost.

use alloc::vec::Vec;

use super::cleaner::Cleaner;
use super::log::Log;
use super::outbox::Outbox;
use super::pool::{Mix, Pool};
use super::spec::Start;
use super::threads::{Phase, Thread};
use super::{Oltp, Service};
use crate::units::Nanos;
use crate::workload::facts::{Fact, MembershipChange, MembershipEvent};
use crate::workload::io::IoSink;

impl Oltp {
    /// Starts again with what was on its disks: nothing is in its pool, and what it had not
    /// committed is gone. Gives the kinds of the write sets that it had received of that. It must
    /// have no IO in flight. What its recovery reads and writes is left out.
    pub(crate) fn starts_again(&mut self) -> Vec<u16> {
        let kinds = self.threads.iter().map(|thread| thread.kind).collect();
        let lost = self.applier.start_again(kinds);
        // Clients that pause to ask again still do.
        let at_work = |it: &&mut Thread| !self.leads || it.phase != Phase::Thinking;
        let threads = self.threads.iter_mut().filter(at_work);
        threads.for_each(|it| *it = Thread::IDLE);
        self.processors = self.processors.anew(self.spec.cores);
        let sizes = (self.spec.pages(), self.spec.pool, self.spec.flushing.depth);
        let mix = Mix::of(&self.spec.kinds, self.spec.tables.len());
        let tables = (&self.spec.tables[..], &mix);
        self.pool = Pool::new(sizes, Start::Cold, tables, &mut self.pages);
        self.cleaner = Cleaner::new(&self.spec);
        self.log.start_again();
        let others = self.binlog.iter_mut().chain(&mut self.relay_log);
        others.for_each(Log::start_again);
        self.for_room.clear();
        self.for_space.clear();
        self.unsent.iter_mut().for_each(Vec::clear);
        self.given_up.clear();
        let shipped = self.outbox.as_ref().map(Outbox::log);
        let end = shipped.map_or(0, |log| self.on_disk(log));
        if let Some(outbox) = &mut self.outbox {
            outbox.start_again(end);
        }
        self.service = Service::Serves;
        (self.late, self.starts) = (0, false);
        lost
    }

    /// The processors of a host run at a speed, in 1/1000: its own, or one that it may move to.
    pub(crate) fn host_runs_at(
        &mut self,
        now: Nanos,
        (host, speed): (usize, u32),
        sink: &mut impl IoSink,
    ) {
        self.slow_hosts.retain(|it| it.0 != host);
        self.slow_hosts.push((host, speed));
        if host == self.spec.host {
            self.runs_at(now, speed, sink);
        }
    }

    /// It is gone with its host.
    pub(crate) fn is_gone(&mut self, now: Nanos, sink: &mut impl IoSink) {
        self.starts = false;
        if !self.is_stopped() {
            self.stops(now, None, sink);
        }
    }

    /// What it moves with is gone with its host, or serves on a host, where it is started.
    pub(crate) fn moves(&mut self, now: Nanos, on: Option<usize>, sink: &mut impl IoSink) {
        self.is_gone(now, sink);
        let Some(host) = on else { return };
        let speed = self.slow_hosts.iter().find(|it| it.0 == host);
        self.runs_at(now, speed.map_or(1000, |it| it.1), sink);
        self.spec.host = host;
        self.starts = true;
        self.may_start(now, sink);
    }

    /// It is started once nothing is left of what it had in flight.
    pub(super) fn may_start(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if !self.starts || self.late > 0 {
            return;
        }
        self.starts_again();
        let what = MembershipEvent::Serves(0, 0);
        sink.fact(Fact::Membership(MembershipChange { at: now, what }));
        self.load_is_back(now, sink);
    }
}
