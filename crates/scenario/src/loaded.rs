//! A scenario that was read, with the places of its values.

use blockyard_catalog::Catalog;
use blockyard_text::tree::{self, Node};

use crate::Error;
use crate::check::check;
use crate::goals::Goal;
use crate::resolve::{Invalid, Resolved, check_endless, resolve};
use crate::schema::Scenario;

/// A scenario, well-formed and complete with its defaults, that still knows
/// where each value came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario.
    pub scenario: Scenario,
    goals: Vec<Goal>,
    /// What was read, after `--set`: places for errors.
    source: Node,
}

/// Reads a scenario: defaults, then the file's text, then each
/// `path=value` of `sets`; the last wins. `file_name` is what errors call it.
///
/// # Errors
/// The first thing that is wrong with the text, a set, a field or a goal.
/// What needs the catalog is left to [`Loaded::resolve`].
pub fn load(text: &str, file_name: &str, sets: &[String]) -> Result<Loaded, Error> {
    let mut source = tree::parse(text, file_name)?;
    for set in sets {
        source.set(set)?;
    }
    let mut scenario: Scenario = tree::from_node(&source)?;
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
    /// Whether there is something to run: `emulate` needs no jobs, `simulate`
    /// and `bench` do.
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

    /// Whether a simulation of it would come to an end: in a closed loop on
    /// storage that takes no time, none passes.
    ///
    /// # Errors
    /// If a job is such a loop; names its device.
    pub fn needs_time(&self, resolved: &Resolved) -> Result<(), Error> {
        check_endless(&resolved.storage, &resolved.jobs).map_err(|e| place(&self.source, e))
    }

    /// Looks volume types, instances and patterns up in the built-in catalog,
    /// lays the files out, and gives what the model is built from.
    ///
    /// # Errors
    /// What the catalog does not know or the day's limits do not allow, a file
    /// that does not fit its device, a load that does not fit the run.
    pub fn resolve(&self) -> Result<Resolved, Error> {
        let catalog = Catalog::get()?;
        resolve(&self.scenario, &self.goals, catalog).map_err(|e| place(&self.source, e))
    }

    /// The effective scenario as YAML, each value with a comment that says
    /// where it came from.
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

    /// What holds: the scenario as a tree, defaults included. Made when it is asked
    /// for: it would be a quarter of the time of a load, and few callers want it.
    fn effective(&self) -> Result<Node, Error> {
        tree::to_node(&self.scenario, &self.source)
            .map_err(|e| Error::new(self.source.origin.clone(), "", e.to_string()))
    }
}

fn place(source: &Node, invalid: Invalid) -> Error {
    let place = source.locate(&invalid.path);
    Error::new(place, invalid.path, invalid.message)
}
