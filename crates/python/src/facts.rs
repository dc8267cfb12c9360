//! The facts of a run, and the names of limits, for Python.

use blockyard_experiment::advice;
use blockyard_experiment::budget::Work;
use blockyard_explain::{Entries, Facts, Names, Recorded, VolumeTable, waited as waited_for};
use blockyard_record::result::RunResult;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::error::{FileError, bad_input, no_answer};
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

/// The facts of a run, as a JSON text: of the text of its `result.json`, its scenario and
/// its table of volumes.
///
/// Raises FileError, in one line that `name` begins, for what cannot be read of them.
#[pyfunction]
pub(crate) fn facts(
    py: Python<'_>,
    name: &str,
    result: &str,
    scenario: &Bound<'_, Scenario>,
    volumes: Volumes,
) -> PyResult<String> {
    let (scenario, volumes) = (scenario.get(), table(&volumes));
    let found = py.detach(|| {
        let (_, facts) = explained(result, scenario, &volumes)?;
        serde_json::to_string(&facts).map_err(|error| error.to_string())
    });
    found.map_err(|reason| unreadable(name, &reason))
}

/// What would help a run, tried on all processors, as a JSON text: of the text of its
/// `result.json`, its scenario and its table of volumes.
///
/// Raises FileError, in one line that `name` begins, for what cannot be read of them, ScenarioError
/// for what cannot be simulated, and what a signal raises.
#[pyfunction]
pub(crate) fn advise(
    py: Python<'_>,
    name: &str,
    result: &str,
    scenario: &Bound<'_, Scenario>,
    volumes: Volumes,
) -> PyResult<String> {
    let (scenario, volumes) = (scenario.get(), table(&volumes));
    let mut signals = Signals::default();
    let found = py.detach(|| {
        let run = explained(result, scenario, &volumes);
        let (result, facts) = run.map_err(|reason| unreadable(name, &reason))?;
        let found = advice::advise(scenario.base(), &result, &facts, executor(), &mut signals);
        found.map_err(no_answer)
    });
    signals.raised()?;
    text_of(&found?)
}

/// What it takes to simulate a run again: IOs and accesses to pages, of the text of its
/// `result.json` and its scenario.
///
/// Raises FileError, in one line that `name` begins, for what cannot be read of them.
#[pyfunction]
pub(crate) fn work(name: &str, result: &str, scenario: &Bound<'_, Scenario>) -> PyResult<u64> {
    let result = RunResult::read(result).map_err(|reason| unreadable(name, &reason))?;
    Ok(Work::of(&result, scenario.get().asked()).ios)
}

/// A run that was read back, and what its figures say of its limits.
fn explained(
    result: &str,
    scenario: &Scenario,
    volumes: &VolumeTable,
) -> Result<(RunResult, Facts), String> {
    let result = RunResult::read(result)?;
    let facts = Facts::of(&Recorded {
        result: &result,
        storage: &scenario.resolved().storage,
        jobs: &scenario.resolved().jobs,
        warmup_s: scenario.warmup_s(),
        volumes,
    })?;
    Ok((result, facts))
}

fn unreadable(name: &str, reason: &str) -> PyErr {
    FileError::new_err(format!("{name}: {reason}"))
}

/// Which limits IOs waited for, as a JSON text, from (owner, limit, time) as results of
/// `scenario` have them: the volumes of a device together, the limit with most first.
///
/// Raises ScenarioError, in one line, for what is no limit.
#[pyfunction]
pub(crate) fn waited(
    times: Vec<(String, String, f64)>,
    scenario: &Bound<'_, Scenario>,
) -> PyResult<String> {
    let each = times.iter();
    let each = each.map(|(owner, limit, time)| (&**owner, &**limit, *time));
    let found = waited_for(each, &scenario.get().resolved().storage);
    serde_json::to_string(&found.map_err(bad_input)?).map_err(bad_input)
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
