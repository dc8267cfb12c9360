//! A plan from its requirement: searched, proven, and beside what is there today.

use blockyard_catalog::{Catalog, PriceFile};
use blockyard_experiment::budget::FOR_QUESTION;
use blockyard_experiment::{Executor, Lab, Watch};
use blockyard_scenario::schema::Scenario;

use crate::answer::cheapest_possible::CheapestPossible;
use crate::answer::existing::{Current, current};
use crate::answer::managed::Managed;
use crate::answer::plan::{Plan, plan};
use crate::answer::whole::{Answer, Load};
use crate::market::Market;
use crate::market::prices::ListPrices;
use crate::proof::of_plan::Proved;
use crate::proof::scenario::ScenarioWriter;
use crate::requirement::needs::Needs;
use crate::requirement::read::Loaded;
use crate::uncertain::samples::{Drawing, LeastRegret, least_regret};

/// What is asked of a requirement.
#[derive(Debug)]
pub struct Question<'a> {
    /// The requirement.
    pub loaded: &'a Loaded,
    /// A user's own prices, before the catalog's.
    pub prices: Option<&'a PriceFile>,
    /// Whether layouts are simulated.
    pub prove: bool,
    /// Whether only the one to buy is.
    pub only_best: bool,
    /// How a requirement with ranges is drawn.
    pub drawing: &'a Drawing,
    /// The scenario of today's layout. Where the requirement does not say how large the instance
    /// must be, the plan's is no smaller than today's.
    pub since: Option<&'a Scenario>,
}

impl<'a> Question<'a> {
    /// Plans; `watch` is told of each step that takes a while.
    ///
    /// # Errors
    /// A line, for what cannot be planned, or where `watch` stopped it.
    pub fn answer(&self, executor: &dyn Executor, watch: &mut dyn Watch) -> Result<Answer, String> {
        let catalog = Catalog::get().map_err(|error| error.to_string())?;
        let mut loaded = self.loaded.clone();
        let kept = self
            .since
            .and_then(|scenario| loaded.keep_instance(scenario));
        let loaded = &loaded;
        let prices = self.list(catalog, loaded)?;
        let market = Market::new(catalog, &prices, &loaded.choice).map_err(|e| e.to_string())?;
        let needs = loaded.needs(|_, range| range.mid);
        let mut plan = plan(&market, &needs);
        let writer = self.writer();
        if self.prove {
            let proved = if self.only_best {
                Proved::Best
            } else {
                Proved::All
            };
            let mut lab = Lab::new(executor, FOR_QUESTION, watch);
            plan.prove(proved, &market, &needs, &writer, &mut lab)?;
        }
        let mut uncertain = None;
        if loaded.is_uncertain() {
            watch.trying(&format!("{} samples", self.drawing.samples));
            let width = executor.width();
            uncertain = least_regret(&market, loaded, self.drawing, width, watch)
                .map_err(|error| error.to_string())?;
        }
        if let Some(chosen) = uncertain.as_mut().filter(|_| self.prove) {
            let mut lab = Lab::new(executor, FOR_QUESTION, watch);
            plan.dropped
                .extend(chosen.prove(&needs, &writer, &mut lab)?);
        }
        let bare = loaded
            .without_preferences()
            .map_err(|error| error.to_string())?;
        let all = Market::new(catalog, &prices, &bare.choice).map_err(|e| e.to_string())?;
        let bare = bare.needs(|_, range| range.mid);
        let preferred = (&needs, &loaded.preferences);
        let mut cheapest_possible =
            CheapestPossible::find(&all, &bare, preferred, plan.best.as_ref())
                .filter(|_| uncertain.is_none());
        let all_proven = self.prove && !self.only_best;
        if let Some(found) = cheapest_possible.as_mut().filter(|_| all_proven) {
            found.prove(&bare, &writer, &mut Lab::new(executor, FOR_QUESTION, watch))?;
        }
        let current = match self.since {
            Some(scenario) => {
                let mut lab = all_proven.then(|| Lab::new(executor, FOR_QUESTION, watch));
                let found = current(scenario, &prices, &needs, &writer, lab.as_mut());
                let named = |error| format!("the existing layout, `{}`: {error}", scenario.name);
                Some(found.map_err(named)?)
            }
            None => None,
        };
        let mut answer = self.answer_of(plan, &needs, &writer, uncertain, current);
        answer.cheapest_possible = cheapest_possible;
        answer.managed = Managed::of(&needs, &prices.list);
        answer.instance_sized |= kept.is_some();
        answer.instance_kept = kept;
        Ok(answer)
    }

    fn list(&self, catalog: &'a Catalog, loaded: &Loaded) -> Result<ListPrices<'a>, String> {
        let choice = &loaded.choice;
        let list = catalog
            .prices(&loaded.region, choice.day)
            .map_err(|error| error.to_string())?;
        let list = self.prices.map_or(list, |file| list.with(file));
        list.check_covers(
            &choice.volume_types,
            choice.instance.as_deref(),
            loaded.term,
        )
        .map_err(|error| error.to_string())?;
        Ok(ListPrices {
            list,
            term: loaded.term,
        })
    }

    /// What writes the scenarios of its layouts.
    #[must_use]
    pub fn writer(&self) -> ScenarioWriter {
        let loaded = self.loaded;
        ScenarioWriter {
            name: loaded.requirement.name.clone(),
            region: Some(loaded.region.clone()),
            day: loaded.choice.day,
        }
    }

    fn answer_of(
        &self,
        plan: Plan,
        needs: &Needs,
        writer: &ScenarioWriter,
        uncertain: Option<LeastRegret>,
        current: Option<Current>,
    ) -> Answer {
        let loaded = self.loaded;
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
