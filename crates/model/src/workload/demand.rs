//! `demand`: what was measured, or is expected, of each interval comes due, whatever the outcome
//! of earlier IOs.

pub(super) mod spec;

use alloc::format;
use alloc::vec::Vec;

use self::spec::{DemandSpec, DemandStep, RATES_PER};
use super::arrivals::Schedule;
use super::io::{Backlog, IoSink, Outcome, Slot, StateMachine};
use crate::random::Stream;
use crate::request::{Op, Request};
use crate::spec::Region;
use crate::units::{Bytes, Nanos};

/// A demand job. The last slot is the alarm of its next arrival.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    file: Region,
    job: u16,
    steps: Vec<DemandStep>,
    /// The step of the IO that was drawn last.
    step: usize,
    /// The arrivals to come. What waits for a free slot is still in there, as in an open loop.
    reads: Schedule,
    writes: Schedule,
    free: Vec<Slot>,
    slots: u32,
    places: Stream,
}

impl Demand {
    pub(crate) fn new(spec: &DemandSpec, job: u16, seed: u64) -> Self {
        let stream = |what: &str| Stream::new(seed, &format!("job/{job}/{what}"));
        let schedule = |what, rate: fn(&DemandStep) -> u64| {
            let steps = spec.steps.iter().map(|step| (step.from, rate(step)));
            Schedule::per(RATES_PER, steps.collect(), spec.arrivals, stream(what))
        };
        Self {
            file: spec.file,
            job,
            steps: spec.steps.clone(),
            step: 0,
            reads: schedule("arrivals/read", |step| step.reads),
            writes: schedule("arrivals/write", |step| step.writes),
            free: (0..spec.max_outstanding).rev().collect(),
            slots: spec.max_outstanding + 1,
            places: stream("process/0"),
        }
    }

    /// When the next IO is due, and which it is.
    fn next(&self) -> Option<(Nanos, Op)> {
        let reads = self.reads.next().map(|due| (due, Op::Read));
        let writes = self.writes.next().map(|due| (due, Op::Write));
        [reads, writes].into_iter().flatten().min_by_key(|it| it.0)
    }

    /// Issues what is due while slots are free.
    fn pump(&mut self, now: Nanos, sink: &mut impl IoSink) {
        while let Some((due, op)) = self.next() {
            if due > now {
                sink.wake(self.slots - 1, due);
                return;
            }
            let Some(slot) = self.free.pop() else { return };
            advance(&mut self.reads, &mut self.writes, op);
            let request = self.request(due, op);
            sink.io(slot, due, request);
        }
    }

    fn request(&mut self, due: Nanos, op: Op) -> Request {
        while self
            .steps
            .get(self.step + 1)
            .is_some_and(|it| it.from < due)
        {
            self.step += 1;
        }
        let size = self.steps[self.step].size;
        let place = self.places.below(self.file.size / size);
        Request {
            device: self.file.device,
            op,
            offset: self.file.offset + place * size,
            len: size,
            requester: self.job.into(),
            submitter: 0,
        }
    }
}

fn advance(reads: &mut Schedule, writes: &mut Schedule, op: Op) {
    match op {
        Op::Read => reads.advance(),
        _ => writes.advance(),
    }
}

impl Demand {
    /// How far it is behind its schedule.
    pub(crate) fn backlog(&self, now: Nanos) -> Option<Backlog> {
        let mut waiting = 0;
        for schedule in [&self.reads, &self.writes] {
            let mut rest = schedule.clone();
            while rest.next().is_some_and(|due| due <= now) {
                waiting += 1;
                rest.advance();
            }
        }
        Some(Backlog {
            waiting,
            skipped: 0,
        })
    }
}

impl StateMachine for Demand {
    fn slots(&self) -> u32 {
        self.slots
    }

    fn largest_io(&self, slot: Slot) -> Bytes {
        if slot + 1 == self.slots {
            return 0;
        }
        self.steps.iter().map(|step| step.size).max().unwrap_or(0)
    }

    fn start(&mut self, sink: &mut impl IoSink) {
        self.pump(0, sink);
    }

    fn completed(&mut self, now: Nanos, slot: Slot, _outcome: Outcome, sink: &mut impl IoSink) {
        let was_full = self.free.is_empty();
        self.free.push(slot);
        // With a slot free all along, the alarm is set already.
        if was_full {
            self.pump(now, sink);
        }
    }

    fn woken(&mut self, now: Nanos, _slot: Slot, sink: &mut impl IoSink) {
        self.pump(now, sink);
    }
}
