//! The catalog's rows as JSON.

use blockyard_scenario::catalog::Catalog;
use blockyard_scenario::units::Date;
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::bad_input;

/// Rules of volume types as a JSON list: all, or those of a day and with
/// `matching` in their name.
#[pyfunction]
#[pyo3(signature = (as_of=None, matching=None))]
pub(crate) fn catalog_volumes(as_of: Option<&str>, matching: Option<&str>) -> PyResult<String> {
    let day = as_of.map(day).transpose()?;
    json(catalog()?.volumes(day, matching))
}

/// Instance types as a JSON list: all, or those with `matching` in their name.
#[pyfunction]
#[pyo3(signature = (as_of=None, matching=None))]
pub(crate) fn catalog_instances(as_of: Option<&str>, matching: Option<&str>) -> PyResult<String> {
    let day = as_of.map(day).transpose()?;
    json(catalog()?.instances(day, matching))
}

fn catalog() -> PyResult<&'static Catalog> {
    Catalog::embedded().map_err(bad_input)
}

fn day(text: &str) -> PyResult<Date> {
    text.parse()
        .map_err(|error| bad_input(format!("--as-of: {error}")))
}

fn json<T: Serialize>(rows: Result<Vec<T>, String>) -> PyResult<String> {
    serde_json::to_string_pretty(&rows.map_err(bad_input)?).map_err(bad_input)
}
