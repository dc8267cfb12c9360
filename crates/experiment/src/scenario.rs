//! What is simulated: a scenario that was read and resolved.

use std::io;
use std::sync::Arc;

use blockyard_record::Observer;
use blockyard_record::result::RunResult;
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::{Error, Loaded, Resolved, load};
use blockyard_simulate::{Options, Simulated, simulate_in_full};

use crate::edit::Edit;

/// What a scenario is read from.
#[derive(Clone, Debug)]
pub struct ScenarioText {
    /// The text.
    pub text: String,
    /// What errors call it.
    pub file_name: String,
    /// `path=value` overrides; the last wins.
    pub sets: Vec<String>,
}

impl ScenarioText {
    /// The same with more overrides.
    #[must_use]
    pub fn with(&self, sets: impl IntoIterator<Item = String>) -> Self {
        let mut text = self.clone();
        text.sets.extend(sets);
        text
    }

    /// Reads and resolves it.
    ///
    /// # Errors
    /// The first fault of the text, an override or the storage, with its place.
    pub fn open(&self) -> Result<Opened, Error> {
        let loaded = load(&self.text, &self.file_name, &self.sets)?;
        let resolved = loaded.resolve()?;
        Ok(Opened::of(loaded, resolved))
    }
}

/// A scenario as it was read, and what it resolves to. Copies share both.
#[derive(Clone, Debug)]
pub struct Opened {
    /// As it was read.
    pub loaded: Arc<Loaded>,
    /// What it resolves to.
    pub resolved: Arc<Resolved>,
    /// The numbers of jobs that issue nothing.
    silent: Vec<usize>,
    /// Where its random streams start.
    seed: u64,
}

impl Opened {
    /// A scenario that was read and resolved before.
    #[must_use]
    pub fn of(loaded: Loaded, resolved: Resolved) -> Self {
        Self {
            seed: loaded.scenario.seed,
            loaded: Arc::new(loaded),
            resolved: Arc::new(resolved),
            silent: Vec::new(),
        }
    }

    /// The scenario; of a variant with another seed still the one that was read.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.loaded.scenario
    }

    /// Where its random streams start.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The same with another seed.
    #[must_use]
    pub fn seeded(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same with edits that are no overrides.
    ///
    /// # Errors
    /// A line, for what the scenario does not have or a factor out of range.
    pub(crate) fn edited(mut self, edits: &[Edit]) -> Result<Self, String> {
        for edit in edits.iter().filter(|edit| !edit.is_override()) {
            let resolved = Arc::make_mut(&mut self.resolved);
            edit.apply(resolved, &mut self.silent)?;
        }
        Ok(self)
    }

    /// Whether there is something to simulate, and it ends.
    ///
    /// # Errors
    /// If it has no jobs, or one in which no time would pass.
    pub fn can_be_simulated(&self) -> Result<(), Error> {
        self.loaded.needs_jobs()?;
        self.loaded.needs_time(&self.resolved)
    }

    /// Simulates it once.
    ///
    /// # Errors
    /// As [`blockyard_simulate::simulate`].
    pub fn simulate(&self, options: Options, observer: &mut dyn Observer) -> io::Result<RunResult> {
        self.simulate_in_full(options, observer)
            .map(|simulated| simulated.result)
    }

    /// The same, with the latencies of each load step and the figures that `options` ask for.
    ///
    /// # Errors
    /// As [`blockyard_simulate::simulate`].
    pub fn simulate_in_full(
        &self,
        options: Options,
        observer: &mut dyn Observer,
    ) -> io::Result<Simulated> {
        let scenario = Scenario {
            seed: self.seed,
            ..self.scenario().clone()
        };
        let options = Options {
            silent: self.silent.clone(),
            ..options
        };
        simulate_in_full(&scenario, &self.resolved, options, observer)
    }
}
