//! `calls.csv` of an observation, which becomes `calls.parquet`: each call that was seen from its
//! beginning to its end.

use std::io;
use std::path::Path;

use blockyard_machine::Thread;
use blockyard_model::units::Nanos;

use super::call::Call;
use super::kinds::CALLS;
use crate::lines::{Lines, cell};

const COLUMNS: &str = "start_ns,end_ns,pid,thread,name,call,fd,result,ios,waited,io_ns";

/// Writes a line for each call.
#[derive(Debug)]
pub(super) struct Table {
    lines: Lines,
    /// The clock's 0, as calls have it.
    origin: Nanos,
}

impl Table {
    /// Starts a table in a new file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn create(path: &Path, origin: Nanos) -> io::Result<Self> {
        Ok(Self {
            lines: Lines::create(path, "calls.parquet", COLUMNS)?,
            origin,
        })
    }

    /// Adds a call, which began after the table did.
    pub(super) fn add(&mut self, call: &Call, who: &Thread) {
        let Call {
            thread,
            result,
            ios,
            ..
        } = call;
        let (start, end) = (call.start - self.origin, call.end - self.origin);
        let file = call.file.map_or(-1, i64::from);
        let name = cell(&who.name);
        self.lines.write(format_args!(
            "{start},{end},{},{thread},{name},{},{file},{result},{},{},{}",
            who.pid, CALLS[call.call].0, ios.count, ios.waited, ios.time
        ));
    }

    /// Writes out what is left; gives why the table ends before the run, if it does.
    pub(super) fn finish(self) -> Option<String> {
        self.lines.finish()
    }
}
