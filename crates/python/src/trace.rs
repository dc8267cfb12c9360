//! Traces in the form of other programs, from Python.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use blockyard_trace::open;
use blockyard_trace::write::Iolog;
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
    let wrong = |error: blockyard_trace::Error| FileError::new_err(error.to_string());
    let unwritten = |error: io::Error| PyOSError::new_err(format!("{}: {error}", out.display()));
    let mut trace = open(path, None).map_err(wrong)?;
    let file = File::options().write(true).open(out).map_err(unwritten)?;
    let mut log = Iolog::new(BufWriter::new(file)).map_err(unwritten)?;
    let mut count = 0;
    while let Some(row) = trace.next() {
        let row = row.map_err(wrong)?;
        let name = &trace.devices()[row.device as usize];
        let added = log.add(&row, paths.get(name).unwrap_or(name));
        count += u64::from(added.map_err(unwritten)?);
    }
    log.finish().map_err(unwritten)?;
    Ok(count)
}
