//! Results on their way to Python, and read back from there.

use std::io;

use blockyard_record::result::RunResult;
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::FileError;

/// The text of `result.json`, or of an answer.
pub(crate) fn text_of(result: &impl Serialize) -> PyResult<String> {
    let text = serde_json::to_string_pretty(result).map_err(io::Error::from)?;
    Ok(text + "\n")
}

/// Check that a text is a whole `result.json` of this version's schema.
///
/// Raises FileError, in one line that `file_name` begins, if it is not.
#[pyfunction]
pub(crate) fn check_result(text: &str, file_name: &str) -> PyResult<()> {
    match RunResult::read(text) {
        Ok(_) => Ok(()),
        Err(reason) => Err(FileError::new_err(format!("{file_name}: {reason}"))),
    }
}
