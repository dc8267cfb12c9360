//! Observers of a run, and what they are told.

use std::io;

use blockyard_model::units::Bytes;
use blockyard_scenario::units::Size;
use serde_json::Value;

use crate::measure::shape::RunShape;
use crate::result::LatencyUs;

/// Is told what happens in a run of any mode, in the thread that started it. An observer
/// implements the methods that it needs; the others do nothing.
pub trait Observer {
    /// Emulation: clients can come to these devices.
    fn serving(&mut self, _devices: &[ServedDevice]) {}

    /// Bench: no target refuses the run, and nothing is written yet. What follows waits for this
    /// to return.
    fn checked(&mut self) {}

    /// Bench: `done` of `of` bytes of a device's target are written in preparation.
    fn prepared(&mut self, _device: &str, _done: Bytes, _of: Bytes) {}

    /// Bench: all is prepared. The clock starts when this returns.
    fn at_start(&mut self) {}

    /// An interval ended. In an emulation `status` is what `steer status` shows.
    fn interval(&mut self, _plan: &RunShape, _interval: Interval, _status: Option<&Value>) {}

    /// Something that the user should know at once: nothing completes, a bad
    /// block was read.
    fn warn(&mut self, _message: &str) {}

    /// A log ends before the run for this reason. The result that follows is whole.
    fn unwritten(&mut self, _error: &io::Error) {}

    /// Whether to stop. Asked several times a second; a simulation asks after each
    /// interval too.
    fn stopped(&mut self) -> bool {
        false
    }
}

/// Ignores everything.
impl Observer for () {}

/// A device that an emulation serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedDevice {
    /// Its name: the scenario's device or volume.
    pub name: String,
    /// Where clients find it: a URI or a path.
    pub place: String,
    /// Its size.
    pub size: Size,
    /// Where its bytes lie, in words.
    pub backing: String,
}

/// What a job did on a device with one operation in one interval.
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalRow {
    /// Start of the interval, in seconds.
    pub t_s: f64,
    /// Index into [`crate::Recorder::series`].
    pub series: usize,
    /// IOs that completed in it.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their mean latency in microseconds; none without IOs.
    pub mean_us: Option<f64>,
    /// Their latency; none without IOs, and where no more than the mean is known.
    pub latency_us: Option<LatencyUs>,
    /// IOs in flight, time-weighted mean.
    pub queue_depth: f64,
}

/// What a volume served in one interval.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeRow {
    /// Start of the interval, in seconds.
    pub t_s: f64,
    /// Index of the volume.
    pub volume: usize,
    /// IOs as counted against limits.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// Microseconds that each of its limits, the host's first, throttled IOs.
    pub throttled_us: Vec<f64>,
    /// Its credit balance at the interval's end, in percent.
    pub balance_pct: Option<f64>,
    /// The lowest credit balance of the host then, if its IO passes the host's limits.
    pub host_balance_pct: Option<f64>,
}

/// The transactions of a job in one interval, and how its engine was at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct TransactionRow {
    /// Start of the interval, in seconds.
    pub t_s: f64,
    /// Index of the job.
    pub job: usize,
    /// Transactions that ended in it.
    pub count: u64,
    /// The same a second.
    pub tps: f64,
    /// Their latency; none without any.
    pub latency_us: Option<LatencyUs>,
    /// Pages that are changed in the buffer pool and not on disk.
    pub dirty_pages: u64,
    /// Bytes of redo log since the oldest change that is not on disk.
    pub checkpoint_age: Bytes,
}

/// One interval of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// How far the run is, in seconds.
    pub done_s: f64,
    /// A row for every job, device and operation.
    pub rows: Vec<IntervalRow>,
    /// A row for every volume.
    pub volumes: Vec<VolumeRow>,
    /// The rate in force of every limit of [`crate::RunShape::limits`].
    pub rates: Vec<u64>,
    /// A row for every job that does transactions.
    pub transactions: Vec<TransactionRow>,
}
