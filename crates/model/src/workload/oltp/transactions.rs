//! How a thread takes a transaction from its begin to its commit.

use super::log::Log;
use super::processors::Granted;
use super::slots::{self, BINLOG, LOAD, LOG};
use super::spec::{PageUse, TransactionSpec};
use super::threads::Phase;
use super::{Load, Oltp, Service};
use crate::random::EXPONENTIAL_SHIFT;
use crate::request::{Op, Request};
use crate::spec::Shipped;
use crate::units::Nanos;
use crate::workload::facts::{Fact, Transaction};
use crate::workload::io::{IoSink, Slot};

impl Oltp {
    /// The next load step begins, or transactions come due.
    pub(super) fn load_goes_on(&mut self, now: Nanos, sink: &mut impl IoSink) {
        let Load::Closed { steps, .. } = &mut self.load else {
            return self.take_due(now, sink);
        };
        steps.begin_next(LOAD, sink);
        self.idle_begin(now, sink);
    }

    /// Threads that the load step has and that are idle begin.
    pub(super) fn idle_begin(&mut self, now: Nanos, sink: &mut impl IoSink) {
        let Load::Closed { steps, .. } = &self.load else {
            return;
        };
        for thread in 0..steps.active() {
            if self.thread(thread).phase == Phase::Idle {
                self.begins(now, now, thread, sink);
            }
        }
    }

    /// A thread that is free begins its next transaction, unless the load step has fewer threads.
    pub(super) fn begins_next(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        match &self.load {
            Load::Closed { steps, .. } if thread >= steps.active() => {
                self.thread(thread).enter(now, Phase::Idle);
            }
            _ => self.begins(now, now, thread, sink),
        }
    }

    /// Begins what is due while threads are free.
    pub(super) fn take_due(&mut self, now: Nanos, sink: &mut impl IoSink) {
        let refuses = self.service != Service::Serves;
        while let Load::Open {
            schedule,
            free,
            waiting,
            ..
        } = &mut self.load
            && let Some(due) = schedule.next()
        {
            if due > now {
                return sink.wake(LOAD, due);
            }
            let Some(&thread) = free.front() else {
                return;
            };
            schedule.advance();
            *waiting = waiting.wrapping_sub(1);
            if refuses {
                sink.fact(Fact::Refused(now, 1));
                continue;
            }
            free.pop_front();
            self.begins(now, due, thread, sink);
        }
    }

    pub(super) fn begins(&mut self, now: Nanos, due: Nanos, thread: Slot, sink: &mut impl IoSink) {
        if self.service != Service::Serves {
            return self.is_refused(now, thread, sink);
        }
        let mut drawn = self.kinds.below(self.weights);
        let is_it = |kind: &TransactionSpec| {
            let weight = u64::from(kind.weight);
            let found = drawn < weight;
            drawn = drawn.wrapping_sub(weight);
            found
        };
        let kind = self.spec.kinds.iter().position(is_it).unwrap_or(0);
        self.begins_with(now, due, kind, thread, sink);
    }

    /// Begins a transaction of this kind, or a write set of one, that was due then.
    pub(super) fn begins_with(
        &mut self,
        now: Nanos,
        due: Nanos,
        kind: usize,
        thread: Slot,
        sink: &mut impl IoSink,
    ) {
        self.thread(thread).begin(now, due, kind as u16);
        if self.spec.kinds[kind].changes > 0 && self.is_log_full() {
            self.thread(thread).enter(now, Phase::LogSpace);
            self.for_space.push(thread);
            return;
        }
        self.sample(kind);
        self.works(now, thread, 0, sink);
    }

    /// The part of a transaction's accesses that goes to the sample of the pool.
    pub(super) fn sample(&mut self, kind: usize) {
        let kind = &self.spec.kinds[kind];
        self.counts.accesses += u64::from(kind.accesses);
        self.unsampled += u64::from(kind.accesses);
        while self.unsampled >= self.pool.scale() {
            self.unsampled -= self.pool.scale();
            let (table, changes) = drawn(kind, self.pages.below(kind.accesses.into()) as u32);
            let change = changes.then_some(self.log.end());
            let access = self.pool.access(table, &mut self.pages, change);
            if access.first_change && self.spec.log.full_pages {
                self.log.append(self.spec.page * self.pool.scale());
            }
        }
    }

