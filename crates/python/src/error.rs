//! Bad input as a Python exception.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};

create_exception!(
    blockyard._core,
    ScenarioError,
    PyValueError,
    "Bad input: one line with the place, the value and what was expected."
);

create_exception!(
    blockyard._core,
    MachineError,
    PyOSError,
    "The machine lacks something that the run needs: one line that names it."
);

create_exception!(
    blockyard._core,
    RunError,
    PyOSError,
    "A run that failed before anything was measured: one line with the reason."
);

create_exception!(
    blockyard._core,
    FileError,
    PyValueError,
    "A file that is not what it should be: one line with the place and what was expected."
);

/// The exception that says what `error` says.
pub(crate) fn bad_input(error: impl ToString) -> PyErr {
    ScenarioError::new_err(error.to_string())
}
