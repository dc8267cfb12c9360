//! Processor cores that threads share: who comes first is served first.

use alloc::collections::VecDeque;

use crate::units::Nanos;
use crate::workload::io::Slot;

/// The cores of a host. A thread keeps its core until it waits for something.
#[derive(Clone, Debug)]
pub(super) struct Processors {
    idle: u32,
    /// Threads that wait for a core, and for how long they want it.
    queue: VecDeque<(Slot, Nanos)>,
}

/// A thread that has got a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) slot: Slot,
    /// How long it has the core.
    pub(super) time: Nanos,
}

impl Processors {
    pub(super) fn new(cores: u32) -> Self {
        Self {
            idle: cores,
            queue: VecDeque::new(),
        }
    }

    /// `slot` wants a core for `time`; gives it if one is idle.
    pub(super) fn ask(&mut self, slot: Slot, time: Nanos) -> Option<Granted> {
        if self.idle == 0 {
            self.queue.push_back((slot, time));
            return None;
        }
        self.idle -= 1;
        Some(Granted { slot, time })
    }

    /// A core is free again; gives it to who has waited longest.
    pub(super) fn free(&mut self) -> Option<Granted> {
        match self.queue.pop_front() {
            Some((slot, time)) => Some(Granted { slot, time }),
            None => {
                self.idle += 1;
                None
            }
        }
    }
}
