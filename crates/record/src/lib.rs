//! What is measured while a run goes on, and the result that every mode writes.
//!
//! A [`Recorder`] is told of every IO and of every period's end; it gives the
//! rows of each interval as they pass and the accounts of the whole at the
//! end. It keeps histograms, not samples, so its memory does not grow with
//! the length of the run.

mod accounts;
mod facts;
mod figures;
mod histogram;
mod intervals;
mod io_log;
mod latencies;
mod latency_log;
pub mod limit_names;
mod observer;
mod outcome;
mod plan;
mod recorder;
pub mod result;
mod series;
mod served;
mod tally;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub use figures::latency_us;
pub use histogram::{Histogram, Packed};
pub use intervals::{Interval, IntervalRow, VolumeRow};
pub use io_log::IoLog;
pub use latencies::Latencies;
pub use latency_log::{LatencyLog, LogError, read_log};
pub use observer::{Observer, ServedDevice};
pub use outcome::{Emulated, Finished, Measured};
pub use plan::{JobPlan, Plan, SeriesKey, op_name};
pub use recorder::{Detail, Metered, Recorder};
pub use series::Account;
pub use tally::{Closed, Completed, Tally};

/// A new file to write to, buffered.
///
/// # Errors
/// If it cannot be made.
pub fn new_file(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    Ok(Box::new(BufWriter::new(File::create(path)?)))
}
