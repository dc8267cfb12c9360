//! Bills from Python.

use std::str::FromStr;

use blockyard_catalog::{Catalog, PriceFile};
use blockyard_cost::{Bill, Pace, Terms};
use blockyard_record::result::RunResult;
use blockyard_scenario::units::{Date, Size};
use pyo3::prelude::*;

use crate::error::{FileError, bad_input};
use crate::scenario::Scenario;

/// The names of all regions.
#[pyfunction]
pub(crate) fn regions() -> PyResult<Vec<&'static str>> {
    Ok(Catalog::get().map_err(bad_input)?.regions().collect())
}

/// The bill of a scenario as a JSON text, or, with the text of its `result.json`, of a run of
/// it. `prices` is the text of a price file and what errors call it.
///
/// Raises ScenarioError, in one line, for what is no region, day or term, for a mistake in the
/// price file, and for a price that is not known; FileError if the result cannot be read.
#[pyfunction]
#[pyo3(signature = (
    scenario, result=None, *, region=None, as_of=None, term=None, hours_per_month=None,
    prices=None, snapshots=None,
))]
#[expect(clippy::too_many_arguments, reason = "by name, as users have them")]
pub(crate) fn bill(
    scenario: &Bound<'_, Scenario>,
    result: Option<&str>,
    region: Option<&str>,
    as_of: Option<&str>,
    term: Option<&str>,
    hours_per_month: Option<u32>,
    prices: Option<(String, String)>,
    snapshots: Option<&str>,
) -> PyResult<String> {
    let scenario = scenario.get();
    let pace = match result {
        Some(text) => {
            let result = RunResult::read(text).map_err(FileError::new_err)?;
            Some(Pace::of(&result, scenario.warmup_s()))
        }
        None => None,
    };
    let catalog = Catalog::get().map_err(bad_input)?;
    let prices = prices.map(|(text, name)| PriceFile::parse(catalog, &text, &name));
    let prices = prices.transpose().map_err(bad_input)?;
    let usual = Terms::default();
    let terms = Terms {
        region,
        day: read::<Date>("as_of", as_of)?,
        term: term.map_or(Ok(usual.term), str::parse).map_err(bad_input)?,
        hours_per_month: hours_per_month.unwrap_or(usual.hours_per_month),
        prices: prices.as_ref(),
        snapshots: read::<Size>("snapshots", snapshots)?,
    };
    let bill = Bill::of(scenario.asked(), scenario.resolved(), &terms, pace.as_ref());
    serde_json::to_string(&bill.map_err(bad_input)?).map_err(bad_input)
}

/// An argument, if it is given; an error says which.
fn read<T: FromStr<Err = String>>(name: &str, text: Option<&str>) -> PyResult<Option<T>> {
    let value = text.map(str::parse).transpose();
    value.map_err(|error| bad_input(format!("{name}: {error}")))
}
