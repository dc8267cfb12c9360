//! An observation of this machine, from Python.

use blockyard_observe::{Error, Import, Options};
use blockyard_record::result::RunResult;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::error::not_run;
use crate::result::text_of;
use crate::watcher::Watcher;

/// Observe this machine's devices and give the text of `result.json`; None if it was stopped
/// before it began.
///
/// `observer` is told what happens and given the rows of the tables. `arguments` are the options
/// of `blockyard observe`, by their names. Raises ScenarioError for what cannot be asked,
/// MachineError for what the machine lacks, RunError if nothing could be observed, and what the
/// observer raises.
#[pyfunction]
pub(crate) fn observe(
    py: Python<'_>,
    observer: Py<PyAny>,
    arguments: &Bound<'_, PyDict>,
) -> PyResult<Option<String>> {
    let options: Options = arguments::read(arguments)?;
    let mut watcher = Watcher::new(&observer);
    let outcome = py.detach(|| blockyard_observe::observe(&options, &mut watcher));
    watcher.finish()?;
    told(outcome)
}

/// Import a trace that another program recorded, as `observe` gives a run; None if it was stopped.
///
/// Raises ScenarioError for a trace or an option that cannot be, RunError if nothing can be
/// written, and what the observer raises.
#[pyfunction]
pub(crate) fn import_trace(
    py: Python<'_>,
    observer: Py<PyAny>,
    arguments: &Bound<'_, PyDict>,
) -> PyResult<Option<String>> {
    let options: Import = arguments::read(arguments)?;
    let mut watcher = Watcher::new(&observer);
    let outcome = py.detach(|| blockyard_observe::import(&options, &mut watcher));
    watcher.finish()?;
    told(outcome)
}

fn told(outcome: Result<RunResult, Error>) -> PyResult<Option<String>> {
    match outcome {
        Ok(result) => text_of(&result).map(Some),
        Err(Error::Stopped) => Ok(None),
        Err(error) => Err(not_run(error)),
    }
}
