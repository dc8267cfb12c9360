//! What an access job is built from, and what it says of itself.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::request::Op;
use crate::spec::Region;
use crate::units::{Bytes, Nanos};
use crate::workload::describe::{Describe, FileUse, LoopType, Offered, most, processes};

/// Journals are written in multiples of this.
const SECTOR: Bytes = 512;

/// How the gaps between open-loop arrivals are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Exponential gaps.
    Poisson,
    /// Equal gaps.
    Even,
}

/// Which blocks random IOs prefer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skew {
    /// By how much.
    pub preference: Preference,
    /// Whether the preferred blocks lie all over the file, or at its start.
    pub scatter: bool,
}

/// By how much blocks are preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// All alike.
    None,
    /// The k-th most wanted block has probability proportional to k^-s.
    Zipf {
        /// The exponent s, in 1/1000; at least 1.
        permille: u32,
    },
    /// Some blocks get most of the IOs, all of them alike.
    Hot {
        /// Share of the IOs that they get, in 1/1000.
        ios_permille: u32,
        /// Share of the blocks that they are, in 1/1000.
        blocks_permille: u32,
    },
}

impl Skew {
    /// No preference.
    pub const NONE: Self = Self {
        preference: Preference::None,
        scatter: false,
    };
}

/// What makes a job issue its next IO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Load {
    /// Closed loop: each process keeps `outstanding` IOs in flight.
    Closed {
        /// (from, processes), rising in time, the first at 0. 0 processes rest.
        steps: Vec<(Nanos, u32)>,
        /// IOs in flight of each process (queue depth).
        outstanding: u32,
    },
    /// Open loop: IOs come due by the clock whether or not earlier ones are done.
    Open {
        /// (from, IOs a second), rising in time, the first at 0. 0 rests.
        steps: Vec<(Nanos, u64)>,
        /// How gaps are drawn.
        arrivals: Arrivals,
        /// Most IOs in flight; what is due beyond waits, and its latency counts.
        max_outstanding: u32,
        /// IOs whose issue lags further behind than this are skipped, and IOs
        /// slower than this are counted late.
        latency_limit: Option<Nanos>,
    },
}

/// Flushes between the writes of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fsync {
    /// After this number of writes, at least 1, it waits for all its IO and then for an fsync.
    pub every: u32,
    /// What the file system writes first; none on a raw device, where an fsync is a flush.
    pub file_system: Option<FileSystem>,
}

/// What a file system does in an fsync: it makes the metadata durable that the file's last write
/// changed, in a commit that carries all that was changed before it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSystem {
    /// Its journal (ext4) or log (XFS), written in sequence, over and over.
    pub journal: Region,
    /// The writes of a commit, one after another: their bytes, at least one write, each a
    /// multiple of 512 and no larger than the journal.
    pub commit: Vec<Bytes>,
}

/// `ranread` and `access_spec`: IOs of one size at random or sequential places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessSpec {
    /// The job's name.
    pub name: String,
    /// The file.
    pub file: Region,
    /// IO size, which is also the alignment.
    pub block: Bytes,
    /// Share of reads, in 1/1000.
    pub read_permille: u32,
    /// Share of random places, in 1/1000; the rest continue sequentially.
    pub random_permille: u32,
    /// Which blocks the random places prefer.
    pub skew: Skew,
    /// What makes it issue.
    pub load: Load,
    /// In a closed loop, the mean of an exponential pause after each IO; 0 for none. Not together
    /// with read-ahead or a file system.
    pub think: Nanos,
    /// Its flushes, in a closed loop with writes; none if it sends none.
    pub fsync: Option<Fsync>,
    /// The kernel's read-ahead in a closed loop of sequential reads with one in flight: the
    /// bytes of a window, a multiple of the block. Not together with `fsync`. None if reads
    /// pass the page cache by.
    pub read_ahead: Option<Bytes>,
    /// Bytes of reads and writes after which a closed loop has nothing more to do: each process
    /// does its share, in whole IOs. None if it goes on to the end of the run.
    pub amount: Option<Bytes>,
}

/// Windows in flight of a process that reads through the page cache.
pub(in crate::workload) const WINDOWS: u32 = 2;

impl Describe for AccessSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self) -> Vec<FileUse> {
        let in_flight = match &self.load {
            Load::Closed { steps, outstanding } => {
                let each = self.read_ahead.map_or(*outstanding, |_| WINDOWS);
                u64::from(most(steps)) * u64::from(each)
            }
            Load::Open {
                max_outstanding, ..
            } => u64::from(*max_outstanding),
        };
        let mut files = vec![FileUse {
            region: self.file,
            unit: self.block,
            ops: match (self.read_permille, &self.fsync) {
                (0, None) => &[Op::Write],
                (0, Some(_)) => &[Op::Write, Op::Flush],
                (1..1000, None) => &[Op::Read, Op::Write],
                (1..1000, Some(_)) => &[Op::Read, Op::Write, Op::Flush],
                _ => &[Op::Read],
            },
            in_flight,
            largest_io: self.read_ahead.unwrap_or(self.block).min(self.file.size),
            least_size: self.block,
        }];
        files.extend(self.file_system().map(|file_system| FileUse {
            region: file_system.journal,
            unit: SECTOR,
            ops: &[Op::Journal],
            in_flight: 1,
            largest_io: file_system.largest_write(),
            least_size: file_system.largest_write(),
        }));
        files
    }

    fn regions_mut(&mut self) -> Vec<&mut Region> {
        let file_system = self.fsync.as_mut().and_then(|it| it.file_system.as_mut());
        let journal = file_system.map(|it| &mut it.journal);
        [&mut self.file].into_iter().chain(journal).collect()
    }

    fn loop_type(&self) -> LoopType {
        match self.load {
            Load::Closed { .. } => LoopType::Closed,
            Load::Open { latency_limit, .. } => LoopType::Open { latency_limit },
        }
    }

    fn steps(&self) -> Vec<(Nanos, Offered)> {
        match &self.load {
            Load::Closed { steps, .. } => processes(steps),
            Load::Open { steps, .. } => {
                let rate = |&(from, rate): &(Nanos, u64)| (from, Offered::Rate(rate));
                steps.iter().map(rate).collect()
            }
        }
    }

    fn amount(&self) -> Option<(Bytes, u32)> {
        match &self.load {
            Load::Closed { steps, .. } => self.amount.map(|bytes| (bytes, most(steps))),
            Load::Open { .. } => None,
        }
    }

    fn most_parts(&self) -> u32 {
        match &self.load {
            Load::Closed { steps, .. } => most(steps).max(1),
            Load::Open { .. } => 1,
        }
    }
}

impl AccessSpec {
    pub(in crate::workload) fn as_access(&self) -> Option<&AccessSpec> {
        (self.fsync.is_none() && self.read_ahead.is_none()).then_some(self)
    }

    /// The IOs of `unit` bytes that are the share of process `process` of `of` in the amount.
    pub(super) fn share(&self, process: u32, of: u32, unit: Bytes) -> u64 {
        let Some(amount) = self.amount else {
            return u64::MAX;
        };
        let (ios, of) = (amount.div_ceil(unit), u64::from(of.max(1)));
        ios / of + u64::from(u64::from(process) < ios % of)
    }

    fn file_system(&self) -> Option<&FileSystem> {
        self.fsync.as_ref()?.file_system.as_ref()
    }
}

impl FileSystem {
    /// Bytes of the largest write of a commit.
    pub(in crate::workload) fn largest_write(&self) -> Bytes {
        self.commit.iter().copied().max().unwrap_or(0)
    }
}
