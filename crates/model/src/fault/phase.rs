//! Latency that changes over time.

use crate::request::Op;
use crate::units::Nanos;

/// A time in which a share of the requests takes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Share of the reads, in 1/1000.
    pub read: u32,
    /// Share of the writes, in 1/1000.
    pub write: u32,
    /// By how much they take longer.
    pub latency: Nanos,
    /// How long the phase lasts.
    pub duration: Nanos,
}

impl Phase {
    /// Which of `phases`, one after the other, it is at `since` their start.
    pub fn at(phases: &[Self], since: Nanos) -> Option<Self> {
        let mut end = 0;
        phases.iter().copied().find(|phase| {
            end += phase.duration;
            since < end
        })
    }

    /// The share of such requests, in 1/1000.
    pub(super) fn of(self, op: Op) -> u32 {
        match op {
            Op::Read => self.read,
            Op::Write | Op::Zero | Op::Journal => self.write,
            Op::Flush | Op::Trim => 0,
        }
    }
}
