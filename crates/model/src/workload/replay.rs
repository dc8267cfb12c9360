//! `replay`: IOs that were recorded come again, at their times or each after the one before it.

mod chain;
mod commits;
pub(super) mod spec;
mod thread;

use alloc::vec::Vec;
use core::mem;

use self::chain::Chain;
use self::commits::{Act, Commits};
use self::spec::{RecordedIo, ReplayPace, ReplaySpec};
use self::thread::{Next, Threads};
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
    Chains(Threads),
    Commits(Commits),
}

impl Replay {
    pub(crate) fn new(spec: &ReplaySpec, job: u16) -> Self {
        let chain = |number| Chain::new(number, &spec.recording.ios);
        let pace = match &spec.pace {
            &ReplayPace::Open { max_outstanding } => Pace::Open {
                chain: chain(0),
                all: spec.recording.totals.ios,
                free: (0..max_outstanding).rev().collect(),
                slots: max_outstanding + 1,
                in_flight: 0,
            },
            ReplayPace::Chains(most) => Pace::Chains(Threads::new(most, chain)),
            ReplayPace::Commits(most) => Pace::Commits(Commits::new(Threads::new(most, chain))),
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

    /// An IO of an open loop ended.
    fn freed(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let Pace::Open {
            chain,
            free,
            in_flight,
            ..
        } = &mut self.pace
        else {
            return;
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

    /// The next IOs of a chain, up to one that has to wait.
    fn go_on(&mut self, now: Nanos, chain: u32, sink: &mut impl IoSink) {
        loop {
            let Pace::Chains(threads) = &mut self.pace else {
                return;
            };
            match threads.all[chain as usize].next() {
                Next::Io(slot, io) if io.wait > 0 => return sink.wake(slot, now + io.wait),
                Next::Io(..) => self.issue(now, chain, sink),
                Next::Ends => return,
                Next::Through => return self.through(now, sink),
            }
        }
    }

    /// Does what is to be done in a replay by commits.
    fn act(&mut self, now: Nanos, sink: &mut impl IoSink) {
        let Pace::Commits(commits) = &mut self.pace else {
            return;
        };
        let mut acts = mem::take(commits.acts());
        for act in acts.drain(..) {
            match act {
                Act::Issue(chain, slot, io) => sink.io(slot, now, self.request(&io, chain)),
                Act::Wake(slot, at) => sink.wake(slot, at),
                Act::Through => self.through(now, sink),
            }
        }
        if let Pace::Commits(commits) = &mut self.pace {
            *commits.acts() = acts;
        }
    }

    /// A chain, or all, is through: told of what has an amount.
    fn through(&self, now: Nanos, sink: &mut impl IoSink) {
        if self.largest_io > 0 {
            sink.fact(Fact::Through(now));
        }
    }

    fn issue(&mut self, now: Nanos, chain: u32, sink: &mut impl IoSink) {
        let Pace::Chains(threads) = &mut self.pace else {
            return;
        };
        if let Some((slot, io)) = threads.all[chain as usize].take() {
            sink.io(slot, now, self.request(&io, chain));
        }
    }

    /// The IO of a slot ended, in a replay by chains.
    fn ended(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let Pace::Chains(threads) = &mut self.pace else {
            return;
        };
        let chain = threads.of(slot);
        if threads.all[chain as usize].ended(slot) {
            self.go_on(now, chain, sink);
        }
    }

    /// The alarm of a slot, in a replay by chains.
    fn due(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        let Pace::Chains(threads) = &mut self.pace else {
            return;
        };
        let chain = threads.of(slot);
        self.issue(now, chain, sink);
        self.go_on(now, chain, sink);
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
            Pace::Chains(threads) => threads.slots(),
            Pace::Commits(commits) => commits.slots(),
        }
    }

    fn largest_io(&self, slot: Slot) -> Bytes {
        match &self.pace {
            Pace::Open { slots, .. } if slot + 1 == *slots => 0,
            _ => self.largest_io,
        }
    }

    fn start(&mut self, sink: &mut impl IoSink) {
        match &mut self.pace {
            Pace::Open { .. } => self.pump(0, sink),
            Pace::Chains(threads) => {
                let chains = 0..threads.all.len() as u32;
                chains.for_each(|chain| self.go_on(0, chain, sink));
            }
            Pace::Commits(commits) => {
                commits.start();
                self.act(0, sink);
            }
        }
    }

    /// What failed is not done again: the application was told, and nothing is known of what it
    /// would have done.
    fn completed(&mut self, now: Nanos, slot: Slot, _outcome: Outcome, sink: &mut impl IoSink) {
        match &mut self.pace {
            Pace::Open { .. } => self.freed(now, slot, sink),
            Pace::Chains(_) => self.ended(now, slot, sink),
            Pace::Commits(commits) => {
                commits.io_ended(now, slot);
                self.act(now, sink);
            }
        }
    }

    fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        match &mut self.pace {
            Pace::Open { .. } => self.pump(now, sink),
            Pace::Chains(_) => self.due(now, slot, sink),
            Pace::Commits(commits) => {
                commits.woken(now, slot);
                self.act(now, sink);
            }
        }
    }
}
