//! What a replay is built from, and what it says of itself.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;

use crate::request::Op;
use crate::spec::Region;
use crate::units::{Bytes, Nanos, SECOND};
use crate::workload::describe::{Describe, FileUse, LoopType, Offered};

/// Devices read and write whole sectors.
const SECTOR: Bytes = 512;

/// `replay`: IOs that were recorded, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaySpec {
    /// The job's name.
    pub name: String,
    /// Where offset 0 of the recorded device lies.
    pub file: Region,
    /// The IOs.
    pub recording: Recording,
    /// When they come.
    pub pace: ReplayPace,
    /// Of an open loop how many come a second; 0 of others.
    pub per_s: u64,
}

/// When the IOs of a replay come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayPace {
    /// Open loop: when they came, so many at once. All are one chain.
    Open {
        /// Most IOs in flight; what is due beyond waits, and its latency counts.
        max_outstanding: u32,
    },
    /// Closed loop: chains, such as threads, in which an IO comes some time after the one before it
    /// was issued, or after so few are in flight as it waits for.
    Chains(
        /// Of each the most IOs in flight, at least 1.
        Arc<[u32]>,
    ),
    /// As `Chains`, with a log that they share. Number 0 is its chain: flushes, each right after
    /// the write, if there is one, that it makes durable. One comes after the other, as long as a
    /// chain of a thread that commits waits for it; those that come meanwhile wait for the next
    /// one. The wait of its first IO is since the flush before.
    Commits(
        /// Of each the most IOs in flight, at least 1; 1 of that of the log.
        Arc<[u32]>,
    ),
}

impl ReplayPace {
    /// IOs in flight at most; [`u32::MAX`] if they are more.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        match self {
            Self::Open { max_outstanding } => *max_outstanding,
            Self::Chains(most) | Self::Commits(most) => {
                most.iter().fold(0, |all, most| all.saturating_add(*most))
            }
        }
    }
}

/// An IO that was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedIo {
    /// Open, and for the first of a chain: when it comes, from the beginning of the run. For the
    /// others of a chain: the time since the one before was issued and no more than `in_flight`
    /// were in flight, or since the end of the last flush that it waits for.
    pub wait: Nanos,
    /// The most IOs of its chain that are in flight when its wait begins: 0 if it follows the end
    /// of the one before, [`u32::MAX`] if it waits for no end. Not of an open loop.
    pub in_flight: u32,
    /// Its first byte within the file; 0 of a flush.
    pub offset: Bytes,
    /// How many; 0 of a flush.
    pub len: u32,
    /// One of the operations but those of file systems.
    pub op: Op,
    /// Its thread also flushes the log.
    pub commits: bool,
    /// What its thread does after the end of the one before it, if that spans flushes of the log.
    pub after: Option<LogWait>,
}

/// A wait for a log that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogWait {
    /// Nanoseconds of work before it.
    pub work: u32,
    /// Flushes that end during it, at least 1.
    pub flushes: u32,
}

/// The IOs of a replay, which may be more than memory holds.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What they are in all.
    pub totals: Totals,
    /// Reads them.
    pub ios: Arc<dyn ReadIos>,
}

impl Recording {
    /// How many of the IOs of an open loop come until `now`.
    #[must_use]
    pub fn due(&self, now: Nanos) -> u64 {
        super::chain::due(&*self.ios, 0, 0..self.totals.ios, now)
    }

    /// How many of the IOs of an open loop come a second, until it ends or the run does at `end`.
    #[must_use]
    pub fn per_s(&self, end: Nanos) -> u64 {
        let end = end.min(self.totals.last);
        self.due(end) * SECOND / end.max(SECOND)
    }
}

/// Equal if they are the same.
impl PartialEq for Recording {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.ios, &other.ios)
    }
}

impl Eq for Recording {}

/// Reads the IOs of a replay, the same ones whenever it is asked.
pub trait ReadIos: Debug + Send + Sync {
    /// Adds to `batch` IOs of a chain, beginning with number `from` of it: at least one, unless
    /// there are no more, or they cannot be read.
    fn read(&self, chain: u32, from: u64, batch: &mut Vec<RecordedIo>);

    /// Why some could not be read; none if that did not happen. A run that meets it is void.
    fn failure(&self) -> Option<String>;
}

/// What the IOs of a replay are in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many.
    pub ios: u64,
    bytes: Bytes,
    pub(super) largest_io: Bytes,
    end: Bytes,
    /// A bit for each operation.
    ops: u8,
    /// When the last one comes, in an open loop.
    last: Nanos,
}

impl Totals {
    /// Counts an IO.
    pub fn add(&mut self, io: &RecordedIo) {
        let len = Bytes::from(io.len);
        self.ios += 1;
        self.bytes += len;
        self.largest_io = self.largest_io.max(len);
        self.end = self.end.max(io.offset + len);
        self.ops |= match io.op {
            Op::Read => 1,
            Op::Flush => 4,
            Op::Trim => 8,
            Op::Write | Op::Zero | Op::Journal => 2,
        };
        self.last = io.wait;
    }
}

/// The operations of a job, by a bit for each that it has.
const OPS: [&[Op]; 16] = [
    &[],
    &[Op::Read],
    &[Op::Write],
    &[Op::Read, Op::Write],
    &[Op::Flush],
    &[Op::Read, Op::Flush],
    &[Op::Write, Op::Flush],
    &[Op::Read, Op::Write, Op::Flush],
    &[Op::Trim],
    &[Op::Read, Op::Trim],
    &[Op::Write, Op::Trim],
    &[Op::Read, Op::Write, Op::Trim],
    &[Op::Flush, Op::Trim],
    &[Op::Read, Op::Flush, Op::Trim],
    &[Op::Write, Op::Flush, Op::Trim],
    &[Op::Read, Op::Write, Op::Flush, Op::Trim],
];

impl ReplaySpec {
    /// IOs in flight at most.
    pub(super) fn in_flight(&self) -> u32 {
        self.pace.in_flight()
    }
}

impl Describe for ReplaySpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self) -> Vec<FileUse> {
        let totals = &self.recording.totals;
        vec![FileUse {
            region: self.file,
            unit: SECTOR,
            ops: OPS[usize::from(totals.ops)],
            in_flight: self.in_flight().into(),
            largest_io: totals.largest_io.max(SECTOR),
            least_size: totals.end.max(SECTOR),
        }]
    }

    fn regions_mut(&mut self) -> Vec<&mut Region> {
        vec![&mut self.file]
    }

    fn loop_type(&self) -> LoopType {
        match self.pace {
            ReplayPace::Open { .. } => LoopType::Open {
                latency_limit: None,
            },
            ReplayPace::Chains(_) | ReplayPace::Commits(_) => LoopType::Timed,
        }
    }

    fn steps(&self) -> Vec<(Nanos, Offered)> {
        let offered = match &self.pace {
            ReplayPace::Open { .. } => Offered::Rate(self.per_s),
            ReplayPace::Chains(most) => Offered::Processes(most.len() as u64),
            // The log is the threads' own, and somebody's where nobody did anything else.
            ReplayPace::Commits(most) => {
                Offered::Processes((most.len() as u64).saturating_sub(1).max(1))
            }
        };
        vec![(0, offered)]
    }

    fn amount(&self) -> Option<(Bytes, u32)> {
        let chains = match &self.pace {
            ReplayPace::Open { .. } => 1,
            ReplayPace::Chains(most) | ReplayPace::Commits(most) => most.len() as u32,
        };
        let bytes = self.recording.totals.bytes;
        (bytes > 0).then_some((bytes, chains))
    }
}
