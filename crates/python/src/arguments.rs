//! Options as Python has them: a dict whose keys are the command line's options.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::bad_input;

/// The options that stand in `arguments`. A ScenarioError names the option that is wrong.
pub(crate) fn read<T: DeserializeOwned>(arguments: &Bound<'_, PyDict>) -> PyResult<T> {
    let json = arguments.py().import("json")?;
    let text: String = json.call_method1("dumps", (arguments,))?.extract()?;
    // Python writes what is no UTF-8 in a file's name as half a character.
    let value: Value = serde_json::from_str(&text)
        .map_err(|_| bad_input("the name of a file is not UTF-8; expected one that is"))?;
    serde_path_to_error::deserialize(value).map_err(|error| {
        let place = error.path().to_string();
        let option = place.split(['.', '[']).next().unwrap_or_default();
        let wrong = error.inner();
        bad_input(match option.replace('_', "-") {
            option if option.is_empty() => wrong.to_string(),
            option => format!("--{option}: {wrong}"),
        })
    })
}
