//! What a workload is built from: plain data, resolved by the scenario crate.

use alloc::string::String;
use alloc::vec::Vec;

use crate::units::{Bytes, Nanos};

/// A file: a run of bytes on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Index of the device in [`crate::spec::StorageSpec::devices`].
    pub device: usize,
    /// First byte on the device.
    pub offset: Bytes,
    /// Size, a multiple of the job's block size.
    pub size: Bytes,
}

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

/// `ranread` and `access_spec`: IOs of one size at random or sequential places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessSpec {
    /// The job's name; its random streams are labelled with it.
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
}

/// `ranwrite`: update processes over a database cache, written out by a
/// journal, a write image journal (WIJ) and write daemons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RanWriteSpec {
    /// The job's name; its random streams are labelled with it.
    pub name: String,
    /// The database file.
    pub data: Region,
    /// The write image journal.
    pub wij: Region,
    /// The journal.
    pub journal: Region,
    /// Database block size.
    pub block: Bytes,
    /// (from, update processes), rising in time, the first at 0.
    pub steps: Vec<(Nanos, u32)>,
    /// Updates a second of each process.
    pub updates_per_process: u64,
    /// Longest time from the start of one write-daemon cycle to the next.
    pub cycle: Nanos,
    /// Dirty blocks that start a cycle early.
    pub dirty_limit: u64,
    /// Time to form the list of dirty blocks, each; updaters are held meanwhile.
    pub list_time_per_block: Nanos,
    /// Size of a WIJ write.
    pub wij_write: Bytes,
    /// WIJ writes in flight (`asyncwij`).
    pub wij_outstanding: u32,
    /// Write daemons (`wdparm` a).
    pub daemons: u32,
    /// Database writes in flight over all daemons (`wdparm` c).
    pub outstanding: u32,
    /// Database writes in flight of one daemon (`wdparm` d).
    pub outstanding_per_daemon: u32,
    /// Most adjacent dirty blocks written as one IO.
    pub coalesce_blocks: u32,
    /// Journal bytes of one update.
    pub journal_record: Bytes,
    /// Journal bytes that are written at once.
    pub journal_buffer: Bytes,
    /// Longest time that journal bytes wait to be written.
    pub journal_interval: Nanos,
}

/// One job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobSpec {
    /// `ranread` or `access_spec`.
    Access(AccessSpec),
    /// `ranwrite`.
    RanWrite(RanWriteSpec),
}
