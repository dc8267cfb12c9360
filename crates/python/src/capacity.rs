//! How much a layout takes, for Python.

use blockyard_capacity::{
    Asked, Least, Prices, WhatIf, capacity as largest, what_if as try_changes,
};
use blockyard_catalog::Term;
use blockyard_experiment::budget::FOR_QUESTION;
use blockyard_experiment::{Error, Watch};
use blockyard_model::units::MIB;
use blockyard_scenario::units::Size;
use pyo3::prelude::*;

use crate::error::{bad_input, no_answer};
use crate::executor::executor;
use crate::result::text_of;
use crate::scenario::Scenario;
use crate::signals::Watching;

/// Look for the largest load at which goals hold, on all processors; give what was found as a
/// JSON text.
///
/// `goals` stand in for the scenario's if there are any, `job` is whose load is varied, `up_to` is
/// the most load, and `most_ios` how many IOs may be simulated. With `sustained` burst balances and
/// tokens are used up before the start. `tried` is told of each load: what
/// it was, in words, how many IOs all took, and how many they may. Raises ScenarioError for what is
/// wrong, OSError if threads cannot be started, and what a signal or `tried` raises.
#[pyfunction]
#[pyo3(signature = (
    scenario, goals, tried, *, job=None, up_to=None, sustained=false, most_ios=FOR_QUESTION,
))]
#[pyo3(
    text_signature = "(scenario, goals, tried, *, job=None, up_to=None, sustained=False, \
                         most_ios=300000000)"
)]
#[expect(clippy::too_many_arguments, reason = "by name, as users have them")]
pub(crate) fn capacity(
    py: Python<'_>,
    scenario: &Bound<'_, Scenario>,
    goals: Vec<String>,
    tried: Py<PyAny>,
    job: Option<String>,
    up_to: Option<f64>,
    sustained: bool,
    most_ios: u64,
) -> PyResult<String> {
    scenario.get().check_simulation()?;
    let asked = Asked {
        scenario: scenario.get().text().clone(),
        goals,
        job,
        up_to,
        sustained,
        most_ios,
    };
    answered(py, tried, |watch| largest(&asked, executor(), watch))
}

/// Simulate a layout with one thing changed, and with two or three, again and again, on all
/// processors; give what each change would bring or save as a JSON text.
///
/// `job` is whose gain counts, `region`, `term` and `prices`, the text and the name of a price
/// file, say what it would cost, and `most_ios` how many IOs may be simulated. An instance has
/// `vcpu` vCPUs and `memory`, such as `64GiB`, at least. `sustained`, `tried` and errors are as
/// for `capacity`.
#[pyfunction]
#[pyo3(signature = (
    scenario, tried, *, job=None, sustained=false, vcpu=None, memory=None, region=None, term=None,
    prices=None, most_ios=FOR_QUESTION,
))]
#[pyo3(
    text_signature = "(scenario, tried, *, job=None, sustained=False, vcpu=None, memory=None, \
                         region=None, term=None, prices=None, most_ios=300000000)"
)]
#[expect(clippy::too_many_arguments, reason = "by name, as users have them")]
pub(crate) fn what_if(
    py: Python<'_>,
    scenario: &Bound<'_, Scenario>,
    tried: Py<PyAny>,
    job: Option<String>,
    sustained: bool,
    vcpu: Option<u64>,
    memory: Option<&str>,
    region: Option<String>,
    term: Option<&str>,
    prices: Option<(String, String)>,
    most_ios: u64,
) -> PyResult<String> {
    scenario.get().check_simulation()?;
    let asked = WhatIf {
        scenario: scenario.get().text().clone(),
        job,
        sustained,
        least: Least {
            vcpu,
            memory_mib: memory.map(memory_mib).transpose().map_err(bad_input)?,
        },
        prices: Prices {
            region,
            term: term
                .map_or(Ok(Term::default()), str::parse)
                .map_err(bad_input)?,
            file: prices,
        },
        most_ios,
    };
    answered(py, tried, |watch| try_changes(&asked, executor(), watch))
}

/// MiB of a size as it is written.
fn memory_mib(text: &str) -> Result<u64, String> {
    let size: Result<Size, _> = text.parse();
    match size {
        Ok(size) => Ok(size.bytes().div_ceil(MIB)),
        Err(error) => Err(format!("--memory: {error}")),
    }
}

/// The text of an answer that is worked out without Python, but for `tried` and signals.
fn answered<T: serde::Serialize + Send>(
    py: Python<'_>,
    tried: Py<PyAny>,
    work: impl FnOnce(&mut dyn Watch) -> Result<Option<T>, Error> + Send,
) -> PyResult<String> {
    let mut watching = Watching::new(tried);
    let found = py.detach(|| work(&mut watching));
    watching.raised()?;
    match found {
        // It only ends without an answer if it was stopped, which has raised above.
        Ok(found) => text_of(&found),
        Err(error) => Err(no_answer(error)),
    }
}
