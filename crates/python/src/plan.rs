//! Plans for Python.

use blockyard_catalog::{Catalog, PriceFile};
use blockyard_experiment::Watch;
use blockyard_plan::{Drawing, Loaded, Question, load_with};
use pyo3::prelude::*;

use crate::error::bad_input;
use crate::executor::executor;
use crate::scenario::Scenario;
use crate::signals::Signals;

/// A requirement that was read and holds together.
#[pyclass(frozen, module = "blockyard._core")]
#[derive(Debug)]
pub(crate) struct Requirement {
    loaded: Loaded,
    prices: Option<PriceFile>,
}

#[pymethods]
impl Requirement {
    /// Read a requirement: `text`, then each `path=value` of `sets`; the last wins. `file_name`
    /// is what errors call the text; `prices` are a user's own, text and name, before the
    /// catalog's. `base`, text and name, has what the text does not state.
    ///
    /// Raises ScenarioError for anything that is wrong with them.
    #[staticmethod]
    #[pyo3(signature = (text, file_name, sets=vec![], prices=None, base=None))]
    fn load(
        text: &str,
        file_name: &str,
        sets: Vec<String>,
        prices: Option<(String, String)>,
        base: Option<(String, String)>,
    ) -> PyResult<Self> {
        let base = base
            .as_ref()
            .map(|(text, name)| (text.as_str(), name.as_str()));
        let loaded = load_with(text, file_name, base, &sets).map_err(bad_input)?;
        let catalog = Catalog::get().map_err(bad_input)?;
        let prices = prices.map(|(text, name)| PriceFile::parse(catalog, &text, &name));
        Ok(Self {
            loaded,
            prices: prices.transpose().map_err(bad_input)?,
        })
    }

    /// Whether any of its numbers is a range.
    #[getter]
    fn is_uncertain(&self) -> bool {
        self.loaded.is_uncertain()
    }

    /// Plan for it, as a JSON text. `progress` is told of each step that takes a while, in a few
    /// words. With `prove` layouts are simulated; with `only_best` only the one to buy is.
    ///
    /// Of a requirement with ranges, `samples` requirements are drawn with the random `seed`. A
    /// layout that is too small for one of them pays a penalty in dollars a month: the share of the
    /// load that it cannot carry, from 0 to 1, times the monthly price of the cheapest layout that
    /// carries all of it, times `factor`.
    ///
    /// `since` is the scenario of today's layout. Where the requirement does not say how large the
    /// instance must be, the plan's is no smaller than today's.
    ///
    /// Raises ScenarioError for what cannot be planned, and what a signal or `progress` raises.
    #[pyo3(signature = (progress, *, prove=true, only_best=false, samples=1000, seed=1, factor=3.0, since=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's are named")]
    fn plan(
        &self,
        py: Python<'_>,
        progress: Py<PyAny>,
        prove: bool,
        only_best: bool,
        samples: u32,
        seed: u64,
        factor: f64,
        since: Option<Py<Scenario>>,
    ) -> PyResult<String> {
        let mut watching = Watching {
            progress,
            signals: Signals::default(),
        };
        let drawing = Drawing {
            samples,
            seed,
            factor,
        };
        drawing.check().map_err(bad_input)?;
        let since = since.as_ref().map(|it| it.get().asked());
        let question = Question {
            loaded: &self.loaded,
            prices: self.prices.as_ref(),
            prove,
            only_best,
            drawing: &drawing,
            since,
        };
        let answer = py.detach(|| question.answer(executor(), &mut watching));
        watching.signals.raised()?;
        serde_json::to_string(&answer.map_err(bad_input)?).map_err(bad_input)
    }
}

/// Tells Python what goes on, and stops for what that or a signal raises.
struct Watching {
    progress: Py<PyAny>,
    signals: Signals,
}

impl Watch for Watching {
    fn trying(&mut self, what: &str) {
        self.signals
            .catch(|py| self.progress.call1(py, (what,)).map(drop));
    }

    fn stopped(&mut self) -> bool {
        self.signals.stop()
    }
}
