//! `ios.csv` of an observation: each IO that was seen from its beginning to its end.

use std::io;
use std::path::Path;

use blockyard_model::units::Nanos;
use blockyard_record::IO_LOG_COLUMNS;
use blockyard_trace::block::Io;

use crate::counts::{OPS, SECTOR};
use crate::lines::{Lines, cell, name};

/// Writes a line for each IO as it ends.
#[derive(Debug)]
pub(crate) struct IoLog {
    lines: Lines,
    /// The clock's 0, as IOs have it.
    origin: Nanos,
}

impl IoLog {
    /// Starts a log in a new file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn create(path: &Path, origin: Nanos) -> io::Result<Self> {
        Ok(Self {
            lines: Lines::create(path, "ios.csv", IO_LOG_COLUMNS)?,
            origin,
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
        if line.due >= self.origin {
            line.write(&mut self.lines, self.origin);
        }
    }

    /// Writes out what is left; gives why the log ends before the run, if it does.
    pub(crate) fn finish(self) -> Option<String> {
        self.lines.finish()
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

impl Line<'_> {
    fn write(&self, out: &mut Lines, origin: Nanos) {
        let from_origin = |time: Nanos| time - origin;
        let (issued, due) = (from_origin(self.issued), from_origin(self.due));
        let completed = self.completed.map(from_origin);
        let completed = completed.map_or_else(String::new, |time| time.to_string());
        let Line {
            thread,
            device,
            op,
            place: (offset, bytes),
            ..
        } = self;
        let job = cell(self.job);
        out.write(format_args!(
            "{issued},{due},{job},{thread},{device},{op},{offset},{bytes},{completed}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use blockyard_trace::block::{Name, Task};

    use super::*;

    #[test]
    fn any_name_is_one_cell() {
        for (own, cell) in [
            ("fio", "fio"),
            ("opt cgu.15", "opt cgu.15"),
            ("a,b\"c\n", "\"a,b\"\"c \""),
        ] {
            let task = Task {
                thread: 1,
                name: Name::of(own.as_bytes()),
            };
            assert_eq!(crate::lines::cell(&name(&task)), cell);
        }
    }
}
