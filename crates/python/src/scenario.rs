//! A scenario from Python: loaded, shown, simulated.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use blockyard_experiment::{Base, Edit, Error, Executor, ScenarioText, Variant, simulate_seeds};
use blockyard_model::storage::Op;
use blockyard_model::workload::spec::JobSpec;
use blockyard_provision::Layout;
use blockyard_record::Detail;
use blockyard_scenario::demand::together;
use blockyard_scenario::units::Duration;
use blockyard_scenario::{Loaded, Resolved, schema};
use blockyard_simulate::{LogTo, Options};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::bench;
use crate::emulate;
use crate::error::{bad_input, no_answer};
use crate::executor::executor;
use crate::jobs;
use crate::latencies::restorer;
use crate::result::text_of;
use crate::signals::Signals;
use crate::watcher::Watcher;

/// A scenario that was read and holds together.
#[pyclass(frozen, module = "blockyard")]
#[derive(Debug)]
pub(crate) struct Scenario(Arc<Base>);

/// What a scenario is read from: text, what errors call it, overrides.
type Given = (String, String, Vec<String>);

#[pymethods]
impl Scenario {
    /// Read a scenario: defaults, then `text`, then each `path=value` of
    /// `sets`; the last wins. `file_name` is what errors call the text.
    ///
    /// Raises ScenarioError for anything that is wrong with it.
    #[staticmethod]
    #[pyo3(signature = (text, file_name, sets=vec![]))]
    fn load(text: &str, file_name: &str, sets: Vec<String>) -> PyResult<Self> {
        let text = ScenarioText {
            text: text.to_owned(),
            file_name: file_name.to_owned(),
            sets,
        };
        Base::read(text).map(Self).map_err(bad_input)
    }

