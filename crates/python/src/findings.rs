//! What is found out about a run, for Python.

use blockyard_experiment::{Findings, Watch};
use blockyard_explain::{Entries, Names, VolumeTable};
use blockyard_record::result::RunResult;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::error::FileError;
use crate::executor::executor;
use crate::result::text_of;
use crate::scenario::Scenario;
use crate::signals::Signals;

/// A run's table of volumes as Python has it, column by column. Numbers have 64 bits each, in the
/// machine's order: a long run of many volumes has millions of them.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Volumes {
    t_s: PyBackedBytes,
    volume: Column,
    ios: PyBackedBytes,
    bytes: PyBackedBytes,
    waits_us: Figures,
    rates: Figures,
}

/// A column of names: each of them once, and by row which it is.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Column {
    names: Vec<String>,
    index: PyBackedBytes,
}

/// What some rows say of some limits.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Figures {
    row: PyBackedBytes,
    limit: Column,
    value: PyBackedBytes,
}

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

fn table(volumes: &Volumes) -> VolumeTable {
    VolumeTable {
        t_s: numbers(&volumes.t_s, f64::from_ne_bytes),
        volume: names(&volumes.volume),
        ios: numbers(&volumes.ios, u64::from_ne_bytes),
        bytes: numbers(&volumes.bytes, u64::from_ne_bytes),
        waits_us: entries(&volumes.waits_us, f64::from_ne_bytes),
        rates: entries(&volumes.rates, u64::from_ne_bytes),
    }
}

fn names(column: &Column) -> Names {
    Names {
        names: column.names.clone(),
        index: places(&column.index),
    }
}

fn entries<T>(figures: &Figures, number: fn([u8; 8]) -> T) -> Entries<T> {
    Entries {
        row: places(&figures.row),
        limit: names(&figures.limit),
        value: numbers(&figures.value, number),
    }
}

fn places(column: &[u8]) -> Vec<usize> {
    numbers(column, |bytes| u64::from_ne_bytes(bytes) as usize)
}

fn numbers<T>(column: &[u8], number: fn([u8; 8]) -> T) -> Vec<T> {
    let (numbers, _) = column.as_chunks::<8>();
    numbers.iter().copied().map(number).collect()
}
