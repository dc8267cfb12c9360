//! Comparisons from Python.

use std::num::NonZeroU32;
use std::sync::Arc;

use blockyard_compare::{Columns, Load, Recorded, StepTimes, compare as compare_runs};
use blockyard_experiment as experiment;
use blockyard_record::result::RunResult;
use blockyard_report::comparison::{self, Again, Asked, Refused, Side};
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::{FileError, UnlikeError, bad_input, no_answer};
use crate::executor::executor;
use crate::latencies::Latencies;
use crate::report::Report;
use crate::result::text_of;
use crate::scenario::Scenario;
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
/// for a condition of `fail_if` that cannot be read, UnlikeError, unless `anyway`, for runs that are
/// not comparable, OSError if threads cannot be started, and what a signal raises.
#[pyfunction]
#[pyo3(signature = (sides, fail_if, *, anyway, seeds, tried))]
pub(crate) fn compared(
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

/// A run as Python has it.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Run {
    series: Vec<Series>,
    latencies: Py<Latencies>,
    warmup_s: f64,
    duration_s: f64,
    step_starts_s: Vec<f64>,
    steps: Vec<Step>,
    seed: Option<u64>,
}

/// A load step of a job that has several: with a number of processes, or a rate.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Step {
    job: String,
    processes: Option<u64>,
    rate: Option<u64>,
    from_s: f64,
    to_s: f64,
}

/// What a job did on a device with one operation, column by column.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Series {
    tag: String,
    job: String,
    device: String,
    op: String,
    start_s: Vec<f64>,
    ios: Vec<u64>,
    bytes: Vec<u64>,
    latency_mean_us: Vec<Option<f64>>,
    percentiles: Vec<(f64, f64)>,
}

/// Simulated runs with further seeds, the same for every side.
#[pyclass(frozen, module = "blockyard._core")]
#[derive(Debug)]
pub(crate) struct Paired(experiment::Paired);

#[pymethods]
impl Paired {
    /// The seeds that each side has; empty where nothing was simulated again.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.0.seeds.clone()
    }

    /// Why there are fewer seeds than could be, as a JSON text; None where there are all.
    fn why(&self) -> PyResult<Option<String>> {
        self.0.why.as_ref().map(text_of).transpose()
    }

    /// How the runs of every side differ from those of the first, as `compare` says it. With
    /// `device` all devices count together, under that name.
    #[pyo3(signature = (fail_if, device=None))]
    fn compare(
        &self,
        py: Python<'_>,
        fail_if: Vec<String>,
        device: Option<&str>,
    ) -> PyResult<String> {
        let compared = py.detach(|| {
            let mut sides = self.0.sides.clone();
            let series = sides.iter_mut().flatten().flat_map(|run| &mut run.series);
            for (own, device) in series.zip(std::iter::repeat(device)) {
                if let (Some(device), false) = (device, own.device.is_empty()) {
                    device.clone_into(&mut own.device);
                }
            }
            compare_runs(&sides, &fail_if)
        });
        text_of(&compared.map_err(bad_input)?)
    }
}

/// Simulate simulated runs, one of each side, again on all processors: of each its scenario and the
/// text of its result. With `seeds` seeds from the first one's on, or as many as take little time.
///
/// `tried` is as for `capacity`. Raises ScenarioError for what can no longer be simulated,
/// FileError for a result that cannot be read, OSError if threads cannot be started, and what a
/// signal raises.
#[pyfunction]
#[pyo3(signature = (sides, seeds, tried))]
pub(crate) fn paired(
    py: Python<'_>,
    sides: Vec<(Py<Scenario>, String)>,
    seeds: Option<NonZeroU32>,
    tried: Py<PyAny>,
) -> PyResult<Paired> {
    let side = |(scenario, result): (Py<Scenario>, String)| {
        let base = Arc::clone(scenario.get().base());
        let result = RunResult::read(&result).map_err(FileError::new_err)?;
        Ok(experiment::Side { base, result })
    };
    let sides = sides.into_iter().map(side).collect::<PyResult<Vec<_>>>()?;
    let mut watching = Watching::new(tried);
    let found = py.detach(|| experiment::paired(&sides, seeds, executor(), &mut watching));
    watching.raised()?;
    found.map(Paired).map_err(no_answer)
}

/// How the runs of every side differ from those of the first, as a JSON text, and
/// whether the conditions `fail_if` hold. Raises ScenarioError for a condition
/// that cannot be read.
#[pyfunction]
#[pyo3(signature = (sides, fail_if=vec![]))]
pub(crate) fn compare(
    py: Python<'_>,
    sides: Vec<Vec<Run>>,
    fail_if: Vec<String>,
) -> PyResult<String> {
    let compared = py.detach(|| {
        let run = |run: Run| {
            let recorded = Recorded {
                series: run.series.into_iter().map(columns).collect(),
                latencies: &run.latencies.get().0,
                warmup_s: run.warmup_s,
                duration_s: run.duration_s,
                step_starts_s: run.step_starts_s,
                steps: run.steps.into_iter().filter_map(step_times).collect(),
                seed: run.seed,
            };
            recorded.run()
        };
        let side = |runs: Vec<Run>| runs.into_iter().map(run).collect();
        let sides: Result<Vec<_>, String> = sides.into_iter().map(side).collect();
        compare_runs(&sides?, &fail_if)
    });
    serde_json::to_string(&compared.map_err(bad_input)?).map_err(bad_input)
}

fn step_times(step: Step) -> Option<StepTimes> {
    let load = step.rate.map(Load::Rate);
    Some(StepTimes {
        load: load.or(step.processes.map(Load::Processes))?,
        job: step.job,
        from_s: step.from_s,
        to_s: step.to_s,
    })
}

fn columns(series: Series) -> Columns {
    Columns {
        tag: series.tag,
        job: series.job,
        device: series.device,
        op: series.op,
        start_s: series.start_s,
        ios: series.ios,
        bytes: series.bytes,
        latency_mean_us: series.latency_mean_us,
        percentiles: series.percentiles,
    }
}
