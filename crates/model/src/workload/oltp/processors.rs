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
    /// Since when they stand still, if they do, and for how long they did before.
    still_since: Option<Nanos>,
    stood: Nanos,
    /// Threads that wait for a core.
    queue: VecDeque<Asked>,
}

/// A thread that waits for a core.
#[derive(Clone, Copy, Debug)]
struct Asked {
    slot: Slot,
    /// For how long it wants it.
    time: Nanos,
    /// How long the processors had stood still before.
    stood: Nanos,
}

/// A thread that has got a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) slot: Slot,
    /// How long it has the core.
    pub(super) time: Nanos,
    /// How long the processors stood still while it waited.
    pub(super) stood: Nanos,
}

impl Processors {
    pub(super) fn new(cores: u32) -> Self {
        Self {
            idle: cores,
            speed: FULL,
            still_since: None,
            stood: 0,
            queue: VecDeque::new(),
        }
    }

    /// So many cores, all idle, as fast as these are.
    pub(super) fn anew(&self, cores: u32) -> Self {
        Self {
            speed: self.speed,
            still_since: self.still_since,
            stood: self.stood,
            ..Self::new(cores)
        }
    }

    /// `slot` wants a core for `time` at full speed; gives it if one is idle.
    pub(super) fn ask(&mut self, now: Nanos, slot: Slot, time: Nanos) -> Option<Granted> {
        let stood = self.stood_until(now);
        self.queue.push_back(Asked { slot, time, stood });
        self.next(now)
    }

    /// A core is free again; gives it to who has waited longest.
    pub(super) fn free(&mut self, now: Nanos) -> Option<Granted> {
        self.idle += 1;
        self.next(now)
    }

    /// They are so fast from now on, in 1/1000 of full speed. What has a core keeps it as long as
    /// it would have had it. Gives who gets one now.
    pub(super) fn run_at(&mut self, now: Nanos, speed: u32) -> Vec<Granted> {
        self.stood = self.stood_until(now);
        self.still_since = (speed == 0).then_some(now);
        self.speed = speed;
        core::iter::from_fn(|| self.next(now)).collect()
    }

    /// How long they have stood still.
    fn stood_until(&self, now: Nanos) -> Nanos {
        self.stood + self.still_since.map_or(0, |since| now - since)
    }

    fn next(&mut self, now: Nanos) -> Option<Granted> {
        if self.idle == 0 || self.speed == 0 {
            return None;
        }
        let stood = self.stood_until(now);
        let asked = self.queue.pop_front()?;
        self.idle -= 1;
        let time = match self.speed {
            FULL => asked.time,
            speed => asked.time.saturating_mul(FULL.into()) / Nanos::from(speed),
        };
        Some(Granted {
            slot: asked.slot,
            time,
            stood: stood - asked.stood,
        })
    }
}
