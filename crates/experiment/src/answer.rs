//! What the simulation of a variant gave.

use std::sync::Arc;

use blockyard_explain::{Entries, Facts, Names, Recorded, VolumeTable};
use blockyard_record::SeriesSteps;
use blockyard_record::result::RunResult;

use crate::budget::Work;
use crate::error::Error;
use crate::scenario::Opened;

/// An answer, or why there is none.
pub type Answered = Result<Answer, Error>;

/// What the simulation of a variant gave.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was simulated.
    pub opened: Opened,
    /// Its totals, its goals and what its storage did.
    pub result: RunResult,
    /// What was done load step by load step, with all latencies.
    pub by_step: Arc<[SeriesSteps]>,
}

impl Answer {
    /// What its simulation took.
    #[must_use]
    pub fn work(&self) -> Work {
        Work::of(&self.result, self.opened.scenario()).with_pools(&self.opened.resolved.jobs)
    }

    /// Whether it meets all its goals.
    #[must_use]
    pub fn meets_goals(&self) -> bool {
        self.result.goals.iter().all(|goal| goal.met)
    }

    /// What its figures say of its limits. They do not say when limits throttled: no table of
    /// volumes is kept.
    ///
    /// # Errors
    /// If its result names a limit that its storage does not have.
    pub fn facts(&self) -> Result<Facts, Error> {
        let recorded = Recorded {
            result: &self.result,
            storage: &self.opened.resolved.storage,
            jobs: &self.opened.resolved.jobs,
            warmup_s: self.opened.scenario().warmup.nanos() as f64 / 1e9,
            volumes: &no_table(),
        };
        Facts::of(&recorded).map_err(Error::Input)
    }
}

fn no_table() -> VolumeTable {
    VolumeTable {
        t_s: Vec::new(),
        volume: Names::default(),
        ios: Vec::new(),
        bytes: Vec::new(),
        waits_us: no_entries(),
        rates: no_entries(),
    }
}

fn no_entries<T>() -> Entries<T> {
    Entries {
        row: Vec::new(),
        limit: Names::default(),
        value: Vec::new(),
    }
}
