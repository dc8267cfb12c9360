//! A scenario with its changes, to be taken elsewhere.

use blockyard_provision::{Asked, Layout, terraform};
use serde::Serialize;

use crate::error::Error;
use crate::run::Scenario;

/// A scenario with its changes in several languages.
#[derive(Debug, Serialize)]
pub(crate) struct Copied {
    /// What simulates it, where the scenario without the changes is at hand.
    command: String,
    /// Its YAML, changes included.
    scenario: String,
    /// The Terraform configuration of its volumes.
    terraform: Option<String>,
    /// Why there is none, in a line.
    refused: Option<String>,
}

/// What can be copied of a scenario.
pub(crate) fn copied(scenario: &Scenario) -> Result<Copied, Error> {
    let base = scenario.read()?;
    let sets = scenario
        .sets
        .iter()
        .map(|set| format!(" --set {}", quoted(set)));
    let name = &base.opened().scenario().name;
    let file = quoted(&format!("{name}.yaml"));
    let opened = base.opened();
    let layout = Layout::of(&opened.loaded, &opened.resolved);
    let (terraform, refused) = match terraform(&layout, Asked::default()) {
        Ok(text) => (Some(text), None),
        Err(refused) => (None, Some(refused.to_string())),
    };
    Ok(Copied {
        command: format!("blockyard simulate {file}{}", sets.collect::<String>()),
        scenario: opened.loaded.to_yaml()?,
        terraform,
        refused,
    })
}

/// A word of a command line as a POSIX shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,%+".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
