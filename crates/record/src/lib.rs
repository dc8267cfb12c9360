//! What is measured while a run goes on, and the result that every mode writes.
//!
//! A [`Recorder`] is told of every IO and of every period's end; it gives the
//! rows of each interval as they pass and the summary of the whole at the
//! end. It keeps histograms, not samples, so its memory does not grow with
//! the length of the run.

mod by_job;
mod by_second;
mod counters;
mod engine_halves;
mod engine_ios;
mod events;
mod facts;
mod group;
mod histogram;
mod io_log;
mod journal_mirrors;
mod latency_log;
pub mod limit_names;
mod measured;
mod network;
mod observer;
mod outcome;
mod pace;
mod recorder;
pub mod result;
mod series;
mod series_steps;
mod shape;
mod shortfall;
mod storage_stats;
mod throttle_stats;
mod transactions;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub use counters::{InFlight, IntervalCounts, ThreadCounters};
pub use histogram::{Histogram, Packed};
pub use io_log::IoLog;
pub use latency_log::{Latencies, LatencyLog, LogError, read_log};
pub use network::{Network, words as mirror_words};
pub use observer::{Interval, IntervalRow, Observer, ServedDevice, TransactionRow, VolumeRow};
pub use outcome::{Emulated, RunOutcome, Summary};
pub use recorder::{Detail, Metered, Recorder};
pub use series::SeriesStats;
pub use series_steps::{SeriesSteps, StepStats};
pub use shape::{EngineShape, JobShape, RunShape, SeriesKey, op_name};

/// A new file to write to, buffered.
///
/// # Errors
/// If it cannot be made.
pub fn new_file(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    Ok(Box::new(BufWriter::new(File::create(path)?)))
}
