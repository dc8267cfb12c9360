//! Signals while Rust works: they stop it, and are raised afterwards.

use blockyard_experiment::Watch;
use pyo3::prelude::*;

/// What a signal, or what Python was called for, raised.
#[derive(Debug, Default)]
pub(crate) struct Signals(Option<PyErr>);

impl Signals {
    /// Keeps what `call` raises, unless there is something already.
    pub(crate) fn catch(&mut self, call: impl FnOnce(Python<'_>) -> PyResult<()>) {
        if let Err(error) = Python::attach(call) {
            self.0.get_or_insert(error);
        }
    }

    /// Whether something was raised, now or before.
    pub(crate) fn stop(&mut self) -> bool {
        if self.0.is_none() {
            self.catch(|py| py.check_signals());
        }
        self.0.is_some()
    }

    /// Raises what was caught.
    pub(crate) fn raised(self) -> PyResult<()> {
        self.0.map_or(Ok(()), Err)
    }
}

impl Watch for Signals {
    fn stopped(&mut self) -> bool {
        self.stop()
    }
}
