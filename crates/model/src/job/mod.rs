//! The jobs of a run: a workload alone, or a group of engines that are replicated.
//!
//! A [`Job`] has numbered slots, and at most one IO or one alarm is outstanding on each. It issues
//! through [`NetworkSink`], which is the event queue in virtual time and the ring on real storage;
//! so the same RANREAD loop runs on both.

#[cfg(test)]
pub(crate) mod tests;

use alloc::boxed::Box;

use crate::engine::Change;
use crate::network::{LinkCounts, Resumption};
use crate::replication::NetworkSink;
use crate::replication::group::Group;
use crate::units::{Bytes, Nanos};
use crate::workload::access::Access;
use crate::workload::demand::Demand;
use crate::workload::io::StateMachine;
use crate::workload::oltp::Oltp;
use crate::workload::ranwrite::RanWrite;
use crate::workload::replay::Replay;
use crate::workload::spec::{JobSpec, OltpSpec};
use crate::workload::{Backlog, Outcome, Part, Slot};

/// A job as a state machine. Times must not fall from call to call.
#[derive(Clone, Debug)]
pub struct Job(Kind);

#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a run has a few jobs; a pointer to each would cost every IO"
)]
enum Kind {
    Access(Access),
    RanWrite(RanWrite),
    Oltp(Oltp),
    Group(Box<Group>),
    Demand(Demand),
    Replay(Replay),
}

/// Calls the state machine of whichever kind it is.
macro_rules! of_kind {
    ($this:ident, $job:ident => $call:expr) => {
        match &$this.0 {
            Kind::Access($job) => $call,
            Kind::RanWrite($job) => $call,
            Kind::Oltp($job) => $call,
            Kind::Group($job) => $call,
            Kind::Demand($job) => $call,
            Kind::Replay($job) => $call,
        }
    };
    (mut $this:ident, $job:ident => $call:expr) => {
        match &mut $this.0 {
            Kind::Access($job) => $call,
            Kind::RanWrite($job) => $call,
            Kind::Oltp($job) => $call,
            Kind::Group($job) => $call,
            Kind::Demand($job) => $call,
            Kind::Replay($job) => $call,
        }
    };
}

impl Job {
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
    pub fn start(&mut self, sink: &mut impl NetworkSink) {
        of_kind!(mut self, job => job.start(sink));
    }

    /// The IO on `slot` completed, with this outcome.
    #[inline]
    pub fn completed(
        &mut self,
        now: Nanos,
        slot: Slot,
        outcome: Outcome,
        sink: &mut impl NetworkSink,
    ) {
        of_kind!(mut self, job => job.completed(now, slot, outcome, sink));
    }

    /// The alarm on `slot` went off.
    pub fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut impl NetworkSink) {
        of_kind!(mut self, job => job.woken(now, slot, sink));
    }

    /// A link that it has to itself, or a host of its, went down, is worse, or works again; or it
    /// runs elsewhere.
    pub fn storage_changed(&mut self, now: Nanos, change: &Change, sink: &mut impl NetworkSink) {
        let group = match &mut self.0 {
            Kind::Group(group) => group,
            Kind::Oltp(engine) => {
                let (host, moves_with) = (engine.spec().host, engine.spec().moves_with);
                return match *change {
                    Change::HostSpeed { host, speed } => {
                        engine.host_runs_at(now, (host, speed), sink);
                    }
                    Change::HostDown { host: of } if of == host => engine.is_gone(now, sink),
                    Change::Runs { device, on } if moves_with == Some(device) => {
                        engine.moves(now, on, sink);
                    }
                    _ => {}
                };
            }
            _ => return,
        };
        match *change {
            Change::Cut { link, from } => group.link_turned(now, link, from, sink),
            Change::Impair { link, is } => group.link_is_impaired(now, link, is),
            Change::HostDown { host } => group.host_turned(now, host, false, sink),
            Change::HostUp { host } => group.host_turned(now, host, true, sink),
            Change::HostSpeed { host, speed } => group.host_runs_at(now, host, speed, sink),
            _ => {}
        }
    }

    /// How far an open-loop job is behind at `now`; none for a closed loop.
    pub fn backlog(&self, now: Nanos) -> Option<Backlog> {
        match &self.0 {
            Kind::Access(job) => job.backlog(now),
            Kind::Demand(job) => job.backlog(now),
            Kind::Replay(job) => job.backlog(now),
            // Its clients queue, and not its IO.
            Kind::RanWrite(_) | Kind::Oltp(_) | Kind::Group(_) => None,
        }
    }

    /// The run ends at `now`, mostly within a second of which nothing was told yet.
    pub fn ended(&mut self, now: Nanos, sink: &mut impl NetworkSink) {
        if let Kind::Group(group) = &mut self.0 {
            group.tell_end(now, sink);
        }
    }

    /// What went over the links that it has to itself until `now`: by number, from each end.
    pub fn links(&self, now: Nanos) -> impl Iterator<Item = (usize, [LinkCounts; 2])> {
        self.group().into_iter().flat_map(move |it| it.links(now))
    }

    /// The senders over these that did not notice at once that their way works again, by link.
    pub fn resumptions(&self) -> impl Iterator<Item = (usize, Resumption)> {
        self.group().into_iter().flat_map(Group::resumptions)
    }

    fn group(&self) -> Option<&Group> {
        match &self.0 {
            Kind::Group(group) => Some(group),
            _ => None,
        }
    }
}
