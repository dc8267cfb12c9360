//! Many simulations at once, from Python: a table of their results.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch as Rows, StringArray, UInt64Array};
use arrow_schema::ArrowError;
use blockyard_experiment::{Ran, ScenarioText, simulate_many as simulate_all};
use blockyard_record::result::{EngineTotal, RunResult, Total, TransactionTotal};
use blockyard_record::{Detail, IntervalRow, RowNames as Names};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::batch::{RecordBatch, failed};
use crate::columns;
use crate::rows::{self, append, by_name, floats, integers, latencies};
use crate::scenario::Scenario;
use crate::signals::Signals;

/// Threads at most: more than machines have processors.
const MOST_THREADS: usize = 4096;

/// A scenario, or what one is read from: text, what errors call it, overrides.
#[derive(FromPyObject)]
pub(crate) enum Given {
    Scenario(Py<Scenario>),
    Text(String, String, Vec<String>),
}

/// Simulate all `scenarios` and their repeats on `threads` threads and give a table with
/// rows in the order of the scenarios: of each run's totals, or with `detail` `intervals`
/// of its intervals, for every job, device and operation, or with `transactions` of the
/// transactions of every job that does any.
///
/// Nothing of Python is called while they run, but to look for signals. What is wrong with
/// a scenario stands in its row. Raises ValueError for another `detail`, for no thread or
/// more than [`MOST_THREADS`], OSError if threads cannot be started, and what a signal raises.
#[pyfunction]
#[pyo3(signature = (scenarios, threads, detail="totals"))]
pub(crate) fn simulate_many(
    py: Python<'_>,
    scenarios: Vec<Given>,
    threads: i64,
    detail: &str,
) -> PyResult<RecordBatch> {
    let (detail, table): (_, MakeTable) = match detail {
        "totals" => (Detail::Totals, totals),
        "intervals" => (Detail::Intervals, intervals),
        "transactions" => (Detail::Totals, transactions),
        other => {
            return Err(PyValueError::new_err(format!(
                "detail: `{other}`; expected totals, intervals or transactions"
            )));
        }
    };
    let count = usize::try_from(threads).ok();
    let Some(threads) = count.filter(|count| (1..=MOST_THREADS).contains(count)) else {
        return Err(PyValueError::new_err(format!(
            "threads: {threads}; expected 1 to {MOST_THREADS}"
        )));
    };
    let texts: Vec<_> = scenarios.into_iter().map(Given::text).collect();
    let mut signals = Signals::default();
    let mut stopped = || signals.stop();
    let runs = py.detach(|| simulate_all(&texts, threads, detail, Kept::of, &mut stopped));
    signals.raised()?;
    let runs = runs?.unwrap_or_default();
    let rows = py.detach(|| table(&runs));
    rows.map(RecordBatch).map_err(failed)
}

impl Given {
    fn text(self) -> ScenarioText {
        match self {
            Self::Scenario(scenario) => scenario.get().text().clone(),
            Self::Text(text, file_name, sets) => ScenarioText {
                text,
                file_name,
                sets,
            },
        }
    }
}

/// Makes a table of runs.
type MakeTable = fn(&[Kept]) -> Result<Rows, ArrowError>;

/// What is kept of a run until the table is made.
struct Kept {
    scenario: usize,
    name_and_seed: Option<(String, u64)>,
    error: Option<String>,
    totals: Vec<Total>,
    transactions: Vec<TransactionTotal>,
    /// By job and limit: how long the limit made the job's IOs wait, in seconds.
    throttled_s: BTreeMap<String, Vec<(String, f64)>>,
    goals_met: Option<bool>,
    intervals: Option<(Names, Vec<IntervalRow>)>,
}

impl Kept {
    fn of(run: Ran) -> Self {
        let intervals = run.intervals.map(|(shape, intervals)| {
            let rows = intervals.into_iter().flat_map(|interval| interval.rows);
            (Names::new(&shape), rows.collect())
        });
        let empty = Self {
            scenario: run.scenario,
            name_and_seed: run.name_and_seed,
            error: None,
            totals: Vec::new(),
            transactions: Vec::new(),
            throttled_s: BTreeMap::new(),
            goals_met: None,
            intervals,
        };
        match run.result {
            Err(error) => Self {
                error: Some(error),
                intervals: None,
                ..empty
            },
            Ok(result) => Self {
                throttled_s: throttled_s(&result),
                goals_met: (!result.goals.is_empty())
                    .then(|| result.goals.iter().all(|goal| goal.met)),
                totals: result.totals,
                transactions: result.transactions,
                ..empty
            },
        }
    }
}

/// By job: the limits that made its IOs wait, and how long.
fn throttled_s(result: &RunResult) -> BTreeMap<String, Vec<(String, f64)>> {
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for limit in &result.limits {
        for share in limit.jobs.iter().filter(|share| share.throttled_s > 0.0) {
            let name = format!("{}.{}", limit.owner, limit.limit);
            found
                .entry(share.job.clone())
                .or_default()
                .push((name, share.throttled_s));
        }
    }
    found
}

