//! What could be seen of a load on real storage, whoever looked.

use blockyard_record::result::EbsStatistics;

/// Devices that were watched together, interval by interval.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The length of an interval in seconds.
    pub interval_s: f64,
    /// The devices, each with as many intervals.
    pub devices: Vec<SeenDevice>,
}

/// A device that was watched.
#[derive(Clone, Debug)]
pub struct SeenDevice {
    /// Its name, and where the storage is known that of a device of it.
    pub name: String,
    /// What it did over time.
    pub intervals: Vec<SeenInterval>,
    /// How long it had IO in flight, if that is known.
    pub busy: Option<Busy>,
    /// Which part of the latency is known to be the device's.
    pub parts: Parts,
    /// What EBS itself counted.
    pub ebs: Option<EbsStatistics>,
}

/// How long a device had IO in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Busy {
    /// As a share of the time.
    pub share: f64,
    /// Seconds in which it nearly always had.
    pub full_s: f64,
}

/// Which part of a latency is the device's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parts {
    /// The mean times in this machine's queues and in the device, in microseconds.
    Apart {
        /// Before the device had an IO.
        queue_us: f64,
        /// While it had it.
        device_us: f64,
    },
    /// How long the device had an IO, in microseconds, by how many it had at samples. What waits
    /// for a flush is not in the device either.
    Sampled {
        /// While it had it.
        device_us: f64,
    },
    /// Latencies have both, as those of the kernel's counters.
    Together,
    /// They are the device's alone, as CloudWatch's.
    DeviceAlone,
}

/// What a device did in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenInterval {
    /// Reads that ended.
    pub reads: Moved,
    /// Writes that ended.
    pub writes: Moved,
    /// Flushes that ended, where they are counted.
    pub flushes: Moved,
    /// Reads and writes as EBS counts them on SSD types, split and merged, where each was seen.
    pub counted: Option<u64>,
}

/// What an operation did in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moved {
    /// IOs.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their latencies, summed, in microseconds; not a number where they are not known.
    pub us: f64,
}

/// Data files are written in no smaller blocks, logs may be.
const BLOCK: u64 = 4096;
const SECTOR: u64 = 512;

/// In this share of the writes at least, of which the other half is empty, each has a flush of its
/// own.
const OWN_FLUSH: f64 = 0.45;

/// How many of so many writes have data, of so many bytes together, beside so many flushes. The
/// others only ask for a flush, and the kernel counts them. `counted` is as how many writes EBS
/// counts them, where each IO was seen.
///
/// EBS counts those with data, if it merges none. Otherwise each flush is taken for that of an
/// empty write: unless there are so many that writes with data ask for one, or so few that several
/// shared one, in which case blocks of the least size tell.
#[must_use]
pub fn data_writes((ios, bytes): (u64, u64), flushes: u64, counted: Option<u64>) -> u64 {
    if flushes == 0 {
        return ios;
    }
    let blocks = ios.min(bytes.div_ceil(BLOCK));
    let flushed = flushes as f64 / ios.max(1) as f64;
    let others = ios.saturating_sub(flushes);
    let least = others.min(blocks);
    match counted {
        Some(counted) => {
            let most = ios.min(bytes.div_ceil(SECTOR));
            counted.clamp(least.min(most), most)
        }
        None if flushed > 1.0 - OWN_FLUSH => blocks,
        None if flushed >= OWN_FLUSH => others,
        None => least,
    }
}

impl SeenInterval {
    /// The same without empty writes.
    pub(super) fn without_empty(mut self) -> Self {
        let counted = self
            .counted
            .map(|counted| counted.saturating_sub(self.reads.ios));
        self.writes.ios = data_writes(
            (self.writes.ios, self.writes.bytes),
            self.flushes.ios,
            counted,
        );
        self
    }

    /// The same with as many empty writes as there may have been, had each a flush of its own.
    pub(super) fn with_least_writes(mut self) -> Self {
        self.writes.ios = self.writes.ios.saturating_sub(self.flushes.ios);
        self
    }

    /// Reads and writes.
    pub(super) fn ios(&self) -> u64 {
        self.reads.ios + self.writes.ios
    }

    /// Their latencies, summed.
    pub(super) fn us(&self) -> f64 {
        self.reads.us + self.writes.us
    }
}
