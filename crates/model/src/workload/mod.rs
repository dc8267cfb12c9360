//! What issues IO: pure state machines that are told the time.
//!
//! A [`Workload`] has numbered lanes, and at most one IO or one alarm is
//! outstanding on each. It issues through [`Issue`], which is the agenda in
//! virtual time and the ring on real storage; so the same RANREAD loop runs
//! on both.

mod access;
mod arrivals;
mod ranwrite;
pub mod spec;

use alloc::vec;
use alloc::vec::Vec;

use self::access::Access;
pub use self::ranwrite::Cycle;
use self::ranwrite::RanWrite;
use self::spec::{JobSpec, Load, Region};
use crate::request::Request;
use crate::units::{Bytes, Nanos};

/// Number of a lane within its job.
///
/// Lanes are ordered by stream (process, daemon), then by slot of the stream.
pub type Lane = u32;

/// Where a workload issues to.
pub trait Issue {
    /// Sends `request` on `lane`, which was due at `due`: now, or earlier
    /// where an open-loop job lags behind its schedule.
    fn io(&mut self, lane: Lane, due: Nanos, request: Request);

    /// Asks for [`Workload::woken`] on `lane` at `at`.
    fn wake(&mut self, lane: Lane, at: Nanos);
}

/// A job as a state machine. Times must not fall from call to call.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a run has a few jobs; a pointer to each would cost every IO"
)]
pub enum Workload {
    /// `ranread` and `access_spec`.
    Access(Access),
    /// `ranwrite`.
    RanWrite(RanWrite),
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
    /// job that is one process by nature, an open loop or `ranwrite`, cannot be
    /// split.
    pub fn part(spec: &JobSpec, job: u16, seed: u64, part: Part) -> Self {
        match spec {
            JobSpec::Access(spec) => Self::Access(Access::new(spec, job, seed, part)),
            JobSpec::RanWrite(spec) => Self::RanWrite(RanWrite::new(spec, job, seed)),
        }
    }

    /// How many lanes it uses.
    pub fn lanes(&self) -> u32 {
        match self {
            Self::Access(job) => job.lanes(),
            Self::RanWrite(job) => job.lanes(),
        }
    }

    /// The largest IO that it ever has on `lane`, in bytes; 0 on one that has
    /// alarms only.
    pub fn largest_io(&self, lane: Lane) -> Bytes {
        match self {
            Self::Access(job) => job.largest_io(lane),
            Self::RanWrite(job) => job.largest_io(lane),
        }
    }

    /// Begins at time 0.
    pub fn start(&mut self, issue: &mut impl Issue) {
        match self {
            Self::Access(job) => job.start(issue),
            Self::RanWrite(job) => job.start(issue),
        }
    }

    /// The IO on `lane` completed.
    #[inline]
    pub fn completed(&mut self, now: Nanos, lane: Lane, issue: &mut impl Issue) {
        match self {
            Self::Access(job) => job.completed(now, lane, issue),
            Self::RanWrite(job) => job.completed(now, lane, issue),
        }
    }

    /// The alarm on `lane` went off.
    pub fn woken(&mut self, now: Nanos, lane: Lane, issue: &mut impl Issue) {
        match self {
            Self::Access(job) => job.woken(now, lane, issue),
            Self::RanWrite(job) => job.woken(now, lane, issue),
        }
    }

    /// How far an open-loop job is behind at `now`; none for a closed loop.
    pub fn backlog(&self, now: Nanos) -> Option<Backlog> {
        match self {
            Self::Access(job) => job.backlog(now),
            Self::RanWrite(_) => None,
        }
    }

    /// The write-daemon cycles that ended since the last call.
    pub fn take_cycles(&mut self) -> Vec<Cycle> {
        match self {
            Self::Access(_) => Vec::new(),
            Self::RanWrite(job) => job.take_cycles(),
        }
    }
}

impl JobSpec {
    /// Whether it ever writes.
    pub fn writes(&self) -> bool {
        match self {
            Self::Access(spec) => spec.read_permille < 1000,
            Self::RanWrite(_) => true,
        }
    }

    /// Its files.
    pub fn files_mut(&mut self) -> Vec<&mut Region> {
        match self {
            Self::Access(spec) => vec![&mut spec.file],
            Self::RanWrite(spec) => vec![&mut spec.data, &mut spec.wij, &mut spec.journal],
        }
    }

    /// When its load steps begin.
    pub fn step_starts(&self) -> Vec<Nanos> {
        match self {
            Self::Access(spec) => match &spec.load {
                Load::Closed { steps, .. } => steps.iter().map(|step| step.0).collect(),
                Load::Open { steps, .. } => steps.iter().map(|step| step.0).collect(),
            },
            Self::RanWrite(spec) => spec.steps.iter().map(|step| step.0).collect(),
        }
    }

    /// Into how many shares ([`Part`]) it can be split: its processes.
    pub fn most_parts(&self) -> u32 {
        match self {
            Self::Access(spec) => match &spec.load {
                Load::Closed { steps, .. } => most(steps).max(1),
                Load::Open { .. } => 1,
            },
            Self::RanWrite(_) => 1,
        }
    }

    /// Queues that use a device at once: processes, write daemons. One queue
    /// is served in order, several are not.
    pub fn queues(&self) -> u32 {
        match self {
            Self::Access(spec) => match &spec.load {
                Load::Closed { steps, .. } => most(steps),
                Load::Open { .. } => 1,
            },
            Self::RanWrite(spec) => spec.daemons,
        }
    }
}

/// The largest number of processes in `steps`.
fn most(steps: &[(Nanos, u32)]) -> u32 {
    steps.iter().map(|step| step.1).max().unwrap_or(0)
}
