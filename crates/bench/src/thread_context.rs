//! What surrounds the jobs of a thread: where their IO goes and who counts it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::time::Duration;

use blockyard_model::network::Processors;
use blockyard_model::replication::NetworkSink;
use blockyard_model::storage::{Op, Request};
use blockyard_model::units::Nanos;
use blockyard_model::workload::{Fact, IoSink, Outcome, Slot};
use blockyard_record::{Histogram, InFlight, IoLog, ThreadCounters};
use blockyard_sys::{Done, Io};

use crate::engine::Running;
use crate::payload::Payload;
use crate::verify::Verifier;

/// The engine, the alarms and the counters of a thread.
#[derive(Debug)]
pub(crate) struct ThreadContext {
    pub(crate) engine: Running,
    pub(crate) counters: ThreadCounters,
    pub(crate) verifier: Option<Verifier>,
    pub(crate) io_log: Option<IoLog>,
    /// What jobs reported of themselves in the running interval, each with the
    /// job's number in the run.
    pub(crate) facts: Vec<(u16, Fact)>,
    /// Per device: its file in the engine, or none for `null:`.
    files: Vec<Option<u32>>,
    /// All slots of all jobs; the engine's have the same numbers.
    slots: Vec<SlotState>,
    alarms: BinaryHeap<Reverse<(Nanos, u32)>>,
    /// How late alarms went off.
    pub(crate) lateness: Histogram,
    /// Slots whose IO went to `null:` and is done.
    nulls: Vec<u32>,
    payload: Payload,
    /// The first IO that failed.
    failure: Option<Failure>,
}

/// A slot of a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotState {
    /// Index of the job among the thread's.
    pub(crate) job: usize,
    /// Its number within the job.
    pub(crate) slot: Slot,
    /// When its alarm goes off; an older alarm on it no longer counts.
    alarm: Nanos,
    io: Option<(Request, InFlight)>,
}

/// A job that issues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Issuer {
    /// Its number in the run.
    pub(crate) number: u16,
    /// The number, among all of the thread, of its slot 0; its others follow.
    pub(crate) first_slot: u32,
}

/// An IO that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The IO; none if the kernel refused a whole submission.
    pub(crate) request: Option<Request>,
    pub(crate) error: io::Error,
}

impl SlotState {
    pub(crate) fn new(job: usize, slot: Slot) -> Self {
        Self {
            job,
            slot,
            alarm: Nanos::MAX,
            io: None,
        }
    }
}

impl ThreadContext {
    pub(crate) fn new(
        engine: Running,
        counters: ThreadCounters,
        files: Vec<Option<u32>>,
        slots: Vec<SlotState>,
        verifier: Option<Verifier>,
    ) -> Self {
        Self {
            engine,
            counters,
            verifier,
            io_log: None,
            facts: Vec::new(),
            files,
            slots,
            alarms: BinaryHeap::new(),
            lateness: Histogram::default(),
            nulls: Vec::new(),
            payload: Payload::new(),
            failure: None,
        }
    }

