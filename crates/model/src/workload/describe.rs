//! What every kind of job says of itself before it runs.

use alloc::vec;
use alloc::vec::Vec;

use crate::request::Op;
use crate::spec::Region;
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

/// What a kind of job says of itself; documented at the methods of
/// [`JobSpec`](super::spec::JobSpec).
pub(super) trait Describe {
    fn name(&self) -> &str;

    fn files(&self) -> Vec<FileUse>;

    fn on_nodes(&self) -> Vec<Vec<Region>> {
        let files = self.files().into_iter();
        files.map(|file| vec![file.region]).collect()
    }

    fn regions_mut(&mut self) -> Vec<&mut Region>;

    fn loop_type(&self) -> LoopType;

    fn steps(&self) -> Vec<(Nanos, Offered)>;

    fn most_parts(&self) -> u32 {
        1
    }

    fn amount(&self) -> Option<(Bytes, u32)> {
        None
    }

    fn cycle(&self) -> Option<Nanos> {
        None
    }

    fn updates_per_process(&self) -> Option<u64> {
        None
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
