//! What a page asks, and the answers.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::controls::controls;
use crate::copied::copied;
use crate::error::Error;
use crate::planned::planned;
use crate::run::{How, Recorded, Scenario};
use crate::shown::shown;

/// What a page can ask. Each says what it takes; see `web/src/whatif/protocol.ts`.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Question {
    /// Say what of a scenario can be changed, and how it reads with its overrides.
    Look(Scenario),
    /// Simulate a scenario.
    Run(How),
    /// Say a scenario with its changes as a command and as YAML.
    Copy(Scenario),
    /// Plan for a requirement.
    Plan {
        /// Its YAML.
        text: String,
    },
    /// Put into words and figures one run, or a run after a change and the one before it.
    Page {
        /// As `Run` gave them.
        runs: Vec<Recorded>,
    },
}

/// Answers a question, as JSON; what cannot be answered is `{"error": …}`.
#[must_use]
pub fn answer(question: &str) -> String {
    let found = serde_json::from_str(question).map_err(Error::new);
    let found = found.and_then(answered);
    let found = found.unwrap_or_else(|error| json!({"error": error}));
    found.to_string()
}

fn answered(question: Question) -> Result<Value, Error> {
    match question {
        Question::Look(scenario) => {
            let base = scenario.read()?;
            Ok(json!({
                "name": base.opened().scenario().name,
                "duration_s": base.opened().scenario().duration.nanos() as f64 / 1e9,
                "controls": controls(&base)?,
                "yaml": base.opened().loaded.to_yaml()?,
            }))
        }
        Question::Run(how) => {
            let run = Recorded::new(how)?;
            Ok(json!({"ios": run.ios(), "run": run}))
        }
        Question::Copy(scenario) => Ok(json!(copied(&scenario)?)),
        Question::Plan { text } => Ok(json!(planned(&text)?)),
        Question::Page { runs } => Ok(json!(shown(runs)?)),
    }
}
