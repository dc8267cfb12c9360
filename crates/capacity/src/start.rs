//! What a question is asked of: a scenario with jobs, as it begins.

use std::sync::Arc;

use blockyard_experiment::{Base, Error, ScenarioText, emptied};

/// A scenario with jobs, as it begins.
pub(crate) struct Start {
    /// The scenario, with `emptied`.
    pub(crate) base: Arc<Base>,
    /// The overrides that use up what its storage has saved up, if that is wanted.
    pub(crate) emptied: Vec<String>,
}

impl Start {
    /// With `empty` what its storage has saved up is used up before the start.
    ///
    /// # Errors
    /// If the scenario is wrong or has no jobs.
    pub(crate) fn of(asked: &ScenarioText, empty: bool) -> Result<Self, Error> {
        let base = Base::read(asked.clone())?;
        base.opened().loaded.needs_jobs()?;
        if !empty {
            return Ok(Self {
                base,
                emptied: Vec::new(),
            });
        }
        let edits = emptied(base.opened().scenario());
        let emptied: Vec<_> = edits.iter().map(ToString::to_string).collect();
        let base = Base::read(asked.with(emptied.clone()))?;
        Ok(Self { base, emptied })
    }
}
