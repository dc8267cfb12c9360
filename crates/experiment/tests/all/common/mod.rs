//! Simulates variants for the tests beside this folder.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

/// Single runs, to hold variants to.
#[path = "../../../../simulate/tests/all/common/mod.rs"]
pub mod runs;

use std::sync::Arc;

use blockyard_experiment::{Base, Edit, Executor, ScenarioText, Threads, Variant};
use blockyard_record::result::RunResult;

/// A scenario's text with overrides.
pub fn text(text: &str, sets: &[&str]) -> ScenarioText {
    ScenarioText {
        text: text.into(),
        file_name: "test.yaml".into(),
        sets: sets.iter().map(|&set| set.into()).collect(),
    }
}

/// A scenario that was read.
pub fn base(of: &str, sets: &[&str]) -> Arc<Base> {
    Base::read(text(of, sets)).unwrap_or_else(|error| panic!("{error}"))
}

/// The results of a scenario with the edits of each case, or the first error.
pub fn tried(of: &str, cases: &[Vec<Edit>], threads: usize) -> Result<Vec<RunResult>, String> {
    let base = base(of, &[]);
    let with = |edits: &Vec<Edit>| Variant::of(&base).with(edits.clone());
    let batch: Vec<_> = cases.iter().map(with).collect();
    let answers = Threads::of(threads).run(&batch, &mut || false).unwrap();
    let results = answers.into_iter().map(|answer| Ok(answer?.result));
    results
        .collect::<Result<_, blockyard_experiment::Error>>()
        .map_err(|error| error.to_string())
}
