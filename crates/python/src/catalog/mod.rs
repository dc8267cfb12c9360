//! The catalog's rows as JSON, their figures put into words.

pub(crate) mod instances;
mod law;
pub(crate) mod prices;
pub(crate) mod volumes;

use blockyard_catalog::{Catalog, PriceFile, Source};
use blockyard_text::units::Date;
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::bad_input;

/// Rules of volume types as a JSON list: all, or those of a day and with
/// `matching` in their name.
#[pyfunction]
#[pyo3(signature = (as_of=None, matching=None))]
pub(crate) fn catalog_volumes(as_of: Option<&str>, matching: Option<&str>) -> PyResult<String> {
    let day = as_of.map(day).transpose()?;
    json(&volumes::rows(catalog()?, day, matching).map_err(bad_input)?)
}

/// Instance types as a JSON list: all, or those with `matching` in their name.
#[pyfunction]
#[pyo3(signature = (as_of=None, matching=None))]
pub(crate) fn catalog_instances(as_of: Option<&str>, matching: Option<&str>) -> PyResult<String> {
    let day = as_of.map(day).transpose()?;
    json(&instances::rows(catalog()?, day, matching).map_err(bad_input)?)
}

/// What RDS makes of a database: from which size in GiB on it stripes the storage of `engine`, over
/// how many volumes, and whether the limits of `instance_class` are known. An engine that is never
/// striped has no size, and one volume.
#[pyfunction]
pub(crate) fn rds_storage(
    engine: &str,
    instance_class: &str,
) -> PyResult<(Option<u64>, u32, bool)> {
    let catalog = catalog()?;
    let known = catalog.instance(instance_class).is_ok();
    Ok(match catalog.rds_striping(engine) {
        Some((row, _)) => (Some(row.from.bytes() >> 30), row.volumes.get(), known),
        None => (None, 1, known),
    })
}

/// The prices that are known, a JSON list of regions: all, or those with `matching` in their name.
/// `prices` is the text of a price file, whose prices come first, and what errors call it.
///
/// Raises ScenarioError if no region matches or the price file is wrong.
#[pyfunction]
#[pyo3(signature = (as_of=None, matching=None, prices=None))]
pub(crate) fn catalog_prices(
    as_of: Option<&str>,
    matching: Option<&str>,
    prices: Option<(String, String)>,
) -> PyResult<String> {
    let (catalog, day) = (catalog()?, as_of.map(day).transpose()?);
    let file = prices.map(|(text, name)| PriceFile::parse(catalog, &text, &name));
    let file = file.transpose().map_err(bad_input)?;
    json(&prices::rows(catalog, day, matching, file.as_ref()).map_err(bad_input)?)
}

fn catalog() -> PyResult<&'static Catalog> {
    Catalog::get().map_err(bad_input)
}

fn day(text: &str) -> PyResult<Date> {
    text.parse()
        .map_err(|error| bad_input(format!("--as-of: {error}")))
}

fn json(rows: &impl Serialize) -> PyResult<String> {
    serde_json::to_string_pretty(rows).map_err(bad_input)
}

/// Whether `text` contains `filter`, whatever its case.
fn matches(text: &str, filter: Option<&str>) -> bool {
    filter.is_none_or(|filter| text.to_lowercase().contains(&filter.to_lowercase()))
}

/// A source with its address.
fn in_full(source: &Source) -> String {
    format!("{source} <{}>", source.url)
}
