//! A closed loop whose processes think: each learns of the end of an IO only after a pause, and
//! goes on then.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::Access;
use crate::random::Stream;
use crate::units::{Bytes, Nanos};
use crate::workload::io::{IoSink, Outcome, Part, Slot, StateMachine};

/// A closed-loop access job with pauses.
#[derive(Clone, Debug)]
pub(crate) struct Thinking {
    access: Box<Access>,
    /// The mean of a pause.
    think: Nanos,
    /// By process.
    pauses: Vec<Stream>,
    outstanding: u32,
    /// By slot: how the IO ended that its process thinks about.
    ended: Vec<Outcome>,
}

impl Thinking {
    /// The processes of `access`, each with so many IOs in flight, think for so long in the mean.
    pub(super) fn new(
        access: Access,
        think: Nanos,
        outstanding: u32,
        (job, seed, part): (u16, u64, Part),
    ) -> Self {
        // The last one is the alarm of the load steps.
        let slots = access.slots() - 1;
        let process = |place| part.index + place * part.of;
        let stream = |place| Stream::new(seed, &format!("job/{job}/think/{}", process(place)));
        Self {
            access: Box::new(access),
            think,
            pauses: (0..slots / outstanding).map(stream).collect(),
            outstanding,
            ended: vec![Outcome::Done; slots as usize],
        }
    }

    pub(super) fn slots(&self) -> u32 {
        self.access.slots()
    }

    pub(super) fn largest_io(&self, slot: Slot) -> Bytes {
        self.access.largest_io(slot)
    }

    pub(super) fn start(&mut self, sink: &mut impl IoSink) {
        self.access.start(sink);
    }

    pub(super) fn completed(
        &mut self,
        now: Nanos,
        slot: Slot,
        outcome: Outcome,
        sink: &mut impl IoSink,
    ) {
        self.ended[slot as usize] = outcome;
        let pauses = &mut self.pauses[(slot / self.outstanding) as usize];
        sink.wake(slot, now.saturating_add(pauses.exponential_of(self.think)));
    }

    pub(super) fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        match self.ended.get(slot as usize) {
            Some(outcome) => self.access.completed(now, slot, *outcome, sink),
            None => self.access.woken(now, slot, sink),
        }
    }
}
