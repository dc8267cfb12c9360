//! What sets up the storage of a scenario, for Python.

use blockyard_provision as provision;
use blockyard_provision::{Asked, Layout, Refused};
use pyo3::prelude::*;

use crate::error::bad_input;
use crate::result::text_of;
use crate::scenario::Scenario;

/// Raises ScenarioError if nothing can set up the storage of a scenario, whose errors call it
/// `file`.
#[pyfunction]
pub(crate) fn check_layout(scenario: &Bound<'_, Scenario>, file: &str) -> PyResult<()> {
    layout(scenario).check().map_err(refused_in(file))
}

/// What is bought for `host`, or for all, and how it is watched, as a JSON text.
///
/// Raises ScenarioError for what cannot be bought or attached.
#[pyfunction]
#[pyo3(signature = (scenario, file, host=None, *, with_instance=false))]
#[pyo3(text_signature = "(scenario, file, host=None, *, with_instance=False)")]
pub(crate) fn bought(
    scenario: &Bound<'_, Scenario>,
    file: &str,
    host: Option<&str>,
    with_instance: bool,
) -> PyResult<String> {
    let asked = Asked {
        host,
        with_instance,
    };
    let found = provision::bought(&layout(scenario), asked);
    text_of(&found.map_err(refused_in(file))?)
}

/// The names under which EC2 attaches volumes to a host: pairs of the volume's and this one.
///
/// Raises ScenarioError if there are more volumes than names.
#[pyfunction]
pub(crate) fn attached_as(
    scenario: &Bound<'_, Scenario>,
    file: &str,
    host: &str,
) -> PyResult<Vec<(String, String)>> {
    provision::attached_as(&layout(scenario), host).map_err(refused_in(file))
}

/// The Terraform configuration for `host`, or for all, with `with_instance` of the instances too.
///
/// Raises ScenarioError for what has no form in it.
#[pyfunction]
#[pyo3(signature = (scenario, file, host=None, *, with_instance=false))]
#[pyo3(text_signature = "(scenario, file, host=None, *, with_instance=False)")]
pub(crate) fn terraform(
    scenario: &Bound<'_, Scenario>,
    file: &str,
    host: Option<&str>,
    with_instance: bool,
) -> PyResult<String> {
    let asked = Asked {
        host,
        with_instance,
    };
    provision::terraform(&layout(scenario), asked).map_err(refused_in(file))
}

/// Paragraphs as comment lines, each after `mark`; one with two blanks first is kept as is.
#[pyfunction]
pub(crate) fn comment(paragraphs: Vec<String>, mark: &str) -> String {
    provision::comment(&paragraphs, mark)
}

/// A text on one line, with only what can be printed.
#[pyfunction]
pub(crate) fn plain(text: &str) -> String {
    provision::plain(text)
}

fn layout(scenario: &Bound<'_, Scenario>) -> Layout {
    scenario.get().layout_at_start()
}

/// The exception for what is refused in a file.
fn refused_in(file: &str) -> impl Fn(Refused) -> PyErr {
    move |refused| bad_input(format!("{file}: {refused}"))
}
