//! Who looks on from Python's side while a run goes on.

use blockyard_record::{Interval, Plan};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::rows::Names;

/// An observer in Python. What it raises first is kept, and stops the run.
pub(crate) struct Watcher<'a> {
    observer: &'a Py<PyAny>,
    names: Option<Names>,
    raised: Option<PyErr>,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(observer: &'a Py<PyAny>) -> Self {
        Self {
            observer,
            names: None,
            raised: None,
        }
    }

    /// What it raised, if anything.
    pub(crate) fn raised(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }

    /// Calls one of its methods.
    pub(crate) fn tell<A>(&mut self, method: &str, arguments: A)
    where
        A: for<'py> PyCallArgs<'py>,
    {
        let called = Python::attach(|py| self.observer.call_method1(py, method, arguments));
        self.keep(called.map(drop));
    }

    /// Gives `call` the rows of an interval, for its method `interval`.
    pub(crate) fn interval(
        &mut self,
        plan: &Plan,
        interval: &Interval,
        call: impl for<'py> FnOnce(
            &Bound<'py, PyAny>,
            Bound<'py, PyList>,
            Bound<'py, PyList>,
        ) -> PyResult<()>,
    ) {
        let names = self.names.get_or_insert_with(|| Names::new(plan));
        let called = Python::attach(|py| {
            let (jobs, volumes) = names.rows(py, interval)?;
            call(self.observer.bind(py), jobs, volumes)
        });
        self.keep(called);
    }

    /// Whether it wants the run to stop.
    pub(crate) fn is_stopped(&mut self) -> bool {
        let asked = Python::attach(|py| {
            self.observer
                .call_method0(py, "stopped")?
                .extract::<bool>(py)
        });
        let stopped = *asked.as_ref().unwrap_or(&true);
        self.keep(asked.map(drop));
        stopped
    }

    fn keep(&mut self, called: PyResult<()>) {
        if let Err(error) = called {
            self.raised.get_or_insert(error);
        }
    }
}
