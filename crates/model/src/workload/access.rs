//! `ranread` and `access_spec`: IOs of one size at random or sequential places.

mod closed;
mod open;
mod places;
mod read_ahead;
pub(super) mod spec;
mod synced;
mod thinking;

use self::closed::Closed;
use self::open::Open;
use self::read_ahead::ReadAhead;
use self::synced::Synced;
use self::thinking::Thinking;
use super::io::{Backlog, IoSink, Outcome, Part, Slot, StateMachine};
use super::spec::{AccessSpec, Load};
use crate::units::{Bytes, Nanos};

/// An access job in one of its loops.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    /// The next IO waits for an earlier one.
    Closed(Closed),
    /// The same, with waits for flushes.
    Synced(Synced),
    /// The next read waits until a process reaches it.
    ReadAhead(ReadAhead),
    /// Processes think in between.
    Thinking(Thinking),
    /// The next IO waits for the clock.
    Open(Open),
}

impl Access {
    pub(crate) fn new(spec: &AccessSpec, job: u16, seed: u64, part: Part) -> Self {
        let access = Self::busy(spec, job, seed, part);
        match &spec.load {
            Load::Closed { outstanding, .. } if spec.think > 0 => {
                let of = (job, seed, part);
                Self::Thinking(Thinking::new(access, spec.think, *outstanding, of))
            }
            _ => access,
        }
    }

    /// One whose processes do not think.
    fn busy(spec: &AccessSpec, job: u16, seed: u64, part: Part) -> Self {
        match &spec.load {
            Load::Closed { steps, outstanding } => match (&spec.fsync, spec.read_ahead) {
                (Some(fsync), _) => {
                    let load = (&steps[..], *outstanding);
                    Self::Synced(Synced::new(spec, fsync, load, (job, seed, part)))
                }
                (None, Some(window)) => {
                    Self::ReadAhead(ReadAhead::new(spec, window, steps, (job, part)))
                }
                (None, None) => {
                    Self::Closed(Closed::new(spec, steps, *outstanding, (job, seed, part)))
                }
            },
            Load::Open {
                steps,
                arrivals,
                max_outstanding,
                latency_limit,
            } => Self::Open(Open::new(
                spec,
                steps,
                *arrivals,
                (*max_outstanding, *latency_limit),
                job,
                seed,
            )),
        }
    }
}

impl Access {
    /// How far it is behind its schedule.
    pub(crate) fn backlog(&self, now: Nanos) -> Option<Backlog> {
        match self {
            Self::Closed(_) | Self::Synced(_) | Self::ReadAhead(_) | Self::Thinking(_) => None,
            Self::Open(open) => Some(open.backlog(now)),
        }
    }
}

impl StateMachine for Access {
    fn slots(&self) -> u32 {
        match self {
            Self::Closed(closed) => closed.slots(),
            Self::Synced(synced) => synced.slots(),
            Self::ReadAhead(reads) => reads.slots(),
            Self::Thinking(thinking) => thinking.slots(),
            Self::Open(open) => open.slots(),
        }
    }

    /// The last slot is an alarm in every loop.
    fn largest_io(&self, slot: Slot) -> Bytes {
        if slot + 1 == self.slots() {
            return 0;
        }
        match self {
            Self::Closed(closed) => closed.block(),
            Self::Synced(synced) => synced.largest_io(),
            Self::ReadAhead(reads) => reads.largest_io(),
            Self::Thinking(thinking) => thinking.largest_io(slot),
            Self::Open(open) => open.block(),
        }
    }

    fn start(&mut self, sink: &mut impl IoSink) {
        match self {
            Self::Closed(closed) => closed.step(0, sink),
            Self::Synced(synced) => synced.step(0, sink),
            Self::ReadAhead(reads) => reads.step(0, sink),
            Self::Thinking(thinking) => thinking.start(sink),
            Self::Open(open) => open.pump(0, sink),
        }
    }

    /// A load generator goes on, whatever the outcome of the IO. What failed is not a part of
    /// the job's amount, so it does another IO instead.
    #[inline]
    fn completed(&mut self, now: Nanos, slot: Slot, outcome: Outcome, sink: &mut impl IoSink) {
        match self {
            Self::Closed(closed) => closed.completed(now, slot, outcome, sink),
            Self::Synced(synced) => synced.completed(now, slot, outcome, sink),
            Self::ReadAhead(reads) => reads.completed(now, slot, outcome, sink),
            Self::Thinking(thinking) => thinking.completed(now, slot, outcome, sink),
            Self::Open(open) => open.completed(now, slot, sink),
        }
    }

    fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        match self {
            Self::Closed(closed) => closed.step(now, sink),
            Self::Synced(synced) => synced.step(now, sink),
            Self::ReadAhead(reads) => reads.step(now, sink),
            Self::Thinking(thinking) => thinking.woken(now, slot, sink),
            Self::Open(open) => open.pump(now, sink),
        }
    }
}