    /// Works on the pages that it has just `read`, and until the next that is not in the pool, or
    /// to its end.
    pub(super) fn works(&mut self, now: Nanos, thread: Slot, read: u32, sink: &mut impl IoSink) {
        let kind = usize::from(self.threads[thread as usize].kind);
        let hits = self.hits(kind);
        let of = &mut self.threads[thread as usize];
        let kind = &self.spec.kinds[kind];
        of.part = hits.saturating_add(read).min(kind.accesses - of.done);
        let time = of.work(kind);
        of.enter(now, Phase::Queued);
        if let Some(granted) = self.processors.ask(now, thread, time) {
            self.has_core(now, granted, sink);
        }
    }

    /// How many pages in a row are in the pool, of those that a kind accesses.
    fn hits(&mut self, kind: usize) -> u32 {
        let kind = &self.spec.kinds[kind];
        let missed = |of: &PageUse| self.pool.miss_share(of.table) * f64::from(of.accesses);
        let missed: f64 = kind.tables.iter().map(missed).sum();
        let missed = missed / f64::from(kind.accesses.max(1));
        if missed <= 0.0 {
            return u32::MAX;
        }
        let each = -libm::log1p(-missed) * (1_u64 << EXPONENTIAL_SHIFT) as f64;
        (self.places.exponential() as f64 / each) as u32
    }

    /// The processors of its host are so fast from now on, in 1/1000 of full speed; at 0 they do
    /// nothing.
    pub(crate) fn runs_at(&mut self, now: Nanos, speed: u32, sink: &mut impl IoSink) {
        let granted = self.processors.run_at(now, speed);
        let serves = !self.is_stopped();
        for granted in granted.into_iter().filter(|_| serves) {
            self.has_core(now, granted, sink);
        }
    }

    fn has_core(&mut self, now: Nanos, granted: Granted, sink: &mut impl IoSink) {
        let slot = self.slot(granted.slot);
        self.thread(granted.slot).has_core(now, granted.stood);
        sink.wake(slot, now + granted.time);
    }

    pub(super) fn has_worked(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        if let Some(granted) = self.processors.free(now) {
            self.has_core(now, granted, sink);
        }
        let of = &mut self.threads[thread as usize];
        of.done += core::mem::take(&mut of.part);
        let kind = &self.spec.kinds[usize::from(of.kind)];
        if of.done >= kind.accesses {
            return self.commits(now, thread, sink);
        }
        if self.pool.has_room() {
            return self.reads(now, thread, sink);
        }
        of.enter(now, Phase::Room);
        self.for_room.push(thread);
        self.clean(now, sink);
    }

    pub(super) fn reads(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        self.counts.reads += 1;
        self.thread(thread).enter(now, Phase::Reading);
        let request = self.of_page(Op::Read, slots::thread(thread));
        sink.io(self.slot(thread), now, request);
    }

    /// A request for some page.
    pub(super) fn of_page(&mut self, op: Op, submitter: u32) -> Request {
        let page = self.places.below(self.spec.pages());
        Request {
            device: self.spec.data.device,
            op,
            offset: self.spec.data.offset + page * self.spec.page,
            len: self.spec.page,
            requester: self.job.into(),
            submitter: self.submitters + submitter,
        }
    }

    fn commits(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        let kind = &self.spec.kinds[usize::from(self.threads[thread as usize].kind)];
        if kind.changes == 0 {
            return self.ends(now, thread, sink);
        }
        if !self.leads {
            return self.is_applied(now, thread, sink);
        }
        if let Some(unsent) = &mut self.unsent {
            unsent.push(thread);
            return self.thread(thread).enter(now, Phase::Certifying);
        }
        self.logs(now, thread, sink);
    }