    /// For pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Given)> {
        let text = self.text().clone();
        let given = (text.text, text.file_name, text.sets);
        Ok((restorer(py, "_scenario")?, given))
    }

    /// Whether both say the same, defaults and overrides included: their runs are
    /// equal, and it does not matter what they were read from.
    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        Ok(self.effective()? == other.effective()?)
    }

    fn __hash__(&self) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        self.effective()?.hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn __repr__(&self) -> String {
        let (name, seed) = (self.name(), self.seed());
        format!("<Scenario {name}, {} s, seed {seed}>", self.duration_s())
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.asked().name
    }

    /// The region that it names, if any.
    #[getter]
    fn region(&self) -> Option<&str> {
        self.asked().region.as_deref()
    }

    /// Start of its random streams.
    #[getter]
    fn seed(&self) -> u64 {
        self.asked().seed
    }

    /// How often it is run, each time with the next seed.
    #[getter]
    fn repeats(&self) -> u32 {
        self.asked().repeats.get()
    }

    /// Length of a run in seconds.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.asked().duration.nanos() as f64 / 1e9
    }

    /// Length of an interval of a run in seconds.
    #[getter]
    fn interval_s(&self) -> f64 {
        self.asked().interval.nanos() as f64 / 1e9
    }

    /// The beginning of a run that is left out of the totals, in seconds.
    #[getter]
    pub(crate) fn warmup_s(&self) -> f64 {
        self.asked().warmup.nanos() as f64 / 1e9
    }

    /// When load steps of any job begin, in seconds, rising.
    #[getter]
    fn step_starts_s(&self) -> Vec<f64> {
        let jobs = self.resolved().jobs.iter();
        let starts: BTreeSet<_> = jobs.flat_map(JobSpec::steps).map(|(at, _)| at).collect();
        starts.into_iter().map(|at| at as f64 / 1e9).collect()
    }

    /// The names of its devices.
    #[getter]
    fn devices(&self) -> Vec<&str> {
        let devices = self.resolved().storage.devices.iter();
        devices.map(|device| device.name.as_str()).collect()
    }

    /// Its goals, as they are written.
    #[getter]
    fn goals(&self) -> Vec<&str> {
        let goals = self.resolved().goals.iter();
        goals.map(|goal| goal.text.as_str()).collect()
    }

    /// The files of its jobs: (job, device, bytes, whether it is read).
    fn files(&self) -> Vec<(&str, &str, u64, bool)> {
        let devices = &self.resolved().storage.devices;
        let jobs = self.resolved().jobs.iter();
        let files = jobs.flat_map(|job| job.files().into_iter().map(move |file| (job, file)));
        let told = files.map(|(job, file)| {
            let device = devices[file.region.device].name.as_str();
            let is_read = file.ops.contains(&Op::Read);
            (job.name(), device, file.region.size, is_read)
        });
        told.collect()
    }

    /// What comes due of all its jobs as the text of a demand file, or None unless each has demand
    /// by interval.
    fn demand(&self) -> Option<String> {
        together(&self.resolved().jobs, self.asked().duration.nanos())
    }

    /// What its jobs come to, as a JSON list: places in bytes, steps as pairs of
    /// a time in nanoseconds and processes or a rate, shares in 1/1000.
    fn jobs(&self) -> PyResult<String> {
        let found = jobs::of(&self.resolved().jobs, &self.resolved().storage.devices);
        serde_json::to_string(&found).map_err(bad_input)
    }

    /// The layout at its start, as JSON: hosts, volumes as they are bought, devices as trees of
    /// these, clusters, and which files of the jobs lie where; sizes in bytes.
    fn layout(&self) -> PyResult<String> {
        serde_json::to_string(&self.layout_at_start()).map_err(bad_input)
    }

    /// In what the work that `other` asks for differs, a line for each value;
    /// runs of both are comparable if there is none.
    fn unlike(&self, other: &Self) -> Vec<String> {
        self.loaded().unlike(other.loaded())
    }

    /// In what `other` differs, apart from what no run depends on: (field, this one's value,
    /// the other's), in the order of the fields.
    fn differences(&self, other: &Self) -> Vec<(String, String, String)> {
        let found = self.loaded().differences(other.loaded()).into_iter();
        found
            .map(|change| (change.path, change.first, change.other))
            .collect()
    }

    /// The effective scenario as YAML, with comments that say where each value
    /// came from.
    fn show(&self) -> PyResult<String> {
        self.loaded().show().map_err(bad_input)
    }

    /// The effective scenario as YAML.
    fn to_yaml(&self) -> PyResult<String> {
        self.loaded().to_yaml().map_err(bad_input)
    }

    /// Whether there is something to simulate that ends.
    ///
    /// Raises ScenarioError if it has no jobs, or one in which no time would pass.
    pub(crate) fn check_simulation(&self) -> PyResult<()> {
        self.loaded().needs_jobs().map_err(bad_input)?;
        self.loaded().needs_time(self.resolved()).map_err(bad_input)
    }

    /// Simulate it once and give the text of `result.json`; None if it was
    /// stopped before any time had passed. Then simulate it with further seeds, the next ones,
    /// for the range of its figures: with `seeds` in all, or if that is None with as many as
    /// take little time.
    ///
    /// `observer` gets each interval and the rows of the tables.
    /// `observer.stopped()` is asked after each interval and many times a second;
    /// it ends the run within an interval. Other Python threads run meanwhile.
    /// Raises ScenarioError for a run too long for its IOs in flight or one in
    /// which no time would pass, OSError if a log cannot be written, and what the
    /// observer raises.
    #[pyo3(
        signature = (observer, *, latency_log=None, io_log=None, seeds=Some(NonZeroU32::MIN)),
        text_signature = "($self, observer, *, latency_log=None, io_log=None, seeds=1)"
    )]
    fn simulate(
        &self,
        py: Python<'_>,
        observer: Py<PyAny>,
        latency_log: Option<PathBuf>,
        io_log: Option<PathBuf>,
        seeds: Option<NonZeroU32>,
    ) -> PyResult<Option<String>> {
        self.check_simulation()?;
        let options = Options {
            latency_log: latency_log.map(LogTo::File),
            io_log,
            detail: Detail::Intervals,
            ..Options::default()
        };
        let mut watcher = Watcher::new(&observer);
        let variant = Variant::of(&self.0);
        let outcome =
            py.detach(|| simulate_seeds(&variant, options, seeds, executor(), &mut watcher));
        watcher.finish()?;
        match outcome {
            Ok(result) => text_of(&result).map(Some),
            Err(Error::Stopped) => Ok(None),
            Err(error) => Err(no_answer(error)),
        }
    }

    /// Simulate it once for each of `cases`, a JSON list of lists of changes, with its own seed
    /// and on all processors; give the texts of the results, which are kept nowhere.
    ///
    /// A change is `{"limit": {…, "factor": 1.5}}`, with the fields that facts tell a limit by,
    /// or `{"without": "JOB"}`. Raises ScenarioError for a change of what it does not have, and
    /// what a signal raises.
    fn what_if(&self, py: Python<'_>, cases: &str) -> PyResult<Vec<String>> {
        self.check_simulation()?;
        let cases: Vec<Vec<Edit>> = serde_json::from_str(cases).map_err(bad_input)?;
        let variants = cases
            .into_iter()
            .map(|edits| Variant::of(&self.0).with(edits));
        let variants: Vec<_> = variants.collect();
        let mut signals = Signals::default();
        let found = py.detach(|| executor().run(&variants, &mut || signals.stop()));
        signals.raised()?;
        let answers = found.map_err(no_answer)?.into_iter();
        answers
            .map(|answer| text_of(&answer.map_err(no_answer)?.result))
            .collect()
    }

    /// Run it once on real storage and give the text of `result.json`; None if
    /// it was stopped before anything was measured.
    ///
    /// `observer` is told what happens and given the rows of the tables.
    /// `arguments` are the options of `blockyard bench` that say how to run it, by
    /// their names. Raises ScenarioError for what cannot be asked, MachineError for what the
    /// machine lacks, RunError if nothing could be measured, and what the
    /// observer raises.
    fn bench(
        &self,
        py: Python<'_>,
        observer: Py<PyAny>,
        arguments: &Bound<'_, PyDict>,
    ) -> PyResult<Option<String>> {
        self.loaded().needs_jobs().map_err(bad_input)?;
        self.loaded().needs_one_host().map_err(bad_input)?;
        let options = arguments::read(arguments)?;
        bench::run(py, self.loaded(), self.resolved(), &observer, options)
    }

    /// Serve its devices and give the text of `result.json` once that ends.
    ///
    /// `observer` is told what happens and given the rows of the tables.
    /// `arguments` are the options of `blockyard emulate` that say how to serve
    /// them, by their names. Raises ScenarioError for what cannot be asked,
    /// MachineError for what the machine lacks, RunError if nothing could be
    /// served, and what the observer raises.
    fn emulate(
        &self,
        py: Python<'_>,
        observer: Py<PyAny>,
        arguments: &Bound<'_, PyDict>,
    ) -> PyResult<String> {
        let options = arguments::read(arguments)?;
        emulate::run(py, self.loaded(), self.resolved(), &observer, options)
    }
}

