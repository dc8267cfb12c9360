//! Simulations of one scenario with overrides.

use std::io;

use blockyard_explain::{Entries, Facts, Names, Recorded, VolumeTable};
use blockyard_record::Detail;
use blockyard_record::result::RunResult;
use blockyard_scenario::{Loaded, Resolved, load};
use blockyard_simulate::{ScenarioText, simulate_many};

use crate::for_good::used_up;

/// What is simulated without being asked for: about a minute on a processor.
pub const MOST_IOS: u64 = 300_000_000;

/// Most seeds that show how far an answer comes from chance.
pub(crate) const SEEDS: u64 = 8;
/// Fewer say too little.
pub(crate) const FEWEST: u64 = 3;

/// Why there is no answer.
#[derive(Debug)]
pub enum Error {
    /// What was asked for is wrong: one line.
    Input(String),
    /// It could not be simulated.
    Run(io::Error),
}

/// How far an answer is.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// What was tried last, in words: `64 processes`.
    pub last: String,
    /// IOs that were simulated.
    pub ios: u64,
    /// IOs that are simulated at most.
    pub most_ios: u64,
}

/// Looks on while an answer is worked out, in the thread that asked for it.
pub trait Watch {
    /// Something was tried.
    fn tried(&mut self, _tried: &Tried) {}

    /// Whether to stop; asked some fifty times a second.
    fn stopped(&mut self) -> bool {
        false
    }
}

/// Ignores everything.
impl Watch for () {}

/// What a question is asked of: a scenario with jobs, as it begins.
pub(crate) struct Begun {
    /// With `for_good`.
    pub(crate) text: ScenarioText,
    /// The overrides that use up what its storage has saved up, if that is wanted.
    pub(crate) for_good: Vec<String>,
    pub(crate) loaded: Loaded,
}

impl Begun {
    pub(crate) fn of(asked: &ScenarioText, for_good: bool) -> Result<Self, Error> {
        let mut text = asked.clone();
        let load = |text: &ScenarioText| {
            let loaded = load(&text.text, &text.file_name, &text.sets);
            let with_jobs = loaded.and_then(|it| it.needs_jobs().map(|()| it));
            with_jobs.map_err(|error| Error::Input(error.to_string()))
        };
        let loaded = load(&text)?;
        let sets = if for_good {
            used_up(&loaded.scenario)
        } else {
            Vec::new()
        };
        text.sets.extend_from_slice(&sets);
        Ok(Self {
            loaded: if for_good { load(&text)? } else { loaded },
            text,
            for_good: sets,
        })
    }
}

/// One scenario, to be simulated with overrides on so many threads.
pub(crate) struct Runs<'a> {
    pub(crate) of: &'a ScenarioText,
    pub(crate) threads: usize,
}

/// Some overrides, and with how many seeds to simulate them.
pub(crate) struct Case {
    pub(crate) sets: Vec<String>,
    pub(crate) seeds: u64,
}

/// What the seeds of a case came to, or why it cannot be simulated.
pub(crate) type Ran = Result<Vec<RunResult>, String>;

impl Runs<'_> {
    /// The scenario with more overrides.
    pub(crate) fn text(&self, sets: &[String]) -> ScenarioText {
        let mut text = self.of.clone();
        text.sets.extend_from_slice(sets);
        text
    }

    pub(crate) fn load(&self, sets: &[String]) -> Result<Loaded, blockyard_scenario::Error> {
        let text = self.text(sets);
        load(&text.text, &text.file_name, &text.sets)
    }

    /// Simulates all, the results in their order whatever the threads; none if it is stopped.
    pub(crate) fn all(
        &self,
        cases: &[Case],
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Vec<Ran>>, Error> {
        let text = |case: &Case| {
            let mut text = self.text(&case.sets);
            text.sets.push(format!("repeats={}", case.seeds));
            text
        };
        let texts: Vec<_> = cases.iter().map(text).collect();
        let keep = |ran: blockyard_simulate::Ran| (ran.scenario, ran.result);
        let ran = simulate_many(&texts, self.threads, Detail::Totals, keep, stopped);
        let Some(ran) = ran.map_err(Error::Run)? else {
            return Ok(None);
        };
        let mut found: Vec<Ran> = cases.iter().map(|_| Ok(Vec::new())).collect();
        for (case, result) in ran {
            match (&mut found[case], result) {
                (Ok(results), Ok(result)) => results.push(result),
                (all, Err(error)) => *all = Err(error),
                (Err(_), Ok(_)) => {}
            }
        }
        Ok(Some(found))
    }

    /// What the figures of a run with these overrides say of its limits.
    pub(crate) fn facts(&self, sets: &[String], result: &RunResult) -> Result<Facts, Error> {
        self.seen(sets, result).map(|(facts, _)| facts)
    }

    /// The same, with what the scenario resolves to.
    pub(crate) fn seen(
        &self,
        sets: &[String],
        result: &RunResult,
    ) -> Result<(Facts, Resolved), Error> {
        let input = |error: blockyard_scenario::Error| Error::Input(error.to_string());
        let loaded = self.load(sets).map_err(input)?;
        let resolved = loaded.resolve().map_err(input)?;
        let facts = Facts::of(&Recorded {
            result,
            storage: &resolved.storage,
            jobs: &resolved.jobs,
            warmup_s: loaded.scenario.warmup.nanos() as f64 / 1e9,
            volumes: &no_table(),
        })
        .map_err(Error::Input)?;
        Ok((facts, resolved))
    }
}

/// A table of volumes without rows: nothing is said of when limits throttled.
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
