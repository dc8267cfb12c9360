//! What issues IO: pure state machines that are told the time.
//!
//! A [`Workload`] has numbered slots, and at most one IO or one alarm is
//! outstanding on each. It issues through [`IoSink`], which is the event queue
//! in virtual time and the ring on real storage; so the same RANREAD loop runs
//! on both. What it will do is known before it runs from [`JobSpec`], whose
//! methods answer for every kind of job.

mod access;
mod arrivals;
mod facts;
mod job;
mod oltp;
mod ranwrite;
mod sequential;
mod skew;
pub mod spec;
mod steps;
#[cfg(test)]
mod tests;

use self::access::Access;
pub use self::facts::{
    Cycle, EngineCounts, EngineStop, Fact, GroupCounts, LagCounts, NodeCounts, StopCause,
    Transaction, TransactionWait, Waits,
};
pub use self::job::{FileUse, LoopType, Offered};
pub use self::oltp::EngineIo;
use self::oltp::Oltp;
use self::oltp::group::Group;
use self::ranwrite::RanWrite;
pub(crate) use self::ranwrite::Replica;
use self::spec::{JobSpec, OltpSpec};
use crate::link::{LinkCounts, Processors};
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

    /// Asks for [`Workload::woken`] on `slot` at `at`, in place of an alarm that is set there.
    fn wake(&mut self, slot: Slot, at: Nanos);

    /// Takes down what has just become true of the job.
    fn fact(&mut self, fact: Fact);

    /// Has `act` do what messages do now over links of the job's own, with what handles packets
    /// on the hosts: that does so for all jobs and mirrors of a run.
    fn over_network(&mut self, act: impl FnOnce(&mut Processors));
}

/// A kind of job at work; documented at the methods of [`Workload`].
trait StateMachine {
    fn slots(&self) -> u32;

    fn largest_io(&self, slot: Slot) -> Bytes;

    fn start(&mut self, sink: &mut impl IoSink);

    fn completed(&mut self, now: Nanos, slot: Slot, outcome: Outcome, sink: &mut impl IoSink);

    fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink);

    fn backlog(&self, _now: Nanos) -> Option<Backlog> {
        None
    }
}

/// A job as a state machine. Times must not fall from call to call.
#[derive(Clone, Debug)]
pub struct Workload(Kind);

#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a run has a few jobs; a pointer to each would cost every IO"
)]
enum Kind {
    Access(Access),
    RanWrite(RanWrite),
    Oltp(Oltp),
    Group(alloc::boxed::Box<Group>),
}

/// Calls the state machine of whichever kind it is.
macro_rules! of_kind {
    ($workload:ident, $job:ident => $call:expr) => {
        match &$workload.0 {
            Kind::Access($job) => $call,
            Kind::RanWrite($job) => $call,
            Kind::Oltp($job) => $call,
            Kind::Group($job) => $call,
        }
    };
    (mut $workload:ident, $job:ident => $call:expr) => {
        match &mut $workload.0 {
            Kind::Access($job) => $call,
            Kind::RanWrite($job) => $call,
            Kind::Oltp($job) => $call,
            Kind::Group($job) => $call,
        }
    };
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
    fn count(self, processes: u32) -> u32 {
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

impl Workload {
    /// The job of `spec`, number `job` of the run, with random streams of `seed`.
    pub fn new(spec: &JobSpec, job: u16, seed: u64) -> Self {
        Self::part(spec, job, seed, Part::WHOLE)
    }

    /// A share of the job's processes, of at most [`JobSpec::most_parts`]: a
    /// job that is one process by nature, an open loop, `ranwrite` or `oltp`,
    /// cannot be split.
    pub fn part(spec: &JobSpec, job: u16, seed: u64, part: Part) -> Self {
        Self(match spec {
            JobSpec::Access(spec) => Kind::Access(Access::new(spec, job, seed, part)),
            JobSpec::RanWrite(spec) => Kind::RanWrite(RanWrite::new(spec, job, seed)),
            JobSpec::Oltp(
                spec @ OltpSpec {
                    group: Some(group), ..
                },
            ) => Kind::Group(Group::new(spec, group, job, seed).into()),
            JobSpec::Oltp(spec) => Kind::Oltp(Oltp::new(spec, job, seed)),
        })
    }

    /// How many slots it uses.
    pub fn slots(&self) -> u32 {
        of_kind!(self, job => job.slots())
    }

    /// The largest IO that it ever has on `slot`, in bytes; 0 on one that has
    /// alarms only.
    pub fn largest_io(&self, slot: Slot) -> Bytes {
        of_kind!(self, job => job.largest_io(slot))
    }

    /// Begins at time 0.
    pub fn start(&mut self, sink: &mut impl IoSink) {
        of_kind!(mut self, job => job.start(sink));
    }

    /// The IO on `slot` completed, with this outcome.
    #[inline]
    pub fn completed(&mut self, now: Nanos, slot: Slot, outcome: Outcome, sink: &mut impl IoSink) {
        of_kind!(mut self, job => job.completed(now, slot, outcome, sink));
    }

    /// The alarm on `slot` went off.
    pub fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl IoSink) {
        of_kind!(mut self, job => job.woken(now, slot, sink));
    }

    /// How far an open-loop job is behind at `now`; none for a closed loop.
    pub fn backlog(&self, now: Nanos) -> Option<Backlog> {
        of_kind!(self, job => job.backlog(now))
    }

    /// What went over the links that it has to itself until `now`: by number, from each end.
    pub fn links(&self, now: Nanos) -> impl Iterator<Item = (usize, [LinkCounts; 2])> {
        self.group().into_iter().flat_map(move |it| it.links(now))
    }

    fn group(&self) -> Option<&Group> {
        match &self.0 {
            Kind::Group(group) => Some(group),
            _ => None,
        }
    }
}
