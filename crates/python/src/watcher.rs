//! Who looks on from Python's side while a run goes on.

use std::io;
use std::sync::Arc;

use blockyard_machine::Error;
use blockyard_observe::{Observer as Seeing, SoFar};
use blockyard_record::{
    Interval, IntervalRow, Observer, RowNames as Names, RunShape, ServedDevice, TransactionRow,
};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use serde_json::Value;

use crate::batch::{RecordBatch, failed};
use crate::error::not_run;
use crate::rows::{self, VolumeAndRates};

/// Rows that are gathered before they are handed over, so that few calls are made and
/// memory stays flat.
const GATHERED: usize = 2_048;

/// An observer in Python. What it raises first is kept, and stops the run.
pub(crate) struct Watcher<'a> {
    observer: &'a Py<PyAny>,
    gathered: Option<Gathered>,
    raised: Option<PyErr>,
}

/// Rows of the tables that were not handed over yet.
struct Gathered {
    names: Arc<Names>,
    intervals: Vec<IntervalRow>,
    volumes: Vec<VolumeAndRates>,
    transactions: Vec<TransactionRow>,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(observer: &'a Py<PyAny>) -> Self {
        Self {
            observer,
            gathered: None,
            raised: None,
        }
    }

    /// Hands over the last rows, and gives what was raised, if anything.
    pub(crate) fn finish(mut self) -> PyResult<()> {
        if self.raised.is_none() {
            self.hand_over(1);
        }
        self.raised.map_or(Ok(()), Err)
    }

    /// Calls one of its methods.
    fn tell<A>(&mut self, method: &str, arguments: A)
    where
        A: for<'py> PyCallArgs<'py>,
    {
        let called = Python::attach(|py| self.observer.call_method1(py, method, arguments));
        self.keep(called.map(drop));
    }

    /// Hands over the tables that have at least `least` rows.
    fn hand_over(&mut self, least: usize) {
        let Some(gathered) = &mut self.gathered else {
            return;
        };
        let names = &gathered.names;
        let intervals = taken(&mut gathered.intervals, least);
        let volumes = taken(&mut gathered.volumes, least);
        let transactions = taken(&mut gathered.transactions, least);
        let tables = [
            (
                "intervals",
                intervals.map(|rows| rows::intervals(names, &rows)),
            ),
            ("volumes", volumes.map(|rows| rows::volumes(names, &rows))),
            (
                "transactions",
                transactions.map(|rows| rows::transactions(names, &rows)),
            ),
        ];
        for (table, rows) in tables {
            match rows {
                Some(Ok(rows)) => self.tell("rows", (table, RecordBatch(rows))),
                Some(Err(error)) => self.keep(Err(failed(error))),
                None => {}
            }
        }
    }

    /// Gathers the rows of an interval, and tells that it ended.
    fn pass_on(
        &mut self,
        names: impl FnOnce() -> Arc<Names>,
        interval: Interval,
        status: Option<&Value>,
        so_far: &[SoFar],
    ) {
        let gathered = self.gathered.get_or_insert_with(|| Gathered {
            names: names(),
            intervals: Vec::new(),
            volumes: Vec::new(),
            transactions: Vec::new(),
        });
        gathered.intervals.extend_from_slice(&interval.rows);
        gathered
            .transactions
            .extend_from_slice(&interval.transactions);
        let ended = IntervalEnd {
            names: gathered.names.clone(),
            done_s: interval.done_s,
            rows: interval.rows.clone(),
            status: status.map(Value::to_string),
            so_far: so_far.to_vec(),
        };
        gathered.volumes.extend(rows::volume_rows(interval));
        self.hand_over(GATHERED);
        self.tell("interval", (ended,));
    }

    fn keep(&mut self, called: PyResult<()>) {
        if let Err(error) = called {
            self.raised.get_or_insert(error);
        }
    }
}

/// All rows, if there are at least `least`.
fn taken<T>(rows: &mut Vec<T>, least: usize) -> Option<Vec<T>> {
    (rows.len() >= least).then(|| std::mem::take(rows))
}

impl Observer for Watcher<'_> {
    fn serving(&mut self, devices: &[ServedDevice]) {
        let devices: Vec<_> = devices
            .iter()
            .map(|device| {
                let size = device.size.to_string();
                (&device.name, &device.place, size, &device.backing)
            })
            .collect();
        self.tell("serving", (devices,));
    }

    fn checked(&mut self) {
        self.tell("checked", ());
    }

    fn at_start(&mut self) {
        self.tell("at_start", ());
    }

    fn prepared(&mut self, device: &str, done: u64, of: u64) {
        self.tell("prepared", (device, done, of));
    }

    fn interval(&mut self, shape: &RunShape, interval: Interval, status: Option<&Value>) {
        self.pass_on(|| Arc::new(Names::new(shape)), interval, status, &[]);
    }

    fn warn(&mut self, message: &str) {
        self.tell("warn", (message,));
    }

    fn unwritten(&mut self, error: &io::Error) {
        let raised = not_run(Error::unwritten(error));
        let raised = Python::attach(|py| raised.into_value(py));
        self.tell("unwritten", (raised,));
    }

    fn stopped(&mut self) -> bool {
        if self.raised.is_some() {
            return true;
        }
        let asked = Python::attach(|py| {
            // Ctrl-C, where nobody handles it: in a notebook, say.
            py.check_signals()?;
            let answer = self.observer.call_method0(py, "stopped")?;
            answer.extract::<bool>(py)
        });
        let stopped = *asked.as_ref().unwrap_or(&true);
        self.keep(asked.map(drop));
        stopped
    }
}

impl Seeing for Watcher<'_> {
    fn interval(&mut self, names: &Arc<Names>, interval: Interval, so_far: &[SoFar]) {
        self.pass_on(|| names.clone(), interval, None, so_far);
    }

    fn warn(&mut self, message: &str) {
        Observer::warn(self, message);
    }

    fn stopped(&mut self) -> bool {
        Observer::stopped(self)
    }
}

/// An interval that ended.
#[pyclass(frozen, module = "blockyard._core", name = "Interval")]
#[derive(Debug)]
pub(crate) struct IntervalEnd {
    names: Arc<Names>,
    done_s: f64,
    rows: Vec<IntervalRow>,
    status: Option<String>,
    so_far: Vec<SoFar>,
}

#[pymethods]
impl IntervalEnd {
    /// How far the run is, in seconds.
    #[getter]
    fn done_s(&self) -> f64 {
        self.done_s
    }

    /// Its rows of `intervals.parquet`: one for each job, device and operation.
    fn rows(&self) -> PyResult<RecordBatch> {
        let rows = rows::intervals(&self.names, &self.rows);
        rows.map(RecordBatch).map_err(failed)
    }

    /// What `steer status` shows, of an emulation; None of other modes.
    fn status(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let json = py.import("json")?;
        let read = |text| json.call_method1("loads", (text,)).map(Bound::unbind);
        self.status.as_ref().map(read).transpose()
    }

    /// What each device has done so far, of an observation; nothing of other modes.
    fn so_far(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let text = serde_json::to_string(&self.so_far).map_err(failed)?;
        let json = py.import("json")?;
        json.call_method1("loads", (text,)).map(Bound::unbind)
    }
}
