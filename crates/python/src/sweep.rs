//! Sweeps, for Python: which runs there are, and the carrying out of some of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use blockyard_sweep::{
    self as sweep, Method, Plan, Prices, Row, Search, SweepFile as File, Text, Work,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::batch::RecordBatch;
use crate::error::bad_input;
use crate::signals::Signals;
use crate::sweep_rows;

/// A text and its name.
type Named = (String, String);

/// A sweep file that was read.
#[pyclass(frozen, module = "blockyard._core")]
#[derive(Debug)]
pub(crate) struct SweepFile {
    file: File,
    file_name: String,
}

#[pymethods]
impl SweepFile {
    /// Read a sweep file; `file_name` is what errors call it. Raises ScenarioError.
    #[staticmethod]
    fn read(text: &str, file_name: &str) -> PyResult<Self> {
        let file = sweep::read(text, file_name).map_err(bad_input)?;
        let file_name = file_name.to_owned();
        Ok(Self { file, file_name })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.file.name
    }

    /// The scenario file that it varies, as it is written.
    #[getter]
    fn base(&self) -> &str {
        &self.file.base
    }

    /// The files of the axis `demand`, as they are written; none without it.
    #[getter]
    fn demand(&self) -> PyResult<Option<Vec<String>>> {
        self.file.demand().map_err(bad_input)
    }

    /// How many combinations are drawn, of how many axes, and how; none of a grid or a zip.
    #[getter]
    fn sample(&self) -> Option<(u32, usize, &'static str)> {
        let method = match self.file.method {
            Method::Sobol => "sobol",
            Method::LatinHypercube => "latin-hypercube",
        };
        Some((self.file.sample?, self.file.axes.len(), method))
    }

    /// Whether the latencies of a combination's seeds are kept as one histogram.
    #[getter]
    fn merge_seeds(&self) -> bool {
        self.file.merge_seeds
    }

    /// The combinations of `bases`, texts and their names: one scenario, or one for each file of
    /// demand. `points` are the places of a sample. Raises ScenarioError.
    ///
    /// `goals` stand in for the file's if there are any.
    #[pyo3(signature = (bases, points=None, goals=vec![], *, region=None, term=None, prices=None))]
    fn plan(
        &self,
        bases: Vec<Named>,
        points: Option<Vec<Vec<f64>>>,
        goals: Vec<String>,
        region: Option<String>,
        term: Option<String>,
        prices: Option<Named>,
    ) -> PyResult<SweepPlan> {
        let text = |(text, name)| Text { text, name };
        let prices = Prices {
            region,
            term,
            file: prices.map(text),
        };
        let bases = bases.into_iter().map(text).collect();
        let mut file = self.file.clone();
        if !goals.is_empty() {
            file.goals = goals;
        }
        let plan = Plan::of(&file, &self.file_name, bases, points.as_deref(), prices);
        plan.map(SweepPlan).map_err(bad_input)
    }
}

/// All runs of a sweep.
#[pyclass(module = "blockyard._core")]
#[derive(Debug)]
pub(crate) struct SweepPlan(Plan);

#[pymethods]
impl SweepPlan {
    /// Read every combination on `threads` threads, to know which are refused. Raises
    /// ScenarioError for an axis that does not exist, and what a signal raises.
    fn examine(&mut self, py: Python<'_>, threads: usize) -> PyResult<()> {
        let mut signals = Signals::default();
        let plan = &mut self.0;
        let done = py.detach(|| plan.examine(threads, &mut || signals.stop()));
        signals.raised()?;
        done.map(drop).map_err(bad_input)
    }

    /// The paths of its axes.
    #[getter]
    fn axes(&self) -> Vec<&str> {
        self.0.axes().iter().map(String::as_str).collect()
    }

    /// The value of an axis in each combination.
    fn values(&self, axis: usize) -> PyResult<Vec<&str>> {
        let each = self.0.combinations().iter();
        let values = each.map(|combination| combination.values.get(axis).map(String::as_str));
        let values: Option<_> = values.collect();
        values.ok_or_else(|| PyValueError::new_err(format!("{axis}: no such axis")))
    }

    /// How many combinations there are.
    #[getter]
    fn combinations(&self) -> usize {
        self.0.combinations().len()
    }

