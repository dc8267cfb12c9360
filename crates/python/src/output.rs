//! What a run writes.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;

use blockyard_record::LatencyLog;
use blockyard_record::result::RunResult;
use pyo3::PyResult;

/// The text of `result.json`.
pub(crate) fn text_of(result: &RunResult) -> PyResult<String> {
    let text = serde_json::to_string_pretty(result).map_err(io::Error::from)?;
    Ok(text + "\n")
}

/// A new file for the latencies of every interval.
pub(crate) fn open_log(path: PathBuf) -> io::Result<LatencyLog> {
    LatencyLog::new(create(path)?)
}

/// A new file to write to.
pub(crate) fn create(path: PathBuf) -> io::Result<Box<dyn io::Write + Send>> {
    Ok(Box::new(BufWriter::new(File::create(path)?)))
}
