//! `ios.csv` of an observation: each IO that was seen from its beginning to its end.

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
        let Some(due) = io.time.saturating_sub(io.latency).checked_sub(self.origin) else {
            return;
        };
        if self.failed.is_none() {
            self.failed = self.line(device, io, due).err();
        }
    }

    fn line(&mut self, device: &str, io: &Io, due: Nanos) -> io::Result<()> {
        let issued = due + io.queue.unwrap_or(0);
        let (job, thread, op) = (name(&io.by), io.by.thread, OPS[io.op]);
        let (offset, bytes) = (io.place.0 * SECTOR, io.place.1 * SECTOR);
        write!(
            self.out,
            "{issued},{due},{job},{thread},{device},{op},{offset},{bytes},"
        )?;
        if io.failed {
            writeln!(self.out)
        } else {
            writeln!(self.out, "{}", due + io.latency)
        }
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

/// The name of a thread, which may hold anything, as a cell of CSV.
fn name(task: &Task) -> String {
    let name = task.name.split(|byte| *byte == 0).next();
    let name = String::from_utf8_lossy(name.unwrap_or_default());
    if name.contains([',', '"', '\n', '\r']) {
        format!(
            "\"{}\"",
            name.replace('"', "\"\"").replace(['\n', '\r'], " ")
        )
    } else {
        name.into_owned()
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
            assert_eq!(name(&task), cell);
        }
    }
}
