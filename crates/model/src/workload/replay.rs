//! `replay`: IOs that were recorded come again, at their times or each after the one before it.

mod chain;
pub(super) mod spec;

use alloc::vec::Vec;

use self::chain::{Chain, Flushes};
use self::spec::{RecordedIo, ReplayPace, ReplaySpec};
use super::facts::Fact;
use super::io::{Backlog, IoSink, Outcome, Slot, StateMachine};
use crate::request::Request;
use crate::spec::Region;
use crate::units::{Bytes, Nanos};

/// A replay job.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    file: Region,
    job: u16,
    largest_io: Bytes,
    pace: Pace,
}

#[derive(Clone, Debug)]
enum Pace {
    /// The last slot is the alarm of the next IO.
    Open {
        chain: Chain,
        /// IOs of the recording.
        all: u64,
        free: Vec<Slot>,
        slots: u32,
        in_flight: u32,
    },
    /// A slot for each chain.
    Chains(Vec<(Chain, Flushes)>),
}

impl Replay {
    pub(crate) fn new(spec: &ReplaySpec, job: u16) -> Self {
        let chain = |number| Chain::new(number, &spec.recording.ios);
        let pace = match spec.pace {
            ReplayPace::Open { max_outstanding } => Pace::Open {
                chain: chain(0),
                all: spec.recording.totals.ios,
                free: (0..max_outstanding).rev().collect(),
                slots: max_outstanding + 1,
                in_flight: 0,
            },
            ReplayPace::Chains(count) => {
                let numbers = (0..count).map(|number| (chain(number), Flushes::default()));
                Pace::Chains(numbers.collect())
            }
        };
        Self {
            file: spec.file,
            job,
            largest_io: spec.recording.totals.largest_io,
            pace,
        }
    }

    fn request(&self, io: &RecordedIo, submitter: u32) -> Request {
        Request {
            device: self.file.device,
            op: io.op,
            offset: match io.len {
                0 => 0,
                _ => self.file.offset + io.offset,
            },
            len: io.len.into(),
            requester: self.job.into(),
            submitter,
        }
    }

    /// Issues what is due while slots are free.
    fn pump(&mut self, now: Nanos, sink: &mut impl IoSink) {
        loop {
            let Pace::Open {
                chain,
                free,
                slots,
                in_flight,
                ..
            } = &mut self.pace
            else {
                return;
            };
            let Some(io) = chain.next() else {
                return;
            };
            if io.wait > now {
                sink.wake(*slots - 1, io.wait);
                return;
            }
            let Some(slot) = free.pop() else { return };
            chain.take();
            *in_flight += 1;
            sink.io(slot, io.wait, self.request(&io, 0));
        }
    }

    /// The next IO of a chain, which comes `after` the one before it.
    fn go_on(&mut self, now: Nanos, after: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let Pace::Chains(chains) = &mut self.pace else {
            return;
        };
        let Some(io) = chains[slot as usize].0.next() else {
            self.through(now, sink);
            return;
        };
        if let Some(flush) = io.after
            && chains[flush.chain as usize].1.hold(flush.nth, slot)
        {
            return;
        }
        match io.wait {
            0 => self.issue(now, slot, sink),
            wait => sink.wake(slot, after + wait),
        }
    }

    /// The IO of a chain ended: it goes on, and so do chains that waited for this, too.
    fn ended(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        if let Pace::Chains(chains) = &mut self.pace {
            for waiting in chains[slot as usize].1.io_ended() {
                self.go_on(now, now, waiting, sink);
            }
        }
        self.go_on(now, now, slot, sink);
    }

    /// A chain, or all, is through: told of what has an amount.
    fn through(&self, now: Nanos, sink: &mut impl IoSink) {
        if self.largest_io > 0 {
            sink.fact(Fact::Through(now));
        }
    }

    fn issue(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let Pace::Chains(chains) = &mut self.pace else {
            return;
        };
        let (chain, flushes) = &mut chains[slot as usize];
        let Some(io) = chain.next() else {
            return;
        };
        chain.take();
        flushes.issued(io.op);
        sink.io(slot, now, self.request(&io, slot));
    }
}

impl Replay {
    /// How far it is behind its schedule.
    pub(crate) fn backlog(&self, now: Nanos) -> Option<Backlog> {
        let Pace::Open { chain, all, .. } = &self.pace else {
            return None;
        };
        Some(Backlog {
            waiting: chain.due(now, *all),
            skipped: 0,
        })
    }
}

impl StateMachine for Replay {
    fn slots(&self) -> u32 {
        match &self.pace {
            Pace::Open { slots, .. } => *slots,
            Pace::Chains(chains) => chains.len() as u32,
        }
    }

    fn largest_io(&self, slot: Slot) -> Bytes {
        match &self.pace {
            Pace::Open { slots, .. } if slot + 1 == *slots => 0,
            _ => self.largest_io,
        }
    }

    fn start(&mut self, sink: &mut impl IoSink) {
        match &self.pace {
            Pace::Open { .. } => self.pump(0, sink),
            Pace::Chains(_) => (0..self.slots()).for_each(|slot| self.go_on(0, 0, slot, sink)),
        }
    }

    /// What failed is not done again: the application was told, and nothing is known of what it
    /// would have done.
    fn completed(&mut self, now: Nanos, slot: Slot, _outcome: Outcome, sink: &mut impl IoSink) {
        let Pace::Open {
            chain,
            free,
            in_flight,
            ..
        } = &mut self.pace
        else {
            return self.ended(now, slot, sink);
        };
        let was_full = free.is_empty();
        free.push(slot);
        *in_flight -= 1;
        if *in_flight == 0 && chain.next().is_none() {
            self.through(now, sink);
        } else if was_full {
            // With a slot free all along, the alarm is set already.
            self.pump(now, sink);
        }
    }

    fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        match &self.pace {
            Pace::Open { .. } => self.pump(now, sink),
            Pace::Chains(_) => self.issue(now, slot, sink),
        }
    }
}
