//! A file of lines that goes on growing for as long as there is room.

use std::borrow::Cow;
use std::fmt::Arguments;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use blockyard_model::units::SECOND;
use blockyard_trace::block::Task;

use crate::devices::reason;
use crate::room::cut;

/// A file of CSV, each line of which begins with a time.
#[derive(Debug)]
pub(crate) struct Lines {
    /// None once something could not be written.
    out: Option<BufWriter<File>>,
    /// What it becomes, for who reads of it.
    name: &'static str,
    columns: &'static str,
    /// Why it ends before the run.
    ended: Option<String>,
}

impl Lines {
    /// Starts a new file with the names of its columns.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn create(
        path: &Path,
        name: &'static str,
        columns: &'static str,
    ) -> io::Result<Self> {
        let mut options = File::options();
        let file = options.read(true).write(true).create_new(true).open(path)?;
        let mut out = BufWriter::new(file);
        writeln!(out, "{columns}")?;
        Ok(Self {
            out: Some(out),
            name,
            columns,
            ended: None,
        })
    }

    /// Adds a line, if there is room.
    pub(crate) fn write(&mut self, line: Arguments<'_>) {
        let written = self.out.as_mut().map(|out| writeln!(out, "{line}"));
        if let Some(Err(error)) = written {
            self.end_early(&error);
        }
    }

    /// Writes out what is left; gives why the file ends before the run, if it does.
    pub(crate) fn finish(mut self) -> Option<String> {
        if let Some(Err(error)) = self.out.as_mut().map(Write::flush) {
            self.end_early(&error);
        }
        self.ended
    }

    /// The run goes on without the file, which keeps its whole lines but for what the run's other
    /// files need.
    fn end_early(&mut self, error: &io::Error) {
        let Some(out) = self.out.take() else {
            return;
        };
        let (file, _) = out.into_parts();
        let (name, why) = (self.name, reason(error));
        self.ended = Some(match cut(file, self.columns) {
            Ok(Some(last)) => {
                let seconds = last as f64 / SECOND as f64;
                format!("{name} ends at {seconds:.1} s: {why}")
            }
            Ok(None) => format!("{name} is empty: {why}"),
            Err(uncut) => format!("{name} ends early: {why}; its end: {}", reason(&uncut)),
        });
    }
}

/// A name, which may hold anything, as a cell of CSV.
pub(crate) fn cell(name: &str) -> Cow<'_, str> {
    if name.contains([',', '"', '\n', '\r']) {
        let quoted = name.replace('"', "\"\"").replace(['\n', '\r'], " ");
        format!("\"{quoted}\"").into()
    } else {
        name.into()
    }
}

/// The name of a thread.
pub(crate) fn name(task: &Task) -> String {
    task.name
        .with(|name| String::from_utf8_lossy(name).into_owned())
}
