//! The data of a run that is compared.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::Serialize;

use blockyard_record::{Histogram, Packed};

/// A run after its warm-up.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its series, whose bins are aligned.
    pub series: Vec<Series>,
    /// Its jobs' load steps, in order.
    pub steps: Vec<Step>,
    /// The seed of a simulation; none of what can only be repeated, not drawn again.
    pub seed: Option<u64>,
    /// Whether its bins are the load steps of each job, which other jobs need not have.
    pub by_step: bool,
}

/// What a job offers in a load step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Load {
    /// Processes of a closed loop.
    #[serde(rename = "processes")]
    Processes(u64),
    /// IOs a second of an open loop.
    #[serde(rename = "rate")]
    Rate(u64),
}

/// A load step of a job.
#[derive(Clone, Debug)]
pub struct Step {
    /// The job.
    pub job: String,
    /// What it offers in it.
    pub load: Load,
    /// The [`Bin::step`]s of which it consists: those of all jobs are numbered together.
    pub bins: RangeInclusive<usize>,
}

/// What a job did on a device with one operation.
#[derive(Clone, Debug)]
pub struct Series {
    /// The job.
    pub job: String,
    /// The device.
    pub device: String,
    /// The operation: `read`, `write`, `flush` or `trim`; or [`crate::TRANSACTION`], whose
    /// bins count transactions in place of IOs.
    pub op: String,
    /// Interval by interval.
    pub bins: Vec<Bin>,
    /// Where bins have no latencies: shares of all IOs of the run, and the latencies in
    /// microseconds that they do not exceed.
    pub percentiles: Vec<(f64, f64)>,
}

/// One interval of a series.
#[derive(Clone, Debug, Default)]
pub struct Bin {
    /// Its load step, counted from the run's start: differences between steps
    /// are not chance.
    pub step: usize,
    /// Its length in seconds.
    pub length_s: f64,
    /// IOs that completed.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The number of IOs whose latency is known, at least as a mean, and the
    /// sum of their latencies in nanoseconds.
    pub timed: (u64, f64),
    /// Their latencies in nanoseconds; empty where they are not known.
    pub latencies: Packed,
}

impl Bin {
    /// Several bins as one, whose length `lengths` computes from theirs.
    pub(crate) fn merged<'a>(
        bins: impl IntoIterator<Item = &'a Self>,
        lengths: fn(f64, f64) -> f64,
    ) -> Self {
        let mut latencies = Histogram::default();
        let mut bins = bins.into_iter().peekable();
        let mut sum = Self {
            step: bins.peek().map_or(0, |bin| bin.step),
            ..Self::default()
        };
        for bin in bins {
            sum.length_s = lengths(sum.length_s, bin.length_s);
            sum.ios += bin.ios;
            sum.bytes += bin.bytes;
            sum.timed.0 += bin.timed.0;
            sum.timed.1 += bin.timed.1;
            latencies.merge_packed(&bin.latencies);
        }
        sum.latencies = Packed::from(&latencies);
        sum
    }
}