    /// The seeds of each combination.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.0.seeds().to_vec()
    }

    /// The columns of its figures.
    #[getter]
    fn figures(&self) -> Vec<&str> {
        self.0
            .columns()
            .iter()
            .map(|column| column.name.as_str())
            .collect()
    }

    /// Its goals, in full.
    #[getter]
    fn goals(&self) -> Vec<&str> {
        self.0.asked().goals.iter().map(String::as_str).collect()
    }

    /// The combinations that are refused, and why.
    fn refused(&self) -> Vec<(usize, &str)> {
        let refused = self.0.refused().iter();
        refused
            .map(|one| (one.combination, one.reason.as_str()))
            .collect()
    }

    /// The number and the key of each run.
    fn runs(&self) -> Vec<(u64, String)> {
        self.0.runs().collect()
    }

    /// The overrides of a combination, as `--set` takes them.
    fn sets(&self, combination: usize) -> Vec<String> {
        match combination < self.0.combinations().len() {
            true => self.0.sets(combination),
            false => Vec::new(),
        }
    }

    /// The work of these runs, as a text that `simulate_runs` takes here or elsewhere.
    fn work(&self, py: Python<'_>, runs: Vec<u64>) -> PyResult<String> {
        let plan = &self.0;
        py.detach(|| serde_json::to_string(&plan.work(&runs)))
            .map_err(bad_input)
    }

    /// What each combination costs a month, in dollars; none where no price is known.
    fn prices(&self, py: Python<'_>) -> PyResult<Vec<Option<f64>>> {
        let plan = &self.0;
        py.detach(|| plan.prices()).map_err(bad_input)
    }

    /// A search of its grid for the cheapest combination that meets the goals. Raises
    /// ScenarioError if it is no grid.
    fn search(&self, prices: Vec<Option<f64>>) -> PyResult<SweepSearch> {
        let grid = self.0.grid().ok_or_else(|| {
            bad_input("a search needs a grid; expected no `sample` and no `combine: zip`")
        })?;
        let (sizes, order): (Vec<_>, Vec<_>) = grid.iter().copied().unzip();
        let refused = self.0.refused().iter().map(|one| one.combination);
        Ok(SweepSearch(Search::new(&sizes, &order, prices, refused)))
    }
}

/// A search for the cheapest combination that meets the goals.
#[pyclass(module = "blockyard._core")]
#[derive(Debug)]
pub(crate) struct SweepSearch(Search);

#[pymethods]
impl SweepSearch {
    /// The combinations to try next, all to be told of before the next call; none at the end.
    fn next_round(&mut self) -> Vec<usize> {
        self.0.next_round()
    }

    /// Tell whether a combination meets the goals.
    fn tell(&mut self, combination: usize, met: bool) {
        self.0.tell(combination, met);
    }

    /// The cheapest combination that is known to meet them.
    #[getter]
    fn best(&self) -> Option<usize> {
        self.0.best()
    }

    /// How many combinations were tried.
    #[getter]
    fn tried(&self) -> usize {
        self.0.tried()
    }
}

/// A flag that ends simulations on other threads.
#[pyclass(frozen, module = "blockyard._core")]
#[derive(Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// End them.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Carry out the runs of `SweepPlan.work`, one after another: a table with a row for each, and one
/// with their latencies. With `stop` only those that were done by then.
///
/// Raises ScenarioError for a text that is no such work, and prices that cannot be read.
#[pyfunction]
#[pyo3(signature = (work, stop=None))]
pub(crate) fn simulate_runs(
    py: Python<'_>,
    work: &str,
    stop: Option<&Bound<'_, Stop>>,
) -> PyResult<(RecordBatch, RecordBatch)> {
    let stop = stop.map_or_else(Arc::default, |stop| Arc::clone(&stop.get().0));
    tables(py, work, |work| {
        sweep::simulate(work, &|| stop.load(Ordering::Relaxed))
    })
}

/// The tables of runs that could not be carried out, each with `error`.
///
/// Raises ScenarioError for a text that is no work of runs.
#[pyfunction]
pub(crate) fn failed_runs(
    py: Python<'_>,
    work: &str,
    error: &str,
) -> PyResult<(RecordBatch, RecordBatch)> {
    tables(py, work, |work| Ok(sweep::failures(work, error)))
}

/// The tables of what `carry_out` makes of a text of work.
fn tables(
    py: Python<'_>,
    work: &str,
    carry_out: impl Fn(&Work) -> Result<Vec<Row>, String> + Sync,
) -> PyResult<(RecordBatch, RecordBatch)> {
    let made = py.detach(|| {
        let work: Work = serde_json::from_str(work).map_err(|error| error.to_string())?;
        let rows = carry_out(&work)?;
        let made = sweep_rows::runs(&work.asked, &rows);
        let made = made.and_then(|runs| Ok((runs, sweep_rows::latencies(&rows)?)));
        made.map_err(|error| error.to_string())
    });
    let (runs, latencies) = made.map_err(bad_input)?;
    Ok((RecordBatch(runs), RecordBatch(latencies)))
}

/// How much of the variation of `values` each axis explains alone, the most first: its number and
/// a share from 0 to 1. `levels` are the values of each axis, in numbers, row by row.
#[pyfunction]
pub(crate) fn sweep_decides(
    levels: Vec<Vec<usize>>,
    values: Vec<Option<f64>>,
) -> PyResult<Vec<(usize, f64)>> {
    if levels.iter().any(|axis| axis.len() != values.len()) {
        return Err(PyValueError::new_err("axes and values differ in length"));
    }
    let found = sweep::decides(&levels, &values).into_iter();
    Ok(found.map(|one| (one.axis, one.share)).collect())
}
