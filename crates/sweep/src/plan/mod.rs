//! All combinations of a sweep: which runs there are, and which the catalog refuses.

mod combination;
mod examine;
mod prices;
#[cfg(test)]
mod tests;

use blockyard_experiment::{Opened, ScenarioText};

pub use self::combination::Combination;
use crate::figures::{self, Column};
use crate::file::{DEMAND, Fault, Seeds, SweepFile};
use crate::key::Key;
use crate::run::{Asked, Prices, Run, Text, Work};

/// The most combinations of a sweep.
const MOST: usize = 1_000_000;

/// The most runs: what is known of each is in memory.
const MOST_RUNS: usize = 10_000_000;

/// A combination that is not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its number.
    pub combination: usize,
    /// The field and why.
    pub reason: String,
}

/// All runs of a sweep. Run `c * seeds + s` is that of combination `c` with seed `s`, whether or
/// not others are refused.
#[derive(Debug)]
pub struct Plan {
    /// What errors call the sweep file.
    file_name: String,
    bases: Vec<Text>,
    axes: Vec<String>,
    combinations: Vec<Combination>,
    seeds: Vec<u64>,
    asked: Asked,
    grid: Option<Vec<(usize, bool)>>,
    /// What identifies each combination; none of those that are refused.
    keys: Vec<Option<Key>>,
    refused: Vec<Refused>,
}

impl Plan {
    /// The combinations of a sweep file. `bases` are the scenarios that it varies: one, or one for
    /// each file of the axis `demand`. `points` are the places of a sample, a share of each axis
    /// from 0 to below 1.
    ///
    /// # Errors
    /// A line, for axes without values, goals and figures that the scenario does not have, and too
    /// many combinations.
    pub fn of(
        file: &SweepFile,
        file_name: &str,
        bases: Vec<Text>,
        points: Option<&[Vec<f64>]>,
        prices: Prices,
    ) -> Result<Self, String> {
        let combinations = combination::all(file, points, MOST)
            .map_err(|(path, message)| format!("{file_name}: {path}: {message}"))?;
        if file.axes.contains_key("seed") {
            let message = "seeds are no axis; expected `seeds: 5` or `seeds: [1, 2, 3]`";
            return Err(format!("{file_name}: axes.seed: {message}"));
        }
        let first = bases.first().ok_or("no scenario")?;
        let opened = open(first)?;
        let scenario = opened.scenario();
        let seeds = file.seeds.clone();
        let seeds = seeds.unwrap_or(Seeds::Count(scenario.repeats.get().into()));
        let seeds = seeds.all(opened.seed());
        let runs = combinations.len().saturating_mul(seeds.len());
        if runs > MOST_RUNS {
            return Err(format!(
                "{file_name}: {runs} runs; expected at most {MOST_RUNS}"
            ));
        }
        let asked = asked(file, &opened, prices)
            .map_err(|(path, message)| format!("{file_name}: {path}: {message}"))?;
        Ok(Self {
            file_name: file_name.to_owned(),
            axes: file.axes.keys().cloned().collect(),
            seeds,
            grid: combination::grid_of(file, points),
            keys: vec![None; combinations.len()],
            combinations,
            bases,
            asked,
            refused: Vec::new(),
        })
    }

    /// The paths of its axes.
    #[must_use]
    pub fn axes(&self) -> &[String] {
        &self.axes
    }

    /// Its combinations.
    #[must_use]
    pub fn combinations(&self) -> &[Combination] {
        &self.combinations
    }

    /// The seeds of each combination.
    #[must_use]
    pub fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    /// What is asked of each run.
    #[must_use]
    pub fn asked(&self) -> &Asked {
        &self.asked
    }

