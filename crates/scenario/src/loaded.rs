//! A scenario as read, with the places of its values.

use blockyard_catalog::Catalog;
use blockyard_text::tree::{self, Node};

use crate::Error;
use crate::check::{check, targets};
use crate::goals::{self, Goal, Subject};
use crate::profiles::complete;
use crate::resolve::{Invalid, Resolved, check_endless, resolve};
use crate::schema::Scenario;

/// A scenario, well-formed and complete with its defaults, that knows where each value
/// came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario.
    pub scenario: Scenario,
    goals: Vec<Goal>,
    /// The tree that was read, after `--set`: it gives errors their places.
    source: Node,
}

/// Whether the text with these overrides has the form of a scenario: keys that exist, values of
/// their types. Nothing is looked up.
///
/// # Errors
/// The first key or value that does not fit, with its place.
pub fn well_formed(text: &str, file_name: &str, sets: &[String]) -> Result<(), Error> {
    let mut source = tree::parse(text, file_name)?;
    for set in sets {
        source.set(set)?;
    }
    tree::from_node::<Scenario>(&source).map(drop)
}

/// Reads a scenario: defaults, then the file's text, then each
/// `path=value` of `sets`; the last wins. `file_name` is what errors call it.
/// Latency profiles that are files are read too, relative to `file_name`, or to
/// the current folder if a set names them; the scenario then holds their values.
///
/// # Errors
/// The first fault of the text, a set, a field, a profile's file or a goal. Checks of the
/// storage are left to [`Loaded::resolve`].
pub fn load(text: &str, file_name: &str, sets: &[String]) -> Result<Loaded, Error> {
    let mut source = tree::parse(text, file_name)?;
    for set in sets {
        source.set(set)?;
    }
    let mut scenario: Scenario = tree::from_node(&source).map_err(|error| {
        // What was there before the sets; if it cannot be read, that was the error.
        match tree::parse(text, file_name) {
            Ok(before) => before.meant(sets, error),
            Err(_) => error,
        }
    })?;
    if complete(&mut source, &scenario)? {
        scenario = tree::from_node(&source)?;
    }
    scenario
        .workload
        .values_mut()
        .for_each(|job| job.fill_defaults());
    let goals = check(&scenario).map_err(|invalid| place(&source, invalid))?;
    Ok(Loaded {
        scenario,
        goals,
        source,
    })
}

impl Loaded {
    /// Checks that there is something to run: `simulate` and `bench` need jobs, `emulate`
    /// does not.
    ///
    /// # Errors
    /// If the scenario has no jobs.
    pub fn needs_jobs(&self) -> Result<(), Error> {
        if self.scenario.workload.is_empty() {
            let invalid = Invalid::new("workload", "no jobs; expected at least one");
            return Err(place(&self.source, invalid));
        }
        Ok(())
    }

    /// Checks that all its devices are on one host: `bench` does its IO from this machine, to
    /// this machine's storage.
    ///
    /// # Errors
    /// If it has several hosts.
    pub fn needs_one_host(&self) -> Result<(), Error> {
        let hosts = self.scenario.hosts.len();
        if hosts > 1 {
            let message = format!("{hosts} hosts; expected one, as bench is on one machine");
            return Err(place(&self.source, Invalid::new("hosts", message)));
        }
        Ok(())
    }

    /// Checks that a simulation of it would end: in a closed loop on storage that takes
    /// no time, time stands still.
    ///
    /// # Errors
    /// If a job is such a loop; the error names its device.
    pub fn needs_time(&self, resolved: &Resolved) -> Result<(), Error> {
        check_endless(&resolved.storage, &resolved.jobs).map_err(|e| place(&self.source, e))
    }

    /// A figure of one of its jobs, `readers.latency.p99`; of a scenario with one job `p99` will
    /// do.
    ///
    /// # Errors
    /// If no job has such a figure: a line that says what was expected.
    pub fn subject(&self, text: &str) -> Result<Subject, String> {
        let jobs = targets(&self.scenario);
        Subject::parse(&goals::in_full(text, &jobs), &jobs)
    }

    /// Whether a goal is one of its jobs'.
    ///
    /// # Errors
    /// A line that says what was expected.
    pub fn check_goal(&self, text: &str) -> Result<(), String> {
        Goal::parse(text, &targets(&self.scenario)).map(drop)
    }

    /// A figure or a goal as it is written in full: `p99 < 2ms` of a scenario with one job as
    /// `readers.latency.p99 < 2ms`.
    #[must_use]
    pub fn in_full(&self, text: &str) -> String {
        goals::in_full(text, &targets(&self.scenario))
    }

    /// Looks up volume types, instances and patterns in the built-in catalog, lays out
    /// the files, and returns the data that the model is built from.
    ///
    /// # Errors
    /// If the catalog does not know a name, the day's limits do not allow a value, a file
    /// does not fit its device, or a load does not fit the run.
    pub fn resolve(&self) -> Result<Resolved, Error> {
        let catalog = Catalog::get()?;
        resolve(&self.scenario, &self.goals, catalog).map_err(|e| place(&self.source, e))
    }

    /// The effective scenario as YAML; a comment after each value says where it came
    /// from.
    ///
    /// # Errors
    /// None: what was read can be written.
    pub fn show(&self) -> Result<String, Error> {
        Ok(self.effective()?.to_yaml(true))
    }

    /// The effective scenario as YAML. It loads as the same scenario.
    ///
    /// # Errors
    /// None: what was read can be written.
    pub fn to_yaml(&self) -> Result<String, Error> {
        Ok(self.effective()?.to_yaml(false))
    }

    /// The effective scenario as a tree, defaults included. Built on request: it would
    /// take a quarter of the time of a load, and few callers need it.
    fn effective(&self) -> Result<Node, Error> {
        tree::to_node(&self.scenario, &self.source)
            .map_err(|e| Error::new(self.source.origin.clone(), "", e.to_string()))
    }
}

fn place(source: &Node, invalid: Invalid) -> Error {
    let place = source.locate(&invalid.path);
    Error::new(place, invalid.path, invalid.message)
}
