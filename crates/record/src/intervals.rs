//! The rows that a run gives while it runs.

use crate::result::LatencyUs;

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
    /// Their latency; none without IOs.
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
}
