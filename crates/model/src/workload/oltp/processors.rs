//! Processor cores that threads share: who comes first is served first.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::units::Nanos;
use crate::workload::io::Slot;

/// Full speed, in 1/1000.
const FULL: u32 = 1000;

/// The cores of a host. A thread keeps its core until it waits for something.
#[derive(Clone, Debug)]
pub(super) struct Processors {
    idle: u32,
    /// How fast they are, in 1/1000: at 0 no thread gets one.
    speed: u32,
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
            speed: FULL,
            queue: VecDeque::new(),
        }
    }

    /// So many cores, all idle, as fast as these are.
    pub(super) fn anew(&self, cores: u32) -> Self {
        Self {
            speed: self.speed,
            ..Self::new(cores)
        }
    }

    /// `slot` wants a core for `time` at full speed; gives it if one is idle.
    pub(super) fn ask(&mut self, slot: Slot, time: Nanos) -> Option<Granted> {
        self.queue.push_back((slot, time));
        self.next()
    }

    /// A core is free again; gives it to who has waited longest.
    pub(super) fn free(&mut self) -> Option<Granted> {
        self.idle += 1;
        self.next()
    }

    /// They are so fast from now on, in 1/1000 of full speed. What has a core keeps it as long as
    /// it would have had it. Gives who gets one now.
    pub(super) fn run_at(&mut self, speed: u32) -> Vec<Granted> {
        self.speed = speed;
        core::iter::from_fn(|| self.next()).collect()
    }

    fn next(&mut self) -> Option<Granted> {
        if self.idle == 0 || self.speed == 0 {
            return None;
        }
        let (slot, time) = self.queue.pop_front()?;
        self.idle -= 1;
        let time = match self.speed {
            FULL => time,
            speed => time.saturating_mul(FULL.into()) / Nanos::from(speed),
        };
        Some(Granted { slot, time })
    }
}
