//! Comparisons from Python.

use blockyard_compare::{Columns, Load, Recorded, StepTimes, compare as compare_runs};
use pyo3::prelude::*;

use crate::error::bad_input;
use crate::latencies::Latencies;

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
