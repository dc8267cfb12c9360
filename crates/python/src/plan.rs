//! Plans for Python.

use blockyard_catalog::{Catalog, PriceFile};
use blockyard_experiment::budget::FOR_QUESTION;
use blockyard_experiment::{Executor, Lab, Watch};
use blockyard_plan::{
    Answer, CheapestPossible, Current, Drawing, LeastRegret, ListPrices, Load, Loaded, Managed,
    Market, Needs, Plan, Proved, ScenarioWriter, current, least_regret, load_with,
    plan as plan_all,
};
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
        let answer = py.detach(|| {
            let catalog = Catalog::get().map_err(bad_input)?;
            let mut loaded = self.loaded.clone();
            let kept = since.and_then(|scenario| loaded.keep_instance(scenario));
            let loaded = &loaded;
            let list = catalog
                .prices(&loaded.region, loaded.choice.day)
                .map_err(bad_input)?;
            let list = self.prices.as_ref().map_or(list, |file| list.with(file));
            let choice = &loaded.choice;
            list.check_covers(
                &choice.volume_types,
                choice.instance.as_deref(),
                loaded.term,
            )
            .map_err(bad_input)?;
            let prices = ListPrices {
                list,
                term: loaded.term,
            };
            let market = Market::new(catalog, &prices, &loaded.choice).map_err(bad_input)?;
            let needs = loaded.needs(|_, range| range.mid);
            let mut plan = plan_all(&market, &needs);
            let writer = self.writer();
            if prove {
                let proved = if only_best { Proved::Best } else { Proved::All };
                let mut lab = lab(&mut watching);
                plan.prove(proved, &market, &needs, &writer, &mut lab)
                    .map_err(bad_input)?;
            }
            let mut uncertain = None;
            if loaded.is_uncertain() {
                watching.trying(&format!("{samples} samples"));
                uncertain =
                    least_regret(&market, loaded, &drawing, executor().width(), &mut watching)?;
            }
            if let Some(chosen) = uncertain.as_mut().filter(|_| prove) {
                let dropped = chosen.prove(&needs, &writer, &mut lab(&mut watching));
                plan.dropped.extend(dropped.map_err(bad_input)?);
            }
            let bare = loaded.without_preferences().map_err(bad_input)?;
            let all = Market::new(catalog, &prices, &bare.choice).map_err(bad_input)?;
            let mut cheapest_possible = CheapestPossible::find(
                &all,
                &bare.needs(|_, range| range.mid),
                (&needs, &loaded.preferences),
                plan.best.as_ref(),
            )
            .filter(|_| uncertain.is_none());
            if let Some(found) = cheapest_possible.as_mut().filter(|_| prove && !only_best) {
                let bare = bare.needs(|_, range| range.mid);
                let proven = found.prove(&bare, &writer, &mut lab(&mut watching));
                proven.map_err(bad_input)?;
            }
            let current = match since {
                Some(scenario) => {
                    let mut lab = (prove && !only_best).then(|| lab(&mut watching));
                    let found = current(scenario, &prices, &needs, &writer, lab.as_mut());
                    let named =
                        |error| format!("the existing layout, `{}`: {error}", scenario.name);
                    Some(found.map_err(|error| bad_input(named(error)))?)
                }
                None => None,
            };
            let mut answer = self.answer(plan, &needs, &writer, uncertain, current);
            answer.cheapest_possible = cheapest_possible;
            answer.managed = Managed::of(&needs, &prices.list);
            answer.instance_sized |= kept.is_some();
            answer.instance_kept = kept;
            Ok::<_, PyErr>(answer)
        });
        watching.signals.raised()?;
        serde_json::to_string(&answer?).map_err(bad_input)
    }
}

impl Requirement {
    fn writer(&self) -> ScenarioWriter {
        let loaded = &self.loaded;
        ScenarioWriter {
            name: loaded.requirement.name.clone(),
            region: Some(loaded.region.clone()),
            day: loaded.choice.day,
        }
    }

    fn answer(
        &self,
        plan: Plan,
        needs: &Needs,
        writer: &ScenarioWriter,
        uncertain: Option<LeastRegret>,
        current: Option<Current>,
    ) -> Answer {
        let loaded = &self.loaded;
        let regretted = uncertain.as_ref().and_then(|it| it.layout.as_ref());
        let chosen = regretted.or(plan.best.as_ref());
        Answer {
            schema: "blockyard/plan/1".to_owned(),
            name: loaded.requirement.name.clone(),
            region: loaded.region.clone(),
            region_assumed: loaded.region_assumed,
            term: loaded.term.name().to_owned(),
            architecture: loaded.choice.architecture.map(str::to_owned),
            instance_sized: loaded.choice.instance.is_some()
                || loaded.choice.vcpu > 0
                || loaded.choice.memory_mib > 0,
            instance_kept: None,
            wanted: Load::of(needs),
            scenario: chosen.map(|layout| writer.scenario(needs, layout)),
            notes: Vec::new(),
            plan,
            uncertain,
            cheapest_possible: None,
            managed: Vec::new(),
            current,
        }
    }
}

fn lab(watching: &mut Watching) -> Lab<'_> {
    Lab::new(executor(), FOR_QUESTION, watching)
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
