//! What a report says of plans, for Python. A plan is the JSON that planning gave.

use blockyard_plan::Answer;
use blockyard_report::plan::fleet::fleet;
use blockyard_report::plan::lines::lines;
use blockyard_report::plan::planned;
use blockyard_report::plan::reasons::rejected;
use pyo3::prelude::*;

use crate::result::text_of;
use crate::text::read;

/// What a page says of a plan: title, headlines, tiles, facts, passages and figures, as JSON.
///
/// Raises FileError if `answer` is no plan.
#[pyfunction]
pub(crate) fn plan_page(answer: &str) -> PyResult<String> {
    text_of(&planned(&plan(answer)?))
}

/// The lines that a terminal prints of a plan, each with how far its rest is indented where it is
/// folded; None of what stands in columns. With `explain` also why families of instances are not
/// it.
///
/// Raises FileError if `answer` is no plan.
#[pyfunction]
#[pyo3(signature = (answer, *, explain))]
pub(crate) fn plan_lines(answer: &str, explain: bool) -> PyResult<Vec<(String, Option<usize>)>> {
    let lines = lines(&plan(answer)?, explain).into_iter();
    Ok(lines.map(|line| (line.text, line.indent)).collect())
}

/// Why volume types, families of instances and layouts are not it, in words.
///
/// Raises FileError if `answer` is no plan.
#[pyfunction]
pub(crate) fn plan_reasons(answer: &str) -> PyResult<Vec<(String, Vec<String>)>> {
    let rejected = rejected(&plan(answer)?).into_iter();
    let texts = rejected.map(|(of, said)| (of, said.into_iter().map(|it| it.text).collect()));
    Ok(texts.collect())
}

/// What is said of the plans of a fleet, and of databases that have none, by name and why:
/// headline, notes, table and what is unmet, as JSON.
///
/// Raises FileError if one of `answers` is no plan.
#[pyfunction]
pub(crate) fn plans_of_fleet(
    answers: Vec<String>,
    failed: Vec<(String, String)>,
) -> PyResult<String> {
    let answers = answers.iter().map(|answer| plan(answer));
    text_of(&fleet(&answers.collect::<PyResult<Vec<_>>>()?, &failed))
}

fn plan(answer: &str) -> PyResult<Answer> {
    read("plan", answer)
}
