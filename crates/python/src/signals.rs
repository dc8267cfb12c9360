//! Signals while Rust works: they stop it, and are raised afterwards.

use blockyard_experiment::{Tried, Watch};
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

/// Tells Python what was tried, and stops for what that or a signal raises.
pub(crate) struct Watching {
    tried: Py<PyAny>,
    signals: Signals,
}

impl Watching {
    /// Tells `tried` of each load or variant: what it was, in words, how many IOs all took, and how
    /// many they may.
    pub(crate) fn new(tried: Py<PyAny>) -> Self {
        Self {
            tried,
            signals: Signals::default(),
        }
    }

    /// Raises what was caught.
    pub(crate) fn raised(self) -> PyResult<()> {
        self.signals.raised()
    }
}

impl Watch for Watching {
    fn tried(&mut self, tried: &Tried) {
        let told = (&tried.last, tried.ios, tried.most_ios);
        self.signals
            .catch(|py| self.tried.call1(py, told).map(drop));
    }

    fn stopped(&mut self) -> bool {
        self.signals.stop()
    }
}
