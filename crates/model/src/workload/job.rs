//! What a job says of itself, of whatever kind it is. Nothing outside of the
//! model asks for the kind.

use alloc::vec::Vec;

use super::spec::{AccessSpec, JobSpec, OltpSpec, RanWriteSpec, Region};
use crate::request::Op;
use crate::spec::JournalMirrorSpec;
use crate::units::{Bytes, Nanos};

/// A file of a job, and how the job uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUse {
    /// Where it lies.
    pub region: Region,
    /// Its reads and writes begin and end at multiples of this, in bytes from
    /// its start.
    pub unit: Bytes,
    /// What is done with it, each operation once, in the order of [`Op`].
    pub ops: &'static [Op],
    /// The most reads and writes in flight.
    pub in_flight: u64,
    /// The largest read or write, in bytes.
    pub largest_io: Bytes,
    /// The smallest that it can be: what is written at once must fit.
    pub least_size: Bytes,
}

impl FileUse {
    /// Whether the job writes to it.
    pub fn is_written(&self) -> bool {
        self.ops.iter().any(|op| op.writes())
    }
}

/// What makes a job issue its next IO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopType {
    /// Closed loop: an earlier IO completed. No time passes between the two, so
    /// where IOs take none, none passes at all.
    Closed,
    /// Open loop: the clock, whether or not earlier IOs are done.
    Open {
        /// IOs slower than this count as late; none if no IO does.
        latency_limit: Option<Nanos>,
    },
    /// Both: earlier IOs and timers of the job, such as that of a cycle.
    Timed,
}

/// What a load step offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Processes.
    Processes(u64),
    /// Open loop: IOs a second.
    Rate(u64),
}

/// What a kind of job says of itself; documented at the methods of [`JobSpec`].
pub(super) trait Describe {
    fn name(&self) -> &str;

    fn files(&self) -> Vec<FileUse>;

    fn regions_mut(&mut self) -> Vec<&mut Region>;

    fn loop_type(&self) -> LoopType;

    fn steps(&self) -> Vec<(Nanos, Offered)>;

    fn most_parts(&self) -> u32 {
        1
    }

    fn cycle(&self) -> Option<Nanos> {
        None
    }

    fn updates_per_process(&self) -> Option<u64> {
        None
    }

    fn journal_mirror(&self) -> Option<(&RanWriteSpec, &JournalMirrorSpec)> {
        None
    }

    fn transactions(&self) -> Option<&OltpSpec> {
        None
    }

    fn as_access(&self) -> Option<&AccessSpec> {
        None
    }
}

impl JobSpec {
    /// Its name, which no other job of the run has.
    pub fn name(&self) -> &str {
        self.kind().name()
    }

    /// Its files, at least one.
    pub fn files(&self) -> Vec<FileUse> {
        self.kind().files()
    }

    /// Where its files lie, in the order of [`JobSpec::files`], to be moved.
    pub fn regions_mut(&mut self) -> Vec<&mut Region> {
        match self {
            Self::Access(spec) => spec.regions_mut(),
            Self::RanWrite(spec) => spec.regions_mut(),
            Self::Oltp(spec) => spec.regions_mut(),
        }
    }

    /// Leaves out what file systems do by themselves: real ones do it, whatever the model has.
    pub fn leave_out_file_systems(&mut self) {
        if let Self::Access(AccessSpec {
            fsync: Some(fsync), ..
        }) = self
        {
            fsync.file_system = None;
        }
    }

    /// Whether it ever writes.
    pub fn writes(&self) -> bool {
        self.files().iter().any(FileUse::is_written)
    }

    /// What makes it issue its next IO.
    pub fn loop_type(&self) -> LoopType {
        self.kind().loop_type()
    }

    /// Its load steps: (from, what is offered then), rising in time, the first
    /// at 0.
    pub fn steps(&self) -> Vec<(Nanos, Offered)> {
        self.kind().steps()
    }

    /// Into how many shares ([`super::Part`]) it can be split: its processes; 1
    /// if it is one process by nature.
    pub fn most_parts(&self) -> u32 {
        self.kind().most_parts()
    }

    /// The longest time from the start of one of its write-daemon cycles
    /// ([`super::Fact::Cycle`]) to the next; none if it has no cycles.
    pub fn cycle(&self) -> Option<Nanos> {
        self.kind().cycle()
    }

    /// Updates a second of each of its processes; none if these issue IO and make no updates.
    pub fn updates_per_process(&self) -> Option<u64> {
        self.kind().updates_per_process()
    }

    /// The mirror that its journal is shipped to, with the job; none if it has none.
    pub fn journal_mirror(&self) -> Option<(&RanWriteSpec, &JournalMirrorSpec)> {
        self.kind().journal_mirror()
    }

    /// What it is as an engine that does transactions; none if it does none.
    pub fn transactions(&self) -> Option<&OltpSpec> {
        self.kind().transactions()
    }

    /// All of it as IOs of one size at random or sequential places, which other
    /// tools can do too; none if there is more to it.
    pub fn as_access(&self) -> Option<&AccessSpec> {
        self.kind().as_access()
    }

    fn kind(&self) -> &dyn Describe {
        match self {
            Self::Access(spec) => spec,
            Self::RanWrite(spec) => spec,
            Self::Oltp(spec) => spec,
        }
    }
}

/// Steps of processes as what they offer.
pub(super) fn processes(steps: &[(Nanos, u32)]) -> Vec<(Nanos, Offered)> {
    let offered = |&(from, count): &(Nanos, u32)| (from, Offered::Processes(count.into()));
    steps.iter().map(offered).collect()
}

/// The largest number of processes in `steps`.
pub(super) fn most(steps: &[(Nanos, u32)]) -> u32 {
    steps.iter().map(|step| step.1).max().unwrap_or(0)
}