    /// Where `issuer` issues at `now`.
    #[inline]
    pub(crate) fn io_context(&mut self, now: Nanos, issuer: Issuer) -> IoContext<'_> {
        IoContext {
            thread: self,
            now,
            issuer,
        }
    }

    /// The next alarm that is due at `now`.
    #[inline]
    pub(crate) fn due_alarm(&mut self, now: Nanos) -> Option<SlotState> {
        loop {
            let &Reverse((at, slot)) = self.alarms.peek()?;
            if at > now {
                return None;
            }
            self.alarms.pop();
            let slot = &mut self.slots[slot as usize];
            if slot.alarm == at {
                slot.alarm = Nanos::MAX;
                self.lateness.record(now - at);
                return Some(*slot);
            }
        }
    }

    /// When the next alarm goes off.
    #[inline]
    pub(crate) fn next_alarm(&self) -> Nanos {
        self.alarms
            .peek()
            .map_or(Nanos::MAX, |&Reverse((at, _))| at)
    }

    /// Moves the IOs on `null:` to what is done.
    #[inline]
    pub(crate) fn reap_nulls(&mut self, done: &mut Vec<Done>) {
        let slots = &self.slots;
        done.extend(self.nulls.drain(..).map(|slot| {
            Done {
                slot,
                result: Ok(slots[slot as usize]
                    .io
                    .map_or(0, |(request, _)| request.len as u32)),
            }
        }));
    }

    /// Whether an IO on `null:` is done.
    #[inline]
    pub(crate) fn has_nulls(&self) -> bool {
        !self.nulls.is_empty()
    }

    /// Counts an IO that completed by `now`; gives its slot, and how it ended.
    #[inline]
    pub(crate) fn completed(&mut self, now: Nanos, done: Done) -> (SlotState, Outcome) {
        let mut outcome = Outcome::Done;
        let slot = &mut self.slots[done.slot as usize];
        let of = *slot;
        if let Some((request, mut io)) = slot.io.take() {
            let error = failure(done.result, &request);
            io.failed = error.is_some();
            outcome = Outcome::of(io.failed);
            self.counters.end(now, &io);
            if let Some(log) = &mut self.io_log {
                log.completed(now, request.requester, of.slot, io.failed);
            }
            if let Some(verifier) = &mut self.verifier
                && !io.failed
            {
                verifier.completed(done.slot, &request, self.engine.buffer(done.slot));
            }
            if let (Some(error), None) = (error, &self.failure) {
                self.failure = Some(Failure {
                    request: Some(request),
                    error,
                });
            }
        }
        (of, outcome)
    }

    /// An IO completed after the run's end. Not counted, but a bad block is a
    /// bad block.
    pub(crate) fn drained(&mut self, done: Done) {
        if let (Some((request, _)), Some(verifier)) =
            (self.slots[done.slot as usize].io.take(), &mut self.verifier)
            && failure(done.result, &request).is_none()
        {
            verifier.completed(done.slot, &request, self.engine.buffer(done.slot));
        }
    }

    /// Submits what was issued.
    pub(crate) fn submit(&mut self) {
        if self.engine.in_flight() > 0 {
            self.submit_and_wait(Duration::ZERO);
        }
    }

    /// Submits what was issued; then waits for a completion, but no longer
    /// than `most`.
    #[inline]
    pub(crate) fn submit_and_wait(&mut self, most: Duration) {
        if let Err(error) = self.engine.submit_and_wait(most) {
            self.failure.get_or_insert(Failure {
                request: None,
                error,
            });
        }
    }

    /// Whether an IO has failed.
    #[inline]
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The IO that failed first.
    pub(crate) fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    fn start(&mut self, slot: u32, request: Request) -> io::Result<()> {
        let Some(file) = self.files[request.device] else {
            self.nulls.push(slot);
            return Ok(());
        };
        let op = match request.op {
            Op::Read => blockyard_sys::Op::Read,
            Op::Write => blockyard_sys::Op::Write,
            Op::Flush => blockyard_sys::Op::Flush,
            Op::Trim | Op::Zero | Op::Journal => return Err(io::ErrorKind::Unsupported.into()),
        };
        if let Some(verifier) = &mut self.verifier {
            verifier.issued(slot, &request, self.engine.buffer(slot));
        } else if request.op == Op::Write {
            let buffer = self.engine.buffer(slot);
            self.payload
                .freshen(&mut buffer[..request.len as usize], request.offset);
        }
        self.engine.push(Io {
            slot,
            file,
            op,
            offset: request.offset,
            len: request.len as u32,
        })
    }
}

/// How an IO failed, if it did.
#[inline]
fn failure(result: io::Result<u32>, request: &Request) -> Option<io::Error> {
    match result {
        Ok(moved) if u64::from(moved) == request.len => None,
        Ok(moved) => Some(io::Error::other(format!("only {moved} bytes were moved"))),
        Err(error) => Some(error),
    }
}

/// Where a job's IO and alarms are entered at a moment.
pub(crate) struct IoContext<'a> {
    thread: &'a mut ThreadContext,
    now: Nanos,
    issuer: Issuer,
}

impl IoSink for IoContext<'_> {
    #[inline]
    fn io(&mut self, slot: Slot, due: Nanos, request: Request) {
        let (thread, now) = (&mut *self.thread, self.now);
        let index = self.issuer.first_slot + slot;
        let io = thread.counters.begin(now, due, &request);
        if let Some(log) = &mut thread.io_log {
            log.issued(now, due, slot, &request);
        }
        thread.slots[index as usize].io = Some((request, io));
        if let Err(error) = thread.start(index, request) {
            // It was not begun, so it completes at once, failed.
            let result = Err(error);
            thread.completed(
                now,
                Done {
                    slot: index,
                    result,
                },
            );
        }
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        let index = self.issuer.first_slot + slot;
        self.thread.slots[index as usize].alarm = at;
        self.thread.alarms.push(Reverse((at, index)));
    }

    fn fact(&mut self, fact: Fact) {
        self.thread.facts.push((self.issuer.number, fact));
    }
}

impl NetworkSink for IoContext<'_> {
    /// All is on one host: no message leaves it.
    fn over_network(&mut self, _act: impl FnOnce(&mut Processors)) {}
}
