//! What is found out about a run once, when it is made, so that whoever tells of it simulates
//! nothing and reads no table back.

use std::sync::Arc;

use blockyard_cost::{Bill, Pace, Terms};
use blockyard_explain::{Facts, Recorded, VolumeTable};
use blockyard_record::result::{Mode, RunResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::advice::{Advice, Untried, advise};
use crate::error::Error;
use crate::executor::Executor;
use crate::variant::Base;
use crate::watch::Watch;

/// What was found out about a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Findings {
    /// What its figures say of its limits.
    pub facts: Facts,
    /// What would help it, tried; none where nothing was to be tried.
    pub advice: Option<Advice>,
    /// What its storage and its hosts cost, on usual terms; none of real storage, which is whatever
    /// was there, and where a price is not known.
    pub bill: Option<Bill>,
    /// Why there is no bill, in a line; none where there is one, or none is due.
    pub unpriced: Option<String>,
}

impl Findings {
    /// Of the run of `base` that had `result` and this table of volumes. Nothing is tried yet.
    ///
    /// # Errors
    /// A line that names what of the run cannot be read.
    pub fn of(base: &Base, result: &RunResult, volumes: &VolumeTable) -> Result<Self, String> {
        let (scenario, resolved) = (base.opened().scenario(), &base.opened().resolved);
        let warmup_s = scenario.warmup.nanos() as f64 / 1e9;
        let facts = Facts::of(&Recorded {
            result,
            storage: &resolved.storage,
            jobs: &resolved.jobs,
            warmup_s,
            volumes,
        })?;
        let text = base.text();
        let bill = match result.mode {
            Mode::Bench | Mode::Observe => None,
            Mode::Simulate | Mode::Emulate => {
                let pace = Pace::of(result, warmup_s);
                Some(Bill::of(scenario, resolved, &Terms::default(), Some(&pace)))
            }
        };
        let (bill, unpriced) = match bill.transpose() {
            Ok(bill) => (bill, None),
            Err(error) => (None, Some(error.to_string())),
        };
        Ok(Self {
            facts: facts.with_carriers((&text.text, &text.file_name, &text.sets)),
            advice: None,
            bill,
            unpriced,
        })
    }

    /// Tries what would help the run, on `executor`. What cannot be tried is no advice, and that is
    /// found then: the run itself is whole.
    #[must_use]
    pub fn advised(
        self,
        base: &Arc<Base>,
        result: &RunResult,
        executor: &dyn Executor,
        watch: &mut dyn Watch,
    ) -> Self {
        let advice = advise(base, result, &self.facts, executor, watch);
        let failed = |error: Error| Advice {
            untried: Some(Untried::Failed {
                reason: error.to_string(),
            }),
            ..Advice::default()
        };
        Self {
            advice: Some(advice.unwrap_or_else(failed)),
            ..self
        }
    }
}
