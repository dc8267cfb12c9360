//! A scenario on real storage, from Python.

use blockyard_bench::{Error, Options, bench, hosts};
use blockyard_scenario::{Loaded, Resolved};
use pyo3::prelude::*;

use crate::error::{bad_input, not_run};
use crate::result::text_of;
use crate::watcher::Watcher;

/// Runs it and gives the text of `result.json`; none if it was stopped before
/// anything was measured.
pub(crate) fn run(
    py: Python<'_>,
    loaded: &Loaded,
    resolved: &Resolved,
    observer: &Py<PyAny>,
    options: Options,
) -> PyResult<Option<String>> {
    let mut watcher = Watcher::new(observer);
    let scenario = &loaded.scenario;
    let outcome = py.detach(|| bench(scenario, resolved, options, &mut watcher));
    watcher.finish()?;
    match outcome {
        Ok(result) => text_of(&result).map(Some),
        Err(Error::Stopped) => Ok(None),
        Err(error) => Err(not_run(error)),
    }
}

/// The hosts of a file of them, as JSON; `file_name` is what errors call it. Raises ScenarioError.
#[pyfunction]
pub(crate) fn bench_hosts(text: &str, file_name: &str) -> PyResult<String> {
    text_of(&hosts(text, file_name).map_err(bad_input)?)
}
