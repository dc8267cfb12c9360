//! Which processes of a closed loop are at work.

use alloc::vec::Vec;

use crate::units::Nanos;
use crate::workload::io::{IoSink, Part, Slot};

/// The load steps of a closed loop, or of a share of its processes.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    steps: Vec<(Nanos, u32)>,
    next: usize,
    active: u32,
}

impl Steps {
    /// `steps` are (from, processes), rising in time, the first at 0.
    pub(super) fn new(steps: &[(Nanos, u32)], part: Part) -> Self {
        let active = |&(at, processes): &(Nanos, u32)| (at, part.count(processes));
        Self {
            steps: steps.iter().map(active).collect(),
            next: 0,
            active: 0,
        }
    }

    /// How many processes are at work: the first ones.
    #[inline]
    pub(super) fn active(&self) -> u32 {
        self.active
    }

    /// `alarm`, of another machine, will go off at the next step.
    pub(super) fn resume(&self, alarm: Slot, sink: &mut impl IoSink) {
        if let Some(&(at, _)) = self.steps.get(self.next) {
            sink.wake(alarm, at);
        }
    }

    /// The next step begins, if there is one; `alarm` will go off at the one after it.
    pub(super) fn begin_next(&mut self, alarm: Slot, sink: &mut impl IoSink) {
        if let Some(&(_, active)) = self.steps.get(self.next) {
            self.active = active;
            self.next += 1;
        }
        if let Some(&(at, _)) = self.steps.get(self.next) {
            sink.wake(alarm, at);
        }
    }
}
