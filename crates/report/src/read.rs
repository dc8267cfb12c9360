//! Results of runs read back, Blockyard's own and those of other programs.

use blockyard_record::result::{RunResult, SCHEMA};
use serde_json::{Value, json};

/// Reads the result of a run, and which other program's file it was read from, if one was: such a
/// result lacks what says how Blockyard made it.
///
/// # Errors
/// A line that says what cannot be read.
pub fn read_result(text: &str) -> Result<(RunResult, Option<String>), String> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let own = ["simulate", "bench", "emulate", "observe"];
    let mode = value["mode"].as_str().filter(|mode| !own.contains(mode));
    let foreign = mode.map(str::to_owned);
    if foreign.is_some() {
        value["mode"] = "bench".into();
        value["schema"] = SCHEMA.into();
        value["random"] = "".into();
        value["tool"] = json!({"name": "", "version": ""});
        let cycles = value["cycles"].as_array_mut().into_iter().flatten();
        for cycle in cycles {
            for count in ["blocks", "wij_bytes", "database_ios", "database_bytes"] {
                cycle[count] = 0.into();
            }
        }
    }
    Ok((RunResult::of_json(value)?, foreign))
}
