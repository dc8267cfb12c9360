//! `ios.csv` of an observation: each IO that was seen from its beginning to its end.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use blockyard_model::units::Nanos;
use blockyard_record::IO_LOG_COLUMNS;
use blockyard_trace::block::{Io, Task};

use crate::counts::{OPS, SECTOR};

/// Writes a line for each IO as it ends.
#[derive(Debug)]
pub(crate) struct IoLog {
    out: BufWriter<File>,
    /// The clock's 0, as IOs have it.
    origin: Nanos,
    /// The first error; the log ends there, and the run is told at its end.
    failed: Option<io::Error>,
}

impl IoLog {
    /// Starts a log in a new file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn create(path: &Path, origin: Nanos) -> io::Result<Self> {
        let mut out = BufWriter::new(File::create_new(path)?);
        writeln!(out, "{IO_LOG_COLUMNS}")?;
        Ok(Self {
            out,
            origin,
            failed: None,
        })
    }

    /// Adds an IO of a device, unless it began before the log.
    pub(crate) fn add(&mut self, device: &str, io: &Io) {
        let due = io.time.saturating_sub(io.latency);
        self.write(&Line {
            issued: due + io.queue.unwrap_or(0),
            due,
            job: &name(&io.by),
            thread: io.by.thread,
            device,
            op: OPS[io.op],
            place: (io.place.0 * SECTOR, io.place.1 * SECTOR),
            completed: (!io.failed).then_some(io.time),
        });
    }

    /// Adds a line, unless it began before the log.
    pub(crate) fn write(&mut self, line: &Line<'_>) {
        if line.due >= self.origin && self.failed.is_none() {
            self.failed = self.line(line).err();
        }
    }

    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        let from_origin = |time: Nanos| time - self.origin;
        let (issued, due) = (from_origin(line.issued), from_origin(line.due));
        let completed = line.completed.map(from_origin);
        let completed = completed.map_or_else(String::new, |time| time.to_string());
        let Line {
            thread,
            device,
            op,
            place: (offset, bytes),
            ..
        } = line;
        let job = cell(line.job);
        writeln!(
            self.out,
            "{issued},{due},{job},{thread},{device},{op},{offset},{bytes},{completed}"
        )
    }

    /// Writes out what is left.
    ///
    /// # Errors
    /// If anything could not be written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.out.flush()
    }
}

/// An IO, with times as on the clock.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) issued: Nanos,
    pub(crate) due: Nanos,
    pub(crate) job: &'a str,
    pub(crate) thread: u32,
    pub(crate) device: &'a str,
    pub(crate) op: &'static str,
    /// The first byte, and how many.
    pub(crate) place: (u64, u64),
    /// None of one that failed.
    pub(crate) completed: Option<Nanos>,
}

/// The name of a thread.
fn name(task: &Task) -> Cow<'_, str> {
    let name = task.name.split(|byte| *byte == 0).next();
    String::from_utf8_lossy(name.unwrap_or_default())
}

/// A name, which may hold anything, as a cell of CSV.
fn cell(name: &str) -> Cow<'_, str> {
    if name.contains([',', '"', '\n', '\r']) {
        let quoted = name.replace('"', "\"\"").replace(['\n', '\r'], " ");
        format!("\"{quoted}\"").into()
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_is_one_cell() {
        for (own, cell) in [
            ("fio", "fio"),
            ("opt cgu.15", "opt cgu.15"),
            ("a,b\"c\n", "\"a,b\"\"c \""),
        ] {
            let mut task = Task::default();
            task.name[..own.len()].copy_from_slice(own.as_bytes());
            assert_eq!(super::cell(&name(&task)), cell);
        }
    }
}
