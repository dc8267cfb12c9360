//! A command, as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Commands;
use crate::fault::{Cut, Fault, Stall};

/// One line: a word as `"status"`, or a word with what it needs as
/// `{"set": {"data.0.iops": "6000"}}`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Request {
    Status,
    /// Rates by the limits' names.
    Set(BTreeMap<String, String>),
    Pause(On),
    Resume(On),
    Cut(On),
    Restore(On),
    Fault(Fault),
    /// Ends all faults.
    Clear,
    Stop,
}

/// A device, volume or link; everything if none is named.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct On {
    on: Option<String>,
}

impl Request {
    /// Reads a line. The error names the field, its value and what was
    /// expected.
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        let mut json = serde_json::Deserializer::from_slice(line);
        let request = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let path = error.path().to_string();
            let message = words(error.inner());
            match path.as_str() {
                "." => message,
                _ => format!("{path}: {message}"),
            }
        })?;
        json.end().map_err(|error| words(&error))?;
        Ok(request)
    }

    /// Carries it out, and gives what the client gets.
    pub(super) fn run(self, commands: &dyn Commands) -> Result<Value, String> {
        let done = match self {
            Self::Status => return Ok(commands.status()),
            Self::Set(rates) => commands.set(&rates.into_iter().collect::<Vec<_>>()),
            Self::Pause(On { on }) => commands.fault(&Fault::Stall(Stall { on, duration: None })),
            Self::Resume(On { on }) => commands.resume(on.as_deref()),
            Self::Cut(On { on }) => commands.fault(&Fault::Cut(Cut { on, duration: None })),
            Self::Restore(On { on }) => commands.restore(on.as_deref()),
            Self::Fault(fault) => commands.fault(&fault),
            Self::Clear => commands.clear(),
            Self::Stop => commands.stop(),
        };
        done.map(|()| Value::Null)
    }
}

/// What is wrong, in one line.
fn words(error: &serde_json::Error) -> String {
    // Names of the input can have line breaks in them.
    let text = error.to_string().replace(char::is_control, " ");
    match text.rsplit_once(" at line ") {
        // The field says where it is.
        Some((message, _)) if error.is_data() => message.into(),
        _ => text,
    }
}
