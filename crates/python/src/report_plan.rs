//! What a report says of plans, for Python. A plan is the JSON that planning gave.

use blockyard_plan::Answer;
use blockyard_report::plan::fleet::fleet;
use blockyard_report::plan::lines::lines;
use blockyard_report::plan::planned;
use blockyard_report::plan::reasons::rejected;
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::bad_input;

/// What a page says of a plan: title, headlines, tiles, facts, passages and figures, as JSON.
///
/// Raises ScenarioError if `answer` is no plan.
#[pyfunction]
pub(crate) fn plan_page(answer: &str) -> PyResult<String> {
    json(&planned(&read(answer)?))
}

/// The lines that a terminal prints of a plan, each with how far its rest is indented where it is
/// folded; None of what stands in columns. With `explain` also why families of instances are not
/// it.
///
/// Raises ScenarioError if `answer` is no plan.
#[pyfunction]
#[pyo3(signature = (answer, *, explain))]
pub(crate) fn plan_lines(answer: &str, explain: bool) -> PyResult<Vec<(String, Option<usize>)>> {
    let lines = lines(&read(answer)?, explain).into_iter();
    Ok(lines.map(|line| (line.text, line.indent)).collect())
}

/// Why volume types, families of instances and layouts are not it, in words.
///
/// Raises ScenarioError if `answer` is no plan.
#[pyfunction]
pub(crate) fn plan_reasons(answer: &str) -> PyResult<Vec<(String, Vec<String>)>> {
    let rejected = rejected(&read(answer)?).into_iter();
    let texts = rejected.map(|(of, said)| (of, said.into_iter().map(|it| it.text).collect()));
    Ok(texts.collect())
}

/// What is said of the plans of a fleet, and of databases that have none, by name and why:
/// headline, notes, table and what is unmet, as JSON.
///
/// Raises ScenarioError if one of `answers` is no plan.
#[pyfunction]
pub(crate) fn plans_of_fleet(
    answers: Vec<String>,
    failed: Vec<(String, String)>,
) -> PyResult<String> {
    let answers = answers.iter().map(|answer| read(answer));
    json(&fleet(&answers.collect::<PyResult<Vec<_>>>()?, &failed))
}

fn read(answer: &str) -> PyResult<Answer> {
    serde_json::from_str(answer).map_err(|error| bad_input(format!("plan: {error}")))
}

fn json(said: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(said).map_err(bad_input)
}
