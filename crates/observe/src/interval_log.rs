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
    /// None once something could not be written.
    log: Option<LatencyLog>,
    /// Why it ends before the run.
    ended: Option<String>,
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
            ended: None,
        })
    }

    /// Adds an interval, if there is room.
    pub(crate) fn write(&mut self, tag: &str, from: Duration, length: Duration, all: &Histogram) {
        let written = self
            .log
            .as_mut()
            .map(|log| log.write(tag, from, length, all));
        if let Some(Err(error)) = written {
            self.end_early(&error);
        }
    }

    /// Writes out what is left; gives why the file ends before the run, if it does.
    pub(crate) fn finish(&mut self) -> Option<String> {
        if let Some(Err(error)) = self.log.as_mut().map(LatencyLog::finish) {
            self.end_early(&error);
        }
        self.ended.take()
    }

    /// What is there stays, up to its last whole line.
    fn end_early(&mut self, error: &io::Error) {
        // Its buffer is tried once more.
        self.log = None;
        let kept = File::options().read(true).write(true).open(&self.path);
        let kept = kept.and_then(whole_lines);
        let why = kept.err().map_or_else(String::new, |error| {
            format!(", and its last line may be cut off ({})", reason(&error))
        });
        self.ended = Some(format!(
            "latency.hlog, the latencies of each interval, ends before the run{why}: {}",
            reason(error)
        ));
    }
}
