//! A measured load under a scenario's limits, for Python.

use blockyard_explain::{Demand, UnderDemand};
use pyo3::prelude::*;

use crate::error::bad_input;
use crate::scenario::Scenario;

/// What the limits of a scenario's storage would do to a load that was measured, both as JSON
/// texts. Its jobs do not count.
///
/// Raises ScenarioError, in one line, for a load that is not of its devices.
#[pyfunction]
pub(crate) fn under_demand(scenario: &Bound<'_, Scenario>, demand: &str) -> PyResult<String> {
    let demand: Demand = serde_json::from_str(demand).map_err(bad_input)?;
    let found = UnderDemand::of(&scenario.get().resolved().storage, &demand);
    serde_json::to_string(&found.map_err(bad_input)?).map_err(bad_input)
}
