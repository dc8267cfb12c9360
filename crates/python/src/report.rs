//! What a report says of runs, for Python.

use std::collections::BTreeMap;
use std::sync::Arc;

use blockyard_experiment::Findings;
use blockyard_explain::LimitId;
use blockyard_report::words::{bottlenecks, drive, head, headline, paragraphs, summary, tiles};
use blockyard_report::{Run, charts, read_result};
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::FileError;
use crate::latencies::Latencies;
use crate::packed::{PackedTables, unpacked};
use crate::text::read;

/// A run as reports know it: what it says of itself in words and figures, as JSON.
#[pyclass(frozen, module = "blockyard._core")]
#[derive(Debug)]
pub(crate) struct Report(pub(crate) Run);

#[pymethods]
impl Report {
    /// Of the text of a `result.json`, or of what another program's file gave in its shape; of the
    /// text of the run's findings, which those have not; of its tables, if they are needed; of the
    /// scenario that it was asked to run, if that is known; of one of the devices that were
    /// observed, if it is known what they are; of what EBS counted of them, as JSON by device.
    ///
    /// Raises FileError, in one line that `name` begins, for what cannot be read.
    #[new]
    #[pyo3(signature = (
        name, result, findings=None, tables=None, latencies=None, percentiles=None,
        warmup_s=0.0, interval_s=1.0, scenario=None, storage=None, ebs=None,
    ))]
    #[allow(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        name: String,
        result: &str,
        findings: Option<&str>,
        tables: Option<PackedTables>,
        latencies: Option<&Latencies>,
        percentiles: Option<BTreeMap<String, Vec<(f64, f64)>>>,
        warmup_s: f64,
        interval_s: f64,
        scenario: Option<Py<crate::scenario::Scenario>>,
        storage: Option<Py<crate::scenario::Scenario>>,
        ebs: Option<&str>,
    ) -> PyResult<Self> {
        let unreadable = |reason: &str| FileError::new_err(format!("{name}: {reason}"));
        let (result, foreign) = read_result(result).map_err(|reason| unreadable(&reason))?;
        let findings = findings.map(serde_json::from_str::<Findings>).transpose();
        let findings = findings.map_err(|error| unreadable(&format!("findings: {error}")))?;
        let ebs = ebs.map(serde_json::from_str).transpose();
        let ebs = ebs.map_err(|error| unreadable(&format!("statistics of EBS: {error}")))?;
        let (facts, advice, bill, unpriced) = match findings {
            Some(found) => (Some(found.facts), found.advice, found.bill, found.unpriced),
            None => (None, None, None, None),
        };
        Ok(Self(Run {
            name,
            result,
            foreign,
            scenario: scenario.map(|scenario| Arc::clone(scenario.get().base())),
            storage: storage.map(|storage| Arc::clone(storage.get().base())),
            ebs: ebs.unwrap_or_default(),
            facts,
            advice,
            bill,
            unpriced,
            warmup_s,
            interval_s,
            tables: tables.as_ref().map(unpacked).unwrap_or_default(),
            latencies: latencies.map_or_else(Arc::default, |latencies| latencies.0.clone()),
            percentiles: percentiles.unwrap_or_default(),
        }))
    }

    /// The run in one sentence.
    fn headline(&self) -> String {
        headline(&self.0)
    }

    /// The figures that its reader came for: a JSON list of label, value and note.
    fn tiles(&self) -> PyResult<String> {
        json(&tiles(&self.0))
    }

    /// The paragraphs that there is something to say in: a JSON list of headings with sentences
    /// and tables.
    fn paragraphs(&self) -> PyResult<String> {
        json(&paragraphs(&self.0))
    }

    /// The summary for a terminal: heading, sentence, tables and lines, as JSON.
    fn summary(&self) -> PyResult<String> {
        json(&summary(&self.0))
    }

    /// What the load waited for: cause, device and shares as JSON, and a sentence.
    fn was_it_the_drive(&self) -> PyResult<(String, String)> {
        let verdict = blockyard_report::drive::verdict(&self.0);
        Ok((json(&verdict)?, drive::in_words(&verdict, &self.0)))
    }

    /// What failed, and by which events; empty where nothing did.
    fn failures(&self) -> String {
        bottlenecks::failures(&self.0.result)
    }

    /// What of engines had not settled by the end, so that their figures may yet shift: a line
    /// each, without a full stop.
    fn unsettled(&self) -> Vec<String> {
        let facts = self.0.facts.as_ref();
        facts.map(bottlenecks::unsettled).unwrap_or_default()
    }

    /// Each job with its bottleneck as the headline names it, which is empty where there is none.
    fn bottlenecks(&self) -> Vec<(String, String)> {
        bottlenecks::bottlenecks(&self.0)
    }

    /// The limit that throttles a job, with its value in words, and as JSON; None if none does.
    fn throttling(&self, job: &str) -> PyResult<Option<(String, String)>> {
        let facts = self.0.facts.as_ref();
        let found = facts.and_then(|facts| bottlenecks::throttling(facts, job));
        let found = found.map(|(said, limit)| Ok((said, json(limit)?)));
        found.transpose()
    }

    /// The limits that IOs are felt to wait for, each with its value.
    fn felt(&self) -> Vec<String> {
        let facts = self.0.facts.as_ref();
        facts.map(bottlenecks::felt).unwrap_or_default()
    }

    /// What comes next once a limit that IOs wait for throttles none, both as JSON; None of other
    /// limits.
    fn next(&self, limit: &str) -> PyResult<Option<String>> {
        let limit: LimitId = read("limit", limit)?;
        let found = bottlenecks::next(&self.0, &limit);
        found.as_ref().map(json).transpose()
    }

    /// What the head of a report says: pairs of what, and its value.
    #[pyo3(signature = (path, *, has_scenario))]
    fn head(&self, path: Option<&str>, has_scenario: bool) -> Vec<(String, String)> {
        head(&self.0, path, has_scenario)
    }

    /// The figures of all charts of one run in detail, or of several over each other: a JSON list,
    /// as `blockyard.pages.figure` has them. Without `bin_s` their length decides on the width of
    /// bins; `colours` are places in the palette.
    #[staticmethod]
    #[pyo3(signature = (runs, bin_s=None, colours=None))]
    fn figures(
        py: Python<'_>,
        runs: Vec<Py<Self>>,
        bin_s: Option<f64>,
        colours: Option<Vec<usize>>,
    ) -> PyResult<String> {
        let runs: Vec<_> = runs.iter().map(|run| &run.get().0).collect();
        py.detach(|| json(&charts::all_figures(&runs, bin_s, colours.as_deref())))
    }

    fn __repr__(&self) -> String {
        format!("<Report of {}>", self.0.name)
    }
}

fn json(said: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(said).map_err(|error| FileError::new_err(error.to_string()))
}
