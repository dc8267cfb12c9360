//! `replay`: IOs that were recorded come again, at their times or each after the one before it.

mod meetings;
pub(super) mod spec;

use alloc::sync::Arc;
use alloc::vec::Vec;

use self::meetings::Meetings;
use self::spec::{RecordedIo, ReplayPace, ReplaySpec};
use super::facts::Fact;
use super::io::{Backlog, IoSink, Outcome, Slot, StateMachine};
use crate::request::Request;
use crate::spec::Region;
use crate::units::{Bytes, Nanos};

/// A replay job.
#[derive(Clone, Debug)]
pub(super) struct Replay {
    file: Region,
    job: u16,
    ios: Arc<[RecordedIo]>,
    largest_io: Bytes,
    pace: Pace,
    meetings: Meetings,
}

#[derive(Clone, Debug)]
enum Pace {
    /// The last slot is the alarm of the next IO.
    Open {
        next: usize,
        free: Vec<Slot>,
        slots: u32,
        in_flight: u32,
    },
    /// A slot for each chain: the IO that comes next, and where the chain ends.
    Chains(Vec<(usize, usize)>),
}

impl Replay {
    pub(super) fn new(spec: &ReplaySpec, job: u16) -> Self {
        let pace = match &spec.pace {
            ReplayPace::Open { max_outstanding } => Pace::Open {
                next: 0,
                free: (0..*max_outstanding).rev().collect(),
                slots: max_outstanding + 1,
                in_flight: 0,
            },
            ReplayPace::Chains(begins) => {
                let ends = begins.iter().skip(1).map(|end| *end as usize);
                let ends = ends.chain([spec.ios.len()]);
                let begins = begins.iter().map(|begin| *begin as usize);
                Pace::Chains(begins.zip(ends).collect())
            }
        };
        Self {
            file: spec.file,
            job,
            ios: Arc::clone(&spec.ios),
            largest_io: spec.largest_io(),
            pace,
            meetings: Meetings::new(&spec.meetings),
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
        let ios = Arc::clone(&self.ios);
        loop {
            let Pace::Open {
                next,
                free,
                slots,
                in_flight,
            } = &mut self.pace
            else {
                return;
            };
            let Some(io) = ios.get(*next) else {
                return;
            };
            if io.wait > now {
                sink.wake(*slots - 1, io.wait);
                return;
            }
            let Some(slot) = free.pop() else { return };
            *next += 1;
            *in_flight += 1;
            sink.io(slot, io.wait, self.request(io, 0));
        }
    }

    /// The next IO of a chain, which comes `after` the one before it.
    fn go_on(&mut self, now: Nanos, after: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let Pace::Chains(chains) = &self.pace else {
            return;
        };
        let (next, end) = chains[slot as usize];
        if next == end {
            self.through(now, sink);
            return;
        }
        if self.meetings.waits(next, slot) {
            return;
        }
        match self.ios[next].wait {
            0 => self.issue(now, slot, sink),
            wait => sink.wake(slot, after + wait),
        }
    }

    /// The IO of a chain ended: it goes on, and so do chains that waited for this, too.
    fn ended(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        if let Pace::Chains(chains) = &self.pace {
            let met = self.meetings.ended(chains[slot as usize].0 - 1);
            for waiting in met {
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
        let next = &mut chains[slot as usize].0;
        let io = self.ios[*next];
        *next += 1;
        sink.io(slot, now, self.request(&io, slot));
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
            next,
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
        if *in_flight == 0 && *next == self.ios.len() {
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

    fn backlog(&self, now: Nanos) -> Option<Backlog> {
        let Pace::Open { next, .. } = &self.pace else {
            return None;
        };
        let rest = &self.ios[*next..];
        Some(Backlog {
            waiting: rest.partition_point(|io| io.wait <= now) as u64,
            skipped: 0,
        })
    }
}
