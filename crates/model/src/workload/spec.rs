//! What a job is built from: plain data, resolved by the scenario crate; and what it says of
//! itself, of whatever kind it is. Nothing outside of the model asks for the kind.

use alloc::string::String;
use alloc::vec::Vec;

pub use super::access::spec::{AccessSpec, Arrivals, FileSystem, Fsync, Load, Preference, Skew};
pub use super::demand::spec::{DemandSpec, DemandStep, RATES_PER};
use super::describe::{Describe, FileUse, LoopType, Offered};
pub use super::oltp::spec::{
    Draw, Flushing, LogSpec, OltpSpec, OnError, Pace, PageUse, RelayLog, Start, TableSpec,
    TransactionLoad, TransactionSpec,
};
pub use super::ranwrite::spec::RanWriteSpec;
pub use super::replay::spec::{
    LogWait, ReadIos, RecordedIo, Recording, ReplayPace, ReplaySpec, Totals,
};
pub use super::skew::nurand::NuRand;
use crate::spec::JournalMirrorSpec;
pub use crate::spec::{
    Connections, Fallback, GroupNode, GroupSpec, Membership, Region, Rejoin, SendWindows, Shipped,
    Shipping, TakeOver, Wait, Which, Wire,
};
use crate::units::{Bytes, Nanos};

/// One job.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    clippy::large_enum_variant,
    reason = "a run has a few jobs, and they are not moved"
)]
pub enum JobSpec {
    /// `ranread` or `access_spec`.
    Access(AccessSpec),
    /// `ranwrite`.
    RanWrite(RanWriteSpec),
    /// `oltp`.
    Oltp(OltpSpec),
    /// `demand`.
    Demand(DemandSpec),
    /// `replay`.
    Replay(ReplaySpec),
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

    /// Where each of its files lies on each of its nodes that has one, its own first: a database
    /// has others on the nodes of its group, or on the members of its mirror.
    pub fn on_nodes(&self) -> Vec<Vec<Region>> {
        self.kind().on_nodes()
    }

    /// Where its files lie, in the order of [`JobSpec::files`], to be moved.
    pub fn regions_mut(&mut self) -> Vec<&mut Region> {
        match self {
            Self::Access(spec) => spec.regions_mut(),
            Self::RanWrite(spec) => spec.regions_mut(),
            Self::Oltp(spec) => spec.regions_mut(),
            Self::Demand(spec) => spec.regions_mut(),
            Self::Replay(spec) => spec.regions_mut(),
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

    /// Bytes after which it has nothing more to do, and the processes that share them, each of
    /// which tells that it is through ([`super::Fact::Through`]); none if it never ends by itself.
    pub fn amount(&self) -> Option<(Bytes, u32)> {
        self.kind().amount()
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
        match self {
            Self::RanWrite(spec) => spec.journal_mirror(),
            Self::Access(_) | Self::Oltp(_) | Self::Demand(_) | Self::Replay(_) => None,
        }
    }

    /// The group of nodes that its engine is one of; none if it is alone.
    pub fn group_mut(&mut self) -> Option<&mut GroupSpec> {
        match self {
            Self::Oltp(spec) => spec.group.as_mut(),
            Self::Access(_) | Self::RanWrite(_) | Self::Demand(_) | Self::Replay(_) => None,
        }
    }

    /// What it is as an engine that does transactions; none if it does none.
    pub fn transactions(&self) -> Option<&OltpSpec> {
        match self {
            Self::Oltp(spec) => Some(spec),
            Self::Access(_) | Self::RanWrite(_) | Self::Demand(_) | Self::Replay(_) => None,
        }
    }

    /// All of it as rates by interval, which [`ByInterval`](crate::by_interval::ByInterval)
    /// carries; none of another kind.
    pub fn demand(&self) -> Option<&DemandSpec> {
        match self {
            Self::Demand(spec) => Some(spec),
            Self::Access(_) | Self::RanWrite(_) | Self::Oltp(_) | Self::Replay(_) => None,
        }
    }

    /// Whether it issues IOs that were recorded, so that being late makes it another load.
    pub fn is_replay(&self) -> bool {
        matches!(self, Self::Replay(_))
    }

    /// The IOs of an open loop that were recorded, each with its time; none of other loops, which
    /// have rates or come when they can.
    pub fn recorded(&self) -> Option<&Recording> {
        match self {
            Self::Replay(spec) => match spec.pace {
                ReplayPace::Open { .. } => Some(&spec.recording),
                _ => None,
            },
            Self::Access(_) | Self::RanWrite(_) | Self::Oltp(_) | Self::Demand(_) => None,
        }
    }

    /// Why some of what it should issue could not be read; none if that did not happen. A run that
    /// meets it is void.
    pub fn unreadable(&self) -> Option<String> {
        match self {
            Self::Replay(spec) => spec.recording.ios.failure(),
            Self::Access(_) | Self::RanWrite(_) | Self::Oltp(_) | Self::Demand(_) => None,
        }
    }

    /// Lets no IO come due of a demand, whose steps stay.
    pub fn silence_demand(&mut self) {
        if let Self::Demand(spec) = self {
            for step in &mut spec.steps {
                (step.reads, step.writes) = (0, 0);
            }
        }
    }

    /// All of it as IOs of one size at random or sequential places, which other
    /// tools can do too; none if there is more to it.
    pub fn as_access(&self) -> Option<&AccessSpec> {
        match self {
            Self::Access(spec) => spec.as_access(),
            Self::RanWrite(_) | Self::Oltp(_) | Self::Demand(_) | Self::Replay(_) => None,
        }
    }

    fn kind(&self) -> &dyn Describe {
        match self {
            Self::Access(spec) => spec,
            Self::RanWrite(spec) => spec,
            Self::Oltp(spec) => spec,
            Self::Demand(spec) => spec,
            Self::Replay(spec) => spec,
        }
    }
}
