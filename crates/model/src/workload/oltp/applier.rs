//! The receive queue of a node, and the threads that apply what is in it.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::units::Nanos;
use crate::workload::facts::Waits;
use crate::workload::io::{IoSink, Slot};
use crate::workload::oltp::Oltp;

/// Write sets that a node has received: they are applied by several threads at once, and
/// committed in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct Applier {
    /// When each came, and of what kind its transaction is.
    queue: VecDeque<(Nanos, u16)>,
    idle: VecDeque<Slot>,
    threads: Slot,
    /// The threads at work in the order of their write sets, and whether these are applied.
    order: VecDeque<(Slot, bool)>,
    /// Nothing is begun with meanwhile.
    paused: bool,
    received: u64,
    applied: u64,
    /// Most in the queue since it was asked last.
    longest: u64,
    waits: Waits,
}

/// How far a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) received: u64,
    pub(crate) queued: u64,
    pub(crate) applied: u64,
    pub(crate) waits: Waits,
}

impl Applier {
    pub(crate) fn new(threads: Slot) -> Self {
        Self {
            queue: VecDeque::new(),
            idle: (0..threads).collect(),
            threads,
            order: VecDeque::new(),
            paused: false,
            received: 0,
            applied: 0,
            longest: 0,
            waits: Waits::NONE,
        }
    }

    /// All threads are idle and the queue is empty. Gives the kinds of what was received and is
    /// not applied, of `kinds` that threads were at work on.
    pub(crate) fn start_again(&mut self, kinds: Vec<u16>) -> Vec<u16> {
        let idle = core::mem::take(&mut self.idle);
        self.order.clear();
        self.paused = false;
        self.idle = (0..self.threads).collect();
        let at_work = (0..self.threads)
            .zip(kinds)
            .filter(|(thread, _)| !idle.contains(thread));
        let queued = self.queue.drain(..).map(|it| it.1);
        let lost: Vec<_> = at_work.map(|it| it.1).chain(queued).collect();
        self.received -= lost.len() as u64;
        lost
    }

    fn receive(&mut self, now: Nanos, kind: u16) {
        self.received += 1;
        self.queue.push_back((now, kind));
        // What a thread is idle for does not stay.
        let stays = self.queue.len().saturating_sub(self.idle.len());
        self.longest = self.longest.max(stays as u64);
    }

    /// The next write set, with the thread that takes it.
    fn take(&mut self) -> Option<(Slot, (Nanos, u16))> {
        let next = *self.queue.front().filter(|_| !self.paused)?;
        let thread = self.idle.pop_front()?;
        self.queue.pop_front();
        self.order.push_back((thread, false));
        Some((thread, next))
    }

    /// The first of its queue it has not to apply: so many of them at most. Gives how many.
    fn skip(&mut self, count: u64) -> u64 {
        let count = self
            .queue
            .len()
            .min(usize::try_from(count).unwrap_or(usize::MAX));
        self.queue.drain(..count);
        self.received -= count as u64;
        count as u64
    }

    fn is_applied(&mut self, thread: Slot) {
        // A thread stands in the order as long as it is at work.
        if let Some(own) = self.order.iter_mut().find(|own| own.0 == thread) {
            own.1 = true;
        }
    }

    /// The thread whose turn it is to commit.
    fn next_to_commit(&mut self) -> Option<Slot> {
        let &(thread, is_applied) = self.order.front()?;
        if !is_applied {
            return None;
        }
        self.order.pop_front();
        Some(thread)
    }

    /// A write set is committed.
    pub(crate) fn ended(&mut self, thread: Slot, waits: &Waits) {
        self.applied += 1;
        self.waits.add_all(waits);
        self.idle.push_back(thread);
    }
}

impl Oltp {
    /// A write set has come.
    pub(crate) fn receives(&mut self, now: Nanos, kind: u16, sink: &mut impl IoSink) {
        self.applier.receive(now, kind);
        self.applies(now, sink);
    }

    /// Begins with what has come while threads are idle.
    pub(crate) fn applies(&mut self, now: Nanos, sink: &mut impl IoSink) {
        while let Some((thread, (came, kind))) = self.applier.take() {
            self.begins_with(now, came, kind.into(), thread, sink);
        }
    }

    /// A thread has applied its write set: it commits once all before it do.
    pub(crate) fn is_applied(&mut self, now: Nanos, thread: Slot, sink: &mut impl IoSink) {
        self.thread(thread).enter(now, super::Phase::Certifying);
        self.applier.is_applied(thread);
        while let Some(thread) = self.applier.next_to_commit() {
            self.logs(now, thread, sink);
        }
    }

    /// Whether it only queues what it receives.
    pub(crate) fn pauses_applying(&mut self, pauses: bool) {
        self.applier.paused = pauses;
    }

    /// It has so many of the first in its queue by other ways. Gives how many there were.
    pub(crate) fn has_of_queue(&mut self, count: u64) -> u64 {
        self.applier.skip(count)
    }

    /// The kinds of what is in its queue.
    pub(crate) fn queued(&self) -> impl Iterator<Item = u16> {
        self.applier.queue.iter().map(|it| it.1)
    }

    /// How far it is with what it has received.
    pub(crate) fn progress(&self) -> Progress {
        let applier = &self.applier;
        Progress {
            received: applier.received,
            queued: applier.queue.len() as u64,
            applied: applier.applied,
            waits: applier.waits,
        }
    }

    /// Most write sets in its receive queue since the last call.
    pub(crate) fn take_longest(&mut self) -> u64 {
        let queued = self.applier.queue.len() as u64;
        core::mem::replace(&mut self.applier.longest, queued)
    }
}