    /// Takes a commit to the logs.
    pub(crate) fn logs(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        let of = &mut self.threads[thread as usize];
        let kind = &self.spec.kinds[usize::from(of.kind)];
        self.log.append(kind.log);
        if let Some(outbox) = &mut self.outbox
            && outbox.takes(Shipped::Wal)
        {
            of.commit = self.log.end();
            outbox.commits(of.commit, of.kind);
        }
        if self.spec.log.durable {
            self.log.wait(thread);
            self.thread(thread).enter(now, Phase::Log);
            return self.write_log(now, LOG, sink);
        }
        self.appends_to_binlog(thread);
        self.certifies(now, thread, sink);
    }

    /// The commit of a thread goes to the binary log, if there is one.
    fn appends_to_binlog(&mut self, thread: Slot) {
        let of = &mut self.threads[thread as usize];
        let Some(binlog) = &mut self.binlog else {
            return;
        };
        binlog.append(self.spec.kinds[usize::from(of.kind)].binlog);
        if let Some(outbox) = &mut self.outbox
            && outbox.takes(Shipped::Binlog)
        {
            of.commit = binlog.end();
            outbox.commits(of.commit, of.kind);
        }
    }

    /// Writes the log of a slot, if that is wanted.
    pub(super) fn write_log(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        if let Some(request) = self.log_of(slot).and_then(Log::next_write) {
            sink.io(slot, now, request);
        }
    }

    pub(super) fn log_was_written(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let mut go_on = core::mem::take(&mut self.go_on);
        if let Some(log) = self.log_of(slot) {
            log.written(&mut go_on);
        }
        self.write_log(now, slot, sink);
        for thread in go_on.drain(..) {
            self.is_logged(now, thread, sink);
        }
        self.go_on = go_on;
    }

    fn is_logged(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        if self.binlog.is_none() || self.thread(thread).phase != Phase::Log {
            return self.certifies(now, thread, sink);
        }
        self.appends_to_binlog(thread);
        self.binlog.iter_mut().for_each(|log| log.wait(thread));
        self.thread(thread).enter(now, Phase::Binlog);
        self.write_log(now, BINLOG, sink);
    }

    fn certifies(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        if let Some(outbox) = &mut self.outbox
            && outbox.has_to_wait(thread)
        {
            return self.thread(thread).enter(now, Phase::Certifying);
        }
        if self.spec.certification == 0 {
            return self.ends(now, thread, sink);
        }
        self.thread(thread).enter(now, Phase::Certifying);
        sink.wake(self.slot(thread), now + self.spec.certification);
    }

    pub(crate) fn ends(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        let of = self.thread(thread);
        of.enter(now, Phase::Idle);
        let (kind, due, waits) = (of.kind, of.due, of.waits);
        if !self.leads {
            self.applier.ended(thread, &waits);
            return self.applies(now, sink);
        }
        sink.fact(Fact::Transaction(Transaction {
            kind,
            due,
            end: now,
            waits,
        }));
        self.is_free(now, thread, sink);
    }

    /// A thread has ended its transaction, one way or the other.
    pub(super) fn is_free(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        match &mut self.load {
            Load::Closed { think: 0, .. } => self.begins_next(now, thread, sink),
            Load::Closed { steps, .. } if thread >= steps.active() => {}
            Load::Closed { think, pauses, .. } => {
                let pause = pauses.exponential_of(*think);
                self.thread(thread).enter(now, Phase::Thinking);
                sink.wake(self.slot(thread), now + pause);
            }
            Load::Open { free, .. } => {
                let was_full = free.is_empty();
                free.push_back(thread);
                if was_full {
                    self.take_due(now, sink);
                }
            }
            Load::Elsewhere => {}
        }
    }
}

/// The table of one of a kind's accesses, and whether that is a change.
fn drawn(kind: &TransactionSpec, mut access: u32) -> (u16, bool) {
    for of in &kind.tables {
        if access < of.accesses {
            return (of.table, access < of.changes);
        }
        access -= of.accesses;
    }
    (0, false)
}