impl Scenario {
    /// What it says, with defaults and overrides.
    fn effective(&self) -> PyResult<String> {
        self.loaded().to_yaml().map_err(bad_input)
    }

    /// The scenario itself.
    pub(crate) fn asked(&self) -> &schema::Scenario {
        &self.loaded().scenario
    }

    /// Its resolution: storage, jobs, goals.
    pub(crate) fn resolved(&self) -> &Resolved {
        &self.0.opened().resolved
    }

    /// Its layout at its start.
    pub(crate) fn layout_at_start(&self) -> Layout {
        Layout::of(self.loaded(), self.resolved())
    }

    /// What it was read from.
    pub(crate) fn text(&self) -> &ScenarioText {
        self.0.text()
    }

    /// The scenario, for variants of it.
    pub(crate) fn base(&self) -> &Arc<Base> {
        &self.0
    }

    fn loaded(&self) -> &Loaded {
        &self.0.opened().loaded
    }
}

/// A scenario that was pickled.
#[pyfunction(name = "_scenario")]
pub(crate) fn scenario(text: &str, file_name: &str, sets: Vec<String>) -> PyResult<Scenario> {
    Scenario::load(text, file_name, sets)
}

/// A span of time such as `5s` or `1m`, in seconds.
///
/// Raises ScenarioError if it is none.
#[pyfunction]
pub(crate) fn seconds(text: &str) -> PyResult<f64> {
    let duration: Duration = text.parse().map_err(bad_input)?;
    Ok(duration.nanos() as f64 / 1e9)
}
