//! `latency.hlog` of an observation, which goes on for as long as there is room.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use blockyard_record::{Histogram, LatencyLog};

use crate::devices::reason;
use crate::room::whole_lines;

/// Latencies by interval.
#[derive(Debug)]
pub(crate) struct IntervalLog {
    path: PathBuf,
    /// None once it is finished.
    log: Option<LatencyLog>,
}

impl IntervalLog {
    /// Starts a log in a new file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            log: Some(LatencyLog::create(path)?),
        })
    }

    /// Adds an interval, if there is room.
    pub(crate) fn write(&mut self, tag: &str, from: Duration, length: Duration, all: &Histogram) {
        if let Some(log) = &mut self.log {
            log.write(tag, from, length, all);
        }
    }

    /// Writes out what is left; gives why the file ends before the run, if it does. What is
    /// there stays, up to its last whole line.
    pub(crate) fn finish(&mut self) -> Option<String> {
        let error = self.log.take()?.finish().err()?;
        let kept = File::options().read(true).write(true).open(&self.path);
        let kept = kept.and_then(whole_lines);
        let why = kept.err().map_or_else(String::new, |error| {
            format!(", and its last line may be cut off ({})", reason(&error))
        });
        Some(format!(
            "latency.hlog, the latencies of each interval, ends before the run{why}: {}",
            reason(&error)
        ))
    }
}
