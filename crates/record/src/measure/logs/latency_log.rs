//! `latency.hlog`: the latencies of every interval in the interchange format
//! of HdrHistogram, which its tools and its ports to other languages read.

mod decode;
mod latencies;
mod read;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{
    IntervalLogWriterBuilder, IntervalLogWriterError, Tag,
};

pub use self::latencies::Latencies;
pub use self::read::{LogError, read_log};
use crate::measure::histogram::Histogram;
use crate::new_file;

/// Writes an interval log, in nanoseconds, with three significant digits.
pub struct LatencyLog {
    out: Box<dyn Write + Send>,
    serializer: V2DeflateSerializer,
    scratch: hdrhistogram::Histogram<u64>,
    /// The first error; the log ends there, and the run is told at its end.
    failed: Option<io::Error>,
}

impl LatencyLog {
    /// Starts a log on `out`. Times in it count from the start of the run.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn new(mut out: Box<dyn Write + Send>) -> io::Result<Self> {
        let mut serializer = V2DeflateSerializer::new();
        IntervalLogWriterBuilder::new()
            .add_comment("[Histogram log format version 1.3]")
            .add_comment("latency in nanoseconds; tag JOB.DEVICE.OP")
            .with_base_time(SystemTime::UNIX_EPOCH)
            .begin_log_with(&mut out, &mut serializer)?;
        let scratch = hdrhistogram::Histogram::new(3).map_err(io::Error::other)?;
        Ok(Self {
            out,
            serializer,
            scratch,
            failed: None,
        })
    }

    /// Starts a log in a new file.
    ///
    /// # Errors
    /// If it cannot be made or written.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::new(new_file(path)?)
    }

    /// Adds the interval that has a start and a length; nothing if it is empty.
    pub fn write(&mut self, tag: &str, start: Duration, length: Duration, latencies: &Histogram) {
        if latencies.count() > 0 && self.failed.is_none() {
            self.failed = self.add(tag, start, length, latencies).err();
        }
    }

    fn add(
        &mut self,
        tag: &str,
        start: Duration,
        length: Duration,
        latencies: &Histogram,
    ) -> io::Result<()> {
        self.scratch.reset();
        for (value, count) in latencies.buckets() {
            self.scratch
                .record_n(value.max(1), count)
                .map_err(io::Error::other)?;
        }
        IntervalLogWriterBuilder::new()
            .begin_log_with(&mut self.out, &mut self.serializer)?
            .write_histogram(&self.scratch, start, length, Tag::new(tag))
            .map_err(|error| match error {
                IntervalLogWriterError::IoError(error) => error,
                IntervalLogWriterError::SerializeError(error) => io::Error::other(error),
            })
    }

    /// Why it ends early, once it has.
    pub(crate) fn failed(&self) -> Option<&io::Error> {
        self.failed.as_ref()
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.out.flush()
    }
}

impl std::fmt::Debug for LatencyLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LatencyLog").finish_non_exhaustive()
    }
}
