//! What a replay is built from, and what it says of itself.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use crate::request::Op;
use crate::spec::Region;
use crate::units::{Bytes, Nanos, SECOND};
use crate::workload::describe::{Describe, FileUse, LoopType, Offered};

/// Devices read and write whole sectors.
const SECTOR: Bytes = 512;

/// `replay`: IOs that were recorded, once, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaySpec {
    /// The job's name.
    pub name: String,
    /// Where offset 0 of the recorded device lies.
    pub file: Region,
    /// The IOs, at least one; those of a chain stand together.
    pub ios: Arc<[RecordedIo]>,
    /// When they come.
    pub pace: ReplayPace,
    /// Of chains: the IOs that wait for a flush of another chain, too; in their order.
    pub meetings: Arc<[Meeting]>,
}

/// An IO of a chain that also waits for another chain's flush, whose wait is then that since the
/// later of both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The IO, by its place in `ios`.
    pub io: u32,
    /// The flush, by its place there. Nothing that it waits for waits for the IO.
    pub flush: u32,
}

/// When the IOs of a replay come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayPace {
    /// Open loop: when they came, so many at once.
    Open {
        /// Most IOs in flight; what is due beyond waits, and its latency counts.
        max_outstanding: u32,
    },
    /// Closed loop: chains, such as threads, in which an IO comes some time after the one before it
    /// has ended.
    Chains(
        /// The place in `ios` at which each begins, rising, the first 0.
        Vec<u32>,
    ),
}

/// An IO that was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedIo {
    /// Open, and for the first of a chain: when it comes, from the beginning of the run. For the
    /// others of a chain: the time since the end of the one before.
    pub wait: Nanos,
    /// Its first byte within the file; 0 of a flush.
    pub offset: Bytes,
    /// How many; 0 of a flush.
    pub len: u32,
    /// One of the operations but those of file systems.
    pub op: Op,
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
        match &self.pace {
            ReplayPace::Open { max_outstanding } => *max_outstanding,
            ReplayPace::Chains(begins) => begins.len() as u32,
        }
    }

    /// The largest IO.
    pub(super) fn largest_io(&self) -> Bytes {
        self.ios.iter().map(|io| io.len.into()).max().unwrap_or(0)
    }
}

impl Describe for ReplaySpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self) -> Vec<FileUse> {
        let bits = self.ios.iter().fold(0, |bits, io| {
            let bit = match io.op {
                Op::Read => 1,
                Op::Flush => 4,
                Op::Trim => 8,
                Op::Write | Op::Zero | Op::Journal => 2,
            };
            bits | bit
        });
        let ends = self.ios.iter().map(|io| io.offset + Bytes::from(io.len));
        vec![FileUse {
            region: self.file,
            unit: SECTOR,
            ops: OPS[bits],
            in_flight: self.in_flight().into(),
            largest_io: self.largest_io().max(SECTOR),
            least_size: ends.max().unwrap_or(0).max(SECTOR),
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
        let offered = match &self.pace {
            ReplayPace::Open { .. } => {
                let length = self.ios.last().map_or(0, |io| io.wait).max(SECOND);
                Offered::Rate(self.ios.len() as u64 * SECOND / length)
            }
            ReplayPace::Chains(begins) => Offered::Processes(begins.len() as u64),
        };
        vec![(0, offered)]
    }

    fn amount(&self) -> Option<(Bytes, u32)> {
        let bytes: Bytes = self.ios.iter().map(|io| Bytes::from(io.len)).sum();
        let chains = match &self.pace {
            ReplayPace::Open { .. } => 1,
            ReplayPace::Chains(begins) => begins.len() as u32,
        };
        (bytes > 0).then_some((bytes, chains))
    }
}
