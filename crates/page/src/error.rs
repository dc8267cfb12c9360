//! What is wrong with a question, for whoever asked.

use blockyard_text::{Error as BadInput, Origin};
use serde::Serialize;

/// What kept a question from being answered.
#[derive(Debug, Serialize)]
pub(crate) struct Error {
    /// One line: the value and what was expected.
    message: String,
    /// The field's path from the top of the scenario; none where no field is to blame.
    path: Option<String>,
    /// The line in the scenario's text, from 1; none of an override.
    line: Option<usize>,
}

impl Error {
    pub(crate) fn new(message: impl ToString) -> Self {
        Self {
            message: message.to_string(),
            path: None,
            line: None,
        }
    }
}

impl From<BadInput> for Error {
    fn from(error: BadInput) -> Self {
        let line = match error.place() {
            Origin::File { line, .. } => Some(*line),
            _ => None,
        };
        Self {
            message: error.message().to_owned(),
            path: Some(error.path().to_owned()).filter(|path| !path.is_empty()),
            line,
        }
    }
}

impl From<blockyard_experiment::Error> for Error {
    fn from(error: blockyard_experiment::Error) -> Self {
        match error {
            blockyard_experiment::Error::Scenario(error) => error.into(),
            other => Self::new(other),
        }
    }
}