    /// The columns of its figures.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.asked.columns
    }

    /// How many values each axis of the grid has, and whether they have an order, as numbers of a
    /// unit and instances of a family have; none of what is no grid.
    #[must_use]
    pub fn grid(&self) -> Option<&[(usize, bool)]> {
        self.grid.as_deref()
    }

    /// The combinations that are not run, once they were [examined](Self::examine).
    #[must_use]
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// The runs that there are, once the combinations were examined: their numbers and keys.
    pub fn runs(&self) -> impl Iterator<Item = (u64, String)> {
        let each = self.keys.iter().enumerate();
        each.filter_map(|(combination, key)| Some((combination, (*key)?)))
            .flat_map(move |(combination, key)| {
                let seeds = self.seeds.iter().enumerate();
                seeds.map(move |(place, &seed)| (self.number(combination, place), key.of_run(seed)))
            })
    }

    /// The work of these runs, by their numbers; those that are refused are left out.
    #[must_use]
    pub fn work(&self, runs: &[u64]) -> Work {
        let run = |&number: &u64| {
            let (combination, seed) = self.place(number)?;
            let key = (*self.keys.get(combination)?)?;
            Some(Run {
                number,
                key: key.of_run(seed),
                base: self.combinations[combination].base,
                sets: self.sets(combination),
                seed,
            })
        };
        Work {
            asked: self.asked.clone(),
            bases: self.bases.clone(),
            runs: runs.iter().filter_map(run).collect(),
        }
    }

    /// The overrides of a combination, as `--set` takes them.
    #[must_use]
    pub fn sets(&self, combination: usize) -> Vec<String> {
        let values = self.axes.iter().zip(&self.combinations[combination].values);
        let own = values.filter(|(path, _)| *path != DEMAND);
        let mut sets: Vec<_> = own.map(|(path, value)| format!("{path}={value}")).collect();
        if !self.asked.goals.is_empty() {
            let goals = serde_json::Value::from(self.asked.goals.clone());
            sets.push(format!("goals={goals}"));
        }
        sets
    }

    fn number(&self, combination: usize, seed: usize) -> u64 {
        (combination * self.seeds.len() + seed) as u64
    }

    /// The combination and the seed of a run.
    fn place(&self, run: u64) -> Option<(usize, u64)> {
        let run = usize::try_from(run).ok()?;
        let seed = *self.seeds.get(run % self.seeds.len())?;
        Some((run / self.seeds.len(), seed))
    }

    fn text(&self, combination: usize) -> Option<ScenarioText> {
        let base = self.bases.get(self.combinations[combination].base)?;
        Some(ScenarioText {
            text: base.text.clone(),
            file_name: base.name.clone(),
            sets: self.sets(combination),
        })
    }
}

fn open(base: &Text) -> Result<Opened, String> {
    let text = ScenarioText {
        text: base.text.clone(),
        file_name: base.name.clone(),
        sets: Vec::new(),
    };
    text.open().map_err(|error| error.to_string())
}

/// What is asked of each run.
fn asked(file: &SweepFile, opened: &Opened, prices: Prices) -> Result<Asked, Fault> {
    let scenario = opened.scenario();
    let goals = match file.goals.is_empty() {
        true => &scenario.goals[..],
        false => &file.goals[..],
    };
    let in_full = |text: &String| opened.loaded.in_full(text);
    let goals: Vec<_> = goals.iter().map(in_full).collect();
    let mut figures: Vec<_> = file.figures.iter().map(in_full).collect();
    if figures.is_empty() {
        figures = figures::usual(scenario);
    }
    let mut seen = std::collections::BTreeSet::new();
    figures.retain(|figure| seen.insert(figure.clone()));
    let mut columns = Vec::new();
    for (place, figure) in figures.iter().enumerate() {
        let subject = opened.loaded.subject(figure);
        let subject = subject.map_err(|message| (format!("figures.{place}"), message))?;
        columns.push(Column::of(figure, &subject));
    }
    for (place, goal) in goals.iter().enumerate() {
        let message = opened.loaded.check_goal(goal).err();
        if let Some(message) = message {
            return Err((format!("goals.{place}"), message));
        }
    }
    Ok(Asked {
        figures,
        columns,
        goals,
        prices,
    })
}
