//! Traces in the form of other programs, from Python.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use blockyard_model::storage::Op;
use blockyard_trace::write::Iolog;
use blockyard_trace::{Row, Sorted, TooLate, open};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::error::FileError;

/// Write the trace of a file as fio's iolog, version 3, to a new file; give how many IOs it has.
///
/// `paths` has the path of each device that shall not be called by its name. Raises FileError for
/// what is wrong with the trace, and OSError if the file cannot be written.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "pyo3 gives a map by value")]
pub(crate) fn export_iolog(
    py: Python<'_>,
    trace: &str,
    out: &str,
    paths: HashMap<String, String>,
) -> PyResult<u64> {
    py.detach(|| written(trace.as_ref(), out.as_ref(), &paths))
}

fn written(path: &Path, out: &Path, paths: &HashMap<String, String>) -> PyResult<u64> {
    // Of what was asked for, not what the kernel made of it: an empty write asks for a flush.
    let mut flushed_by_writes = false;
    for row in open(path, None).map_err(wrong)? {
        let row = row.map_err(wrong)?;
        flushed_by_writes |= row.op == Op::Write && row.bytes == 0;
    }
    let in_order = |window| in_order(path, out, paths, (window, flushed_by_writes));
    let few = in_order(Sorted::WINDOW)?;
    // Of all rows none comes too late.
    few.map_or_else(|| Ok(in_order(usize::MAX)?.unwrap_or(0)), Ok)
}

/// In the order of arrival, as fio replays it; none if a window of rows is too short for that.
fn in_order(
    path: &Path,
    out: &Path,
    paths: &HashMap<String, String>,
    (window, flushed_by_writes): (usize, bool),
) -> PyResult<Option<u64>> {
    let unwritten = |error: io::Error| PyOSError::new_err(format!("{}: {error}", out.display()));
    let mut trace = open(path, None).map_err(wrong)?;
    let file = File::options().write(true).truncate(true).open(out);
    let mut log = Iolog::new(BufWriter::new(file.map_err(unwritten)?)).map_err(unwritten)?;
    let mut sorted = Sorted::new(window);
    let mut count = 0;
    let mut add = |row: &Row, devices: &[String]| -> PyResult<()> {
        let name = &devices[row.device as usize];
        let added = log.add(row, paths.get(name).unwrap_or(name));
        count += u64::from(added.map_err(unwritten)?);
        Ok(())
    };
    while let Some(row) = trace.next() {
        let row = row.map_err(wrong)?;
        if row.op == Op::Flush && flushed_by_writes {
            continue;
        }
        match sorted.push(row) {
            Err(TooLate) => return Ok(None),
            Ok(false) => {}
            Ok(true) => sorted
                .give()
                .try_for_each(|row| add(&row, trace.devices()))?,
        }
    }
    let rest = sorted.end();
    rest.iter().try_for_each(|row| add(row, trace.devices()))?;
    log.finish().map_err(unwritten)?;
    Ok(Some(count))
}

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn wrong(error: blockyard_trace::Error) -> PyErr {
    FileError::new_err(error.to_string())
}
