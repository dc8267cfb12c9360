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
}

/// When the IOs of a replay come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayPace {
    /// Open loop: when they came, so many at once. All are one chain.
    Open {
        /// Most IOs in flight; what is due beyond waits, and its latency counts.
        max_outstanding: u32,
    },
    /// Closed loop: chains, such as threads, in which an IO comes some time after the one before it
    /// has ended.
    Chains(
        /// How many.
        u32,
    ),
}

/// An IO that was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedIo {
    /// Open, and for the first of a chain: when it comes, from the beginning of the run. For the
    /// others of a chain: the time since the end of the one before, or of the flush, if that is
    /// later.
    pub wait: Nanos,
    /// Its first byte within the file; 0 of a flush.
    pub offset: Bytes,
    /// How many; 0 of a flush.
    pub len: u32,
    /// One of the operations but those of file systems.
    pub op: Op,
    /// Another chain's flush that has to end first. Nothing that the flush waits for waits for this
    /// IO.
    pub after: Option<FlushOf>,
}

/// A flush of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlushOf {
    /// The chain.
    pub chain: u32,
    /// Which of its flushes, from 1.
    pub nth: u32,
}

/// The IOs of a replay, which may be more than memory holds.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What they are in all.
    pub totals: Totals,
    /// Reads them.
    pub ios: Arc<dyn ReadIos>,
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
        match self.pace {
            ReplayPace::Open { max_outstanding } => max_outstanding,
            ReplayPace::Chains(count) => count,
        }
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
            ReplayPace::Chains(_) => LoopType::Timed,
        }
    }

    fn steps(&self) -> Vec<(Nanos, Offered)> {
        let offered = match self.pace {
            ReplayPace::Open { .. } => {
                let Totals { ios, last, .. } = self.recording.totals;
                Offered::Rate(ios * SECOND / last.max(SECOND))
            }
            ReplayPace::Chains(count) => Offered::Processes(count.into()),
        };
        vec![(0, offered)]
    }

    fn amount(&self) -> Option<(Bytes, u32)> {
        let chains = match self.pace {
            ReplayPace::Open { .. } => 1,
            ReplayPace::Chains(count) => count,
        };
        let bytes = self.recording.totals.bytes;
        (bytes > 0).then_some((bytes, chains))
    }
}
