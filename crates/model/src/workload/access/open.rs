//! The open loop: IOs come due by the clock, whatever the outcome of earlier ones.

use alloc::format;
use alloc::vec::Vec;

use super::places::Places;
use crate::random::Stream;
use crate::units::{Bytes, Nanos};
use crate::workload::arrivals::Schedule;
use crate::workload::io::{Backlog, IoSink, Slot};
use crate::workload::spec::{AccessSpec, Arrivals};

/// An open-loop access job. The last slot is the alarm of its next arrival.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    places: Places,
    /// The arrivals to come. Due times are not stored: what waits for a free
    /// slot is still in the schedule, and is drawn when a slot is free.
    schedule: Schedule,
    free: Vec<Slot>,
    slots: u32,
    latency_limit: Option<Nanos>,
    skipped: u64,
}

impl Open {
    pub(super) fn new(
        spec: &AccessSpec,
        steps: &[(Nanos, u64)],
        arrivals: Arrivals,
        (max_outstanding, latency_limit): (u32, Option<Nanos>),
        job: u16,
        seed: u64,
    ) -> Self {
        let stream = |what| Stream::new(seed, &format!("job/{job}/{what}"));
        Self {
            places: Places::new(spec, (job, seed), stream("process/0"), 0, 1),
            schedule: Schedule::new(steps, arrivals, stream("arrivals")),
            free: (0..max_outstanding).rev().collect(),
            slots: max_outstanding + 1,
            latency_limit,
            skipped: 0,
        }
    }

    pub(super) fn slots(&self) -> u32 {
        self.slots
    }

    pub(super) fn block(&self) -> Bytes {
        self.places.block()
    }

    #[inline]
    pub(super) fn completed(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let was_full = self.free.is_empty();
        self.free.push(slot);
        // With a slot free all along, the alarm is set already.
        if was_full {
            self.pump(now, sink);
        }
    }

    /// Issues what is due while slots are free.
    pub(super) fn pump(&mut self, now: Nanos, sink: &mut impl IoSink) {
        while let Some(due) = self.schedule.next() {
            if due > now {
                sink.wake(self.slots - 1, due);
                return;
            }
            if self.latency_limit.is_some_and(|limit| now - due > limit) {
                self.skipped += 1;
                self.schedule.advance();
                continue;
            }
            let Some(slot) = self.free.pop() else { return };
            self.schedule.advance();
            sink.io(slot, due, self.places.draw());
        }
    }

    pub(super) fn backlog(&self, now: Nanos) -> Backlog {
        let mut rest = self.schedule.clone();
        let mut waiting = 0;
        while rest.next().is_some_and(|due| due <= now) {
            waiting += 1;
            rest.advance();
        }
        Backlog {
            waiting,
            skipped: self.skipped,
        }
    }
}