/// The table of totals: a row for each total, or for the error of a run.
fn totals(runs: &[Kept]) -> Result<Rows, ArrowError> {
    let mut rows: Vec<(&Kept, Option<&Total>)> = Vec::new();
    for run in runs {
        rows.extend(run.totals.iter().map(|total| (run, Some(total))));
        rows.extend(run.error.iter().map(|_| (run, None)));
    }
    let all = || rows.iter().map(|(_, total)| *total);
    let text = |of: fn(&Total) -> &str| {
        let texts = all().map(|total| total.map(of));
        Arc::new(texts.collect::<StringArray>()) as ArrayRef
    };
    let mut columns = run_columns(rows.iter().map(|(run, _)| *run));
    columns.extend([
        text(|total| &total.job),
        text(|total| &total.device),
        text(|total| &total.op),
        integers(all().map(|total| Some(total?.ios))),
        integers(all().map(|total| Some(total?.bytes))),
        floats(all().map(|total| Some(total?.iops))),
        floats(all().map(|total| Some(total?.mib_per_s))),
        floats(all().map(|total| Some(total?.peak_iops))),
    ]);
    columns.extend(latencies(all().map(|total| total?.latency_us)));
    columns.extend(throttled(&rows)?);
    let met = rows.iter().map(|(run, _)| run.goals_met);
    columns.push(Arc::new(met.collect::<BooleanArray>()));
    columns.push(errors(rows.iter().map(|(run, _)| *run)));
    Rows::try_new(columns::totals_of_many(), columns)
}

/// The table of transactions: a row for each job that does any, or for the error of a run.
fn transactions(runs: &[Kept]) -> Result<Rows, ArrowError> {
    let mut rows: Vec<(&Kept, Option<&TransactionTotal>)> = Vec::new();
    for run in runs {
        rows.extend(run.transactions.iter().map(|total| (run, Some(total))));
        rows.extend(run.error.iter().map(|_| (run, None)));
    }
    let all = || rows.iter().map(|(_, total)| *total);
    let jobs = all().map(|total| Some(total?.job.as_str()));
    let engine =
        |of: fn(&EngineTotal) -> f64| floats(all().map(|total| total?.engine.as_ref().map(of)));
    let mut columns = run_columns(rows.iter().map(|(run, _)| *run));
    columns.extend([
        Arc::new(jobs.collect::<StringArray>()) as ArrayRef,
        integers(all().map(|total| Some(total?.count))),
        floats(all().map(|total| Some(total?.tps))),
    ]);
    columns.extend(latencies(all().map(|total| total?.latency_us)));
    columns.extend([
        engine(|it| it.hit_ratio),
        engine(|it| it.reads_per_transaction),
        engine(|it| it.writes_per_transaction),
        engine(|it| it.bytes_per_transaction),
    ]);
    let met = rows.iter().map(|(run, _)| run.goals_met);
    columns.push(Arc::new(met.collect::<BooleanArray>()));
    columns.push(errors(rows.iter().map(|(run, _)| *run)));
    Rows::try_new(columns::transactions_of_many(), columns)
}

/// The columns of what throttled each row's job: the limit that did most, and all.
fn throttled(rows: &[(&Kept, Option<&Total>)]) -> Result<[ArrayRef; 2], ArrowError> {
    let mut most: Vec<Option<&str>> = Vec::new();
    let mut each = by_name::<Float64Type>();
    for (run, total) in rows {
        let Some(total) = total else {
            most.push(None);
            each.append(false)?;
            continue;
        };
        let limits = run.throttled_s.get(&total.job);
        let limits = limits.map_or(&[][..], Vec::as_slice);
        // Of equals the first, as in the result.
        let longest = limits.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
        most.push(longest.map(|(name, _)| name.as_str()));
        append(
            &mut each,
            limits.iter().map(|(name, s)| (name.as_str(), *s)),
        )?;
    }
    Ok([
        Arc::new(most.into_iter().collect::<StringArray>()),
        Arc::new(each.finish()),
    ])
}

/// The table of intervals: the rows of each run, or one for its error.
fn intervals(runs: &[Kept]) -> Result<Rows, ArrowError> {
    let (mut of, mut rows) = (Vec::new(), Vec::new());
    for run in runs {
        if let Some((names, intervals)) = &run.intervals {
            rows.extend(names.of(intervals).map(Some));
        }
        rows.extend(run.error.iter().map(|_| None));
        of.resize(rows.len(), run);
    }
    let mut columns = run_columns(of.iter().copied());
    columns.extend(rows::interval_columns(&rows));
    columns.push(errors(of.iter().copied()));
    Rows::try_new(columns::intervals_of_many(), columns)
}

/// The columns that say which run a row is of.
fn run_columns<'a>(rows: impl Iterator<Item = &'a Kept> + Clone) -> Vec<ArrayRef> {
    let names = rows.clone().map(|run| run.name_and_seed.as_ref());
    let seeds = names.clone().map(|run| Some(run?.1));
    vec![
        integers(rows.map(|run| Some(run.scenario as u64))),
        Arc::new(names.map(|run| Some(&run?.0)).collect::<StringArray>()),
        Arc::new(seeds.collect::<UInt64Array>()),
    ]
}

fn errors<'a>(rows: impl Iterator<Item = &'a Kept>) -> ArrayRef {
    let errors = rows.map(|run| run.error.as_deref());
    Arc::new(errors.collect::<StringArray>())
}
