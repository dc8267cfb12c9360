//! What issues IO: pure state machines that are told the time.
//!
//! A [`Workload`] has numbered slots, and at most one IO or one alarm is
//! outstanding on each. It issues through [`IoSink`], which is the event queue
//! in virtual time and the ring on real storage; so the same RANREAD loop runs
//! on both. What it will do is known before it runs from [`JobSpec`], whose
//! methods answer for every kind of job.

mod access;
mod arrivals;
mod demand;
mod describe;
mod facts;
mod io;
mod job;
mod oltp;
mod ranwrite;
mod replay;
mod sequential;
mod skew;
pub mod spec;
mod steps;
#[cfg(test)]
mod tests;

use self::access::Access;
use self::demand::Demand;
pub use self::describe::{FileUse, LoopType, Offered};
pub use self::facts::{
    CopyStage, Cycle, EngineCounts, EngineIo, EngineStop, Fact, GroupCounts, LagCounts,
    MembershipChange, MembershipEvent, NodeCounts, Transaction, TransactionWait, Waits,
};
use self::io::StateMachine;
pub use self::io::{Backlog, IoSink, Outcome, Part, Slot};
use self::oltp::Oltp;
use self::oltp::group::Group;
pub(crate) use self::oltp::slots::PURPOSES;
use self::ranwrite::RanWrite;
pub(crate) use self::ranwrite::Replica;
use self::replay::Replay;
pub use self::skew::popularity::Popularity;
use self::spec::{JobSpec, OltpSpec};
use crate::engine::Change;
use crate::link::LinkCounts;
use crate::units::{Bytes, Nanos};

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
    Demand(Demand),
    Replay(Replay),
}

/// Calls the state machine of whichever kind it is.
macro_rules! of_kind {
    ($workload:ident, $job:ident => $call:expr) => {
        match &$workload.0 {
            Kind::Access($job) => $call,
            Kind::RanWrite($job) => $call,
            Kind::Oltp($job) => $call,
            Kind::Group($job) => $call,
            Kind::Demand($job) => $call,
            Kind::Replay($job) => $call,
        }
    };
    (mut $workload:ident, $job:ident => $call:expr) => {
        match &mut $workload.0 {
            Kind::Access($job) => $call,
            Kind::RanWrite($job) => $call,
            Kind::Oltp($job) => $call,
            Kind::Group($job) => $call,
            Kind::Demand($job) => $call,
            Kind::Replay($job) => $call,
        }
    };
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
            JobSpec::Demand(spec) => Kind::Demand(Demand::new(spec, job, seed)),
            JobSpec::Replay(spec) => Kind::Replay(Replay::new(spec, job)),
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

    /// A link that it has to itself, or a host, went down, is worse, or works again.
    pub fn storage_changed(&mut self, now: Nanos, change: &Change, sink: &mut impl IoSink) {
        let Kind::Group(group) = &mut self.0 else {
            return;
        };
        match *change {
            Change::LinkDown { link } => group.link_turned(now, link, false, sink),
            Change::LinkUp { link } => group.link_turned(now, link, true, sink),
            Change::Impair { link, is } => group.link_is_impaired(link, is),
            Change::HostDown { host } => group.host_turned(now, host, false, sink),
            Change::HostUp { host } => group.host_turned(now, host, true, sink),
            _ => {}
        }
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
