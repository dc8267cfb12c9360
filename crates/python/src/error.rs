//! Bad input as a Python exception.

use std::io;
use std::path::Path;

use blockyard_experiment as experiment;
use blockyard_machine::Error;
use blockyard_text::said;
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

create_exception!(
    blockyard._core,
    UnlikeError,
    PyValueError,
    "Runs that are not comparable: a line for each reason."
);

/// The OSError that Python would raise for `path`.
pub(crate) fn os_error(error: &io::Error, path: &Path) -> PyErr {
    let path = path.display().to_string();
    let said = said(error);
    match error.raw_os_error() {
        Some(number) => PyOSError::new_err((number, said, path)),
        None => PyOSError::new_err(format!("{path}: {said}")),
    }
}

/// The exception that says what `error` says.
pub(crate) fn bad_input(error: impl ToString) -> PyErr {
    ScenarioError::new_err(error.to_string())
}

/// The exception for what kept a run on this machine from being made.
pub(crate) fn not_run(error: Error) -> PyErr {
    match error {
        Error::Input(message) => bad_input(message),
        Error::Lacks(message) => MachineError::new_err(message),
        // Whoever asked knows the directory, and says it.
        Error::Unwritten(Some(number), said) => PyOSError::new_err((number, said)),
        Error::Failed(_) | Error::Unwritten(None, _) | Error::Stopped => {
            RunError::new_err(error.to_string())
        }
    }
}

/// The exception for why a question has no answer.
pub(crate) fn no_answer(error: experiment::Error) -> PyErr {
    match error {
        experiment::Error::Scenario(error) => bad_input(error),
        experiment::Error::Input(line) => bad_input(line),
        experiment::Error::Run(error) => error.into(),
        // Only what a signal or a callback raised stops a question, and that is raised instead.
        experiment::Error::Stopped => RunError::new_err("stopped"),
    }
}
