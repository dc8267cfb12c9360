//! A scenario that is served, from Python.

use blockyard_emulate::{Options, emulate};
use blockyard_scenario::{Loaded, Resolved};
use pyo3::prelude::*;

use crate::error::not_run;
use crate::result::text_of;
use crate::watcher::Watcher;

/// Serves it and gives the text of `result.json`.
pub(crate) fn run(
    py: Python<'_>,
    loaded: &Loaded,
    resolved: &Resolved,
    observer: &Py<PyAny>,
    options: Options,
) -> PyResult<String> {
    let mut watcher = Watcher::new(observer);
    let scenario = &loaded.scenario;
    let outcome = py.detach(|| emulate(scenario, resolved, options, &mut watcher));
    watcher.finish()?;
    text_of(&outcome.map_err(not_run)?)
}
