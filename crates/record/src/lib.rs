//! What is measured while a run goes on, and the result that every mode writes.
//!
//! A [`Recorder`] takes every IO and every period's end; it gives the
//! rows of each interval as they pass and the summary of the whole at the
//! end. It keeps histograms, not samples, so its memory does not grow with
//! the length of the run.

mod in_memory;
pub mod limit_names;
mod measure;
pub mod result;
pub mod thresholds;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub use in_memory::InMemory;
pub use measure::by_interval::ByIntervalRecorder;
pub use measure::counters::{InFlight, IntervalCounts, ThreadCounters};
pub use measure::histogram::{Histogram, MOST_VALUES, Packed};
pub use measure::logs::io_log::{IO_LOG_COLUMNS, IoLog};
pub use measure::logs::latency_log::{Latencies, LatencyLog, LogError, read_log};
pub use measure::observer::{
    Interval, IntervalRow, Observer, ServedDevice, TransactionRow, VolumeRow,
};
pub use measure::outcome::{Emulated, RunOutcome};
pub use measure::recorder::{Detail, Metered, Recorder};
pub use measure::row_names::{RowNames, SeriesName};
pub use measure::series::SeriesStats;
pub use measure::series_steps::{SeriesSteps, StepStats};
pub use measure::shape::{EngineShape, JobShape, RunShape, RunTimes, SeriesKey, op_name};
pub use measure::storage::network::{Network, words as mirror_words};
pub use measure::summary::Summary;
pub use result::words::STATES as MIRROR_STATES;

/// A new file to write to, buffered.
///
/// # Errors
/// If it cannot be made.
pub fn new_file(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    Ok(Box::new(BufWriter::new(File::create(path)?)))
}
