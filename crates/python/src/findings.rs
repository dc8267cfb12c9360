//! What is found out about a run, for Python.

use blockyard_experiment::{Findings, Watch};
use blockyard_record::result::RunResult;
use pyo3::prelude::*;

use crate::error::FileError;
use crate::executor::executor;
use crate::packed::{Volumes, table};
use crate::result::text_of;
use crate::scenario::Scenario;
use crate::signals::Signals;

/// What is found out about a run, as a JSON text: of the text of its `result.json`, its scenario
/// and its table of volumes. With `stopped`, what would help it is tried on all processors, until
/// `stopped()` is true.
///
/// Raises FileError, in one line that `name` begins, for what cannot be read of them, and what a
/// signal or `stopped` raises.
#[pyfunction]
#[pyo3(signature = (name, result, scenario, volumes, stopped=None))]
pub(crate) fn findings(
    py: Python<'_>,
    name: &str,
    result: &str,
    scenario: &Bound<'_, Scenario>,
    volumes: Volumes,
    stopped: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (base, volumes) = (scenario.get().base(), table(&volumes));
    let mut watching = Stopping {
        stopped,
        signals: Signals::default(),
    };
    let found = py.detach(|| -> PyResult<_> {
        let result = RunResult::read(result).map_err(|reason| unreadable(name, &reason))?;
        let found = Findings::of(base, &result, &volumes);
        let found = found.map_err(|reason| unreadable(name, &reason))?;
        Ok(match &watching.stopped {
            None => found,
            Some(_) => found.advised(base, &result, executor(), &mut watching),
        })
    });
    watching.signals.raised()?;
    text_of(&found?)
}

/// Whoever makes a run can stop what is tried of it.
struct Stopping {
    stopped: Option<Py<PyAny>>,
    signals: Signals,
}

impl Watch for Stopping {
    fn stopped(&mut self) -> bool {
        let mut asked = false;
        if let Some(stopped) = &self.stopped {
            self.signals.catch(|py| {
                asked = stopped.call0(py)?.extract(py)?;
                Ok(())
            });
        }
        asked || self.signals.stop()
    }
}

fn unreadable(name: &str, reason: &str) -> PyErr {
    FileError::new_err(format!("{name}: {reason}"))
}
