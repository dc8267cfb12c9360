//! Comparisons from Python.

use std::num::NonZeroU32;

use blockyard_experiment as experiment;
use blockyard_report::comparison::{self, Again, Asked, Refused, Side};
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::{UnlikeError, bad_input, no_answer};
use crate::executor::executor;
use crate::report::Report;
use crate::signals::Watching;

/// What differs between runs.
#[pyclass(frozen, module = "blockyard._core")]
#[derive(Debug)]
pub(crate) struct Compared(comparison::Compared);

#[pymethods]
impl Compared {
    /// Figures, sentences and notes, as JSON.
    fn found(&self) -> PyResult<String> {
        json(&self.0)
    }

    /// The figures side by side, and the costs, as JSON.
    fn tables(&self) -> PyResult<String> {
        json(&self.0.tables())
    }

    /// What a page says of it: a JSON list of headings with sentences and tables.
    fn passages(&self) -> PyResult<String> {
        json(&self.0.passages())
    }
}

fn json(said: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(said).map_err(bad_input)
}

/// Compare every side, a run or its repeats, with the first.
///
/// If every side is one simulated run, all are simulated again with the same `seeds`, or with as
/// many as take little time; with 1 none is. `tried` is as for `capacity`. Raises ScenarioError
/// for a condition of `fail_if` that cannot be read, UnlikeError, unless `anyway`, for runs that
/// are not comparable, OSError if threads cannot be started, and what a signal raises.
#[pyfunction]
#[pyo3(signature = (sides, fail_if, *, anyway, seeds, tried))]
pub(crate) fn compare(
    py: Python<'_>,
    sides: Vec<(String, Vec<Py<Report>>)>,
    fail_if: Vec<String>,
    anyway: bool,
    seeds: Option<NonZeroU32>,
    tried: Py<PyAny>,
) -> PyResult<Compared> {
    let sides: Vec<_> = sides.iter().filter_map(side).collect();
    if !anyway {
        comparison::check(&sides).map_err(refused)?;
    }
    let asked = Asked {
        fail_if: &fail_if,
        anyway,
        changed: false,
        again: again(py, &sides, seeds, tried)?,
    };
    let found = py.detach(|| comparison::compare(&sides, &asked));
    found.map(Compared).map_err(refused)
}

/// A side; none without runs.
fn side((name, runs): &(String, Vec<Py<Report>>)) -> Option<Side<'_>> {
    let mut runs = runs.iter().map(|run| &run.get().0);
    Some(Side {
        name: name.clone(),
        first: runs.next()?,
        more: runs.collect(),
    })
}

/// The sides, simulated again if they can be.
fn again(
    py: Python<'_>,
    sides: &[Side<'_>],
    seeds: Option<NonZeroU32>,
    tried: Py<PyAny>,
) -> PyResult<Again> {
    if seeds == Some(NonZeroU32::MIN) {
        return Ok(Again::No);
    }
    let Some(simulated) = comparison::simulated(sides) else {
        return Ok(Again::No);
    };
    let mut watching = Watching::new(tried);
    let found = py.detach(|| experiment::paired(&simulated, seeds, executor(), &mut watching));
    watching.raised()?;
    match found {
        Ok(paired) => Ok(Again::Simulated(paired)),
        Err(experiment::Error::Scenario(error)) => Ok(Again::Refused(error.to_string())),
        Err(experiment::Error::Input(line)) => Ok(Again::Refused(line)),
        Err(error) => Err(no_answer(error)),
    }
}

fn refused(why: Refused) -> PyErr {
    match why {
        Refused::Unlike(_) => UnlikeError::new_err(why.to_string()),
        Refused::Input(line) => bad_input(line),
    }
}
