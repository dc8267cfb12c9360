//! The closed loop: each process keeps its IOs in flight, without think time.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::places::Places;
use crate::random::Stream;
use crate::units::{Bytes, Nanos};
use crate::workload::describe::most;
use crate::workload::facts::Fact;
use crate::workload::io::{IoSink, Outcome, Part, Slot};
use crate::workload::spec::AccessSpec;
use crate::workload::steps::Steps;

/// A closed-loop access job. The last slot is the alarm of its load steps.
#[derive(Clone, Debug)]
pub(crate) struct Closed {
    processes: Vec<Places>,
    outstanding: u32,
    busy: Vec<bool>,
    steps: Steps,
}

/// The places of those processes of a closed loop that are in `part`.
pub(super) fn places_of(
    spec: &AccessSpec,
    steps: &[(Nanos, u32)],
    job: u16,
    seed: u64,
    part: Part,
) -> Vec<Places> {
    let count = most(steps);
    let process = |number| {
        let stream = Stream::new(seed, &format!("job/{job}/process/{number}"));
        Places::new(spec, (job, seed), stream, number, count)
    };
    let numbers = (part.index..count).step_by(part.of as usize);
    numbers.map(process).collect()
}

impl Closed {
    pub(super) fn new(
        spec: &AccessSpec,
        steps: &[(Nanos, u32)],
        outstanding: u32,
        (job, seed, part): (u16, u64, Part),
    ) -> Self {
        let processes = places_of(spec, steps, job, seed, part);
        Self {
            busy: vec![false; processes.len() * outstanding as usize],
            processes,
            outstanding,
            steps: Steps::new(steps, part),
        }
    }

    pub(super) fn slots(&self) -> u32 {
        self.busy.len() as u32 + 1
    }

    pub(super) fn block(&self) -> Bytes {
        self.processes.first().map_or(0, Places::block)
    }

    /// The next load step begins.
    pub(super) fn step(&mut self, now: Nanos, sink: &mut impl IoSink) {
        self.steps.begin_next(self.slots() - 1, sink);
        for slot in 0..self.steps.active() * self.outstanding {
            // A process that left and came back may still have IOs in flight.
            if !self.busy[slot as usize] {
                self.busy[slot as usize] = self.issue(now, slot, slot / self.outstanding, sink);
            }
        }
    }

    #[inline]
    pub(super) fn completed(
        &mut self,
        now: Nanos,
        slot: Slot,
        outcome: Outcome,
        sink: &mut impl IoSink,
    ) {
        // Nearly always 1, where the division would be the slowest step.
        let process = if self.outstanding == 1 {
            slot
        } else {
            slot / self.outstanding
        };
        if outcome == Outcome::Failed {
            self.processes[process as usize].failed(1);
        }
        if process < self.steps.active() && self.issue(now, slot, process, sink) {
            return;
        }
        self.busy[slot as usize] = false;
        self.rest(now, process, sink);
    }

    /// The next IO of a process, if there is more to do.
    #[inline]
    fn issue(&mut self, now: Nanos, slot: Slot, process: u32, sink: &mut impl IoSink) -> bool {
        let request = self.processes[process as usize].next();
        request.map(|request| sink.io(slot, now, request)).is_some()
    }

    /// A process has issued nothing: it is through once none of its IOs is in flight.
    #[cold]
    fn rest(&mut self, now: Nanos, process: u32, sink: &mut impl IoSink) {
        let slots = (process * self.outstanding) as usize..;
        let mut in_flight = self.busy[slots].iter().take(self.outstanding as usize);
        if self.processes[process as usize].is_through() && !in_flight.any(|&busy| busy) {
            sink.fact(Fact::Through(now));
        }
    }
}
