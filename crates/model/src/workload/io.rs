//! What a job issues, and how it is told how that ended.

use super::facts::Fact;
use crate::request::Request;
use crate::units::{Bytes, Nanos};

/// Number of a slot within its job: room for one IO in flight, or for an alarm.
///
/// Slots are ordered by submitter (process, write daemon), then by the submitter's own order.
pub type Slot = u32;

/// How an IO ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// What was asked for is done.
    Done,
    /// It failed: nothing was read, written or made durable.
    Failed,
}

impl Outcome {
    /// Of an IO that failed, or did not.
    #[inline]
    pub fn of(failed: bool) -> Self {
        if failed { Self::Failed } else { Self::Done }
    }
}

/// Where a job issues to, and tells of itself.
pub trait IoSink {
    /// Sends `request` on `slot`, which was due at `due`: now, or earlier
    /// where an open-loop job lags behind its schedule.
    fn io(&mut self, slot: Slot, due: Nanos, request: Request);

    /// Asks for [`Job::woken`](crate::job::Job::woken) on `slot` at `at`, in place of an alarm
    /// that is set there.
    fn wake(&mut self, slot: Slot, at: Nanos);

    /// Takes down what has just become true of the job.
    fn fact(&mut self, fact: Fact);
}

/// A kind of job at work; documented at the methods of [`Job`](crate::job::Job).
pub(crate) trait StateMachine {
    fn slots(&self) -> u32;

    fn largest_io(&self, slot: Slot) -> Bytes;

    fn start(&mut self, sink: &mut impl IoSink);

    fn completed(&mut self, now: Nanos, slot: Slot, outcome: Outcome, sink: &mut impl IoSink);

    fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink);
}

/// A share of a job's processes: those whose number modulo `of` is `index`.
/// So several threads can run one closed-loop job, and each process still does
/// exactly what it would do alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which share, below `of`.
    pub index: u32,
    /// How many shares there are, at least 1.
    pub of: u32,
}

impl Part {
    /// All processes.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// How many of processes 0 to `processes` - 1 are in this share.
    pub(super) fn count(self, processes: u32) -> u32 {
        (processes + self.of - 1 - self.index) / self.of
    }
}

/// Where an open-loop job stands against its schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// IOs that had come due and were neither issued nor skipped.
    pub waiting: u64,
    /// IOs that were skipped for being too late.
    pub skipped: u64,
}
