//! Which combinations can be run: those that the catalog refuses are counted, not simulated.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use blockyard_experiment::{Error, in_parallel};
use blockyard_scenario::well_formed;
use rayon::prelude::*;

use super::{Plan, Refused};
use crate::key::Key;

/// Why a combination cannot be run.
struct Fault {
    /// The field and what is wrong.
    reason: String,
    /// Whether it has no form: a key that does not exist, a value of another kind.
    malformed: bool,
}

impl Plan {
    /// Reads every combination, on `threads` threads, until `stopped` says so. Whether it was done.
    ///
    /// # Errors
    /// A line, for a value of an axis with which no combination has the form of a scenario: then
    /// the axis does not exist, or the value is of another kind. Where no combination is left.
    pub fn examine(
        &mut self,
        threads: usize,
        stopped: &mut dyn FnMut() -> bool,
    ) -> Result<bool, String> {
        let sweep = Key::of_sweep(&self.asked).map_err(|error| error.to_string())?;
        let plan = &*self;
        let all = |stop: &AtomicBool| -> Vec<Result<Key, Fault>> {
            let each = (0..plan.combinations.len()).into_par_iter();
            let going = each.take_any_while(|_| !stop.load(Ordering::Relaxed));
            going
                .map(|combination| plan.key(sweep, combination))
                .collect()
        };
        let found = in_parallel(threads, stopped, all).map_err(|error| error.to_string())?;
        let Some(found) = found else {
            return Ok(false);
        };
        self.check_forms(&found)?;
        self.keys.clear();
        self.refused.clear();
        for (combination, found) in found.into_iter().enumerate() {
            self.keys.push(found.as_ref().ok().copied());
            if let Err(fault) = found {
                let reason = fault.reason;
                self.refused.push(Refused {
                    combination,
                    reason,
                });
            }
        }
        match self.refused.first() {
            Some(first) if self.refused.len() == self.combinations.len() => Err(format!(
                "{}: every combination is refused; the first: {}",
                self.file_name, first.reason
            )),
            _ => Ok(true),
        }
    }

    fn key(&self, sweep: Key, combination: usize) -> Result<Key, Fault> {
        let text = self.text(combination).ok_or_else(|| Fault {
            reason: "no such scenario".to_owned(),
            malformed: true,
        })?;
        let read = || -> Result<Key, Error> {
            let opened = text.open()?;
            opened.can_be_simulated()?;
            Ok(sweep.of_combination(&opened.loaded.to_yaml()?))
        };
        read().map_err(|error| Fault {
            reason: reason(&error),
            malformed: well_formed(&text.text, &text.file_name, &text.sets).is_err(),
        })
    }

    /// Refuses a value of an axis with which nothing has the form of a scenario.
    fn check_forms(&self, found: &[Result<Key, Fault>]) -> Result<(), String> {
        for (axis, path) in self.axes.iter().enumerate() {
            let mut faults: BTreeMap<&str, Option<&Fault>> = BTreeMap::new();
            for (combination, found) in self.combinations.iter().zip(found) {
                let value = combination.values[axis].as_str();
                let malformed = found.as_ref().err().filter(|fault| fault.malformed);
                faults
                    .entry(value)
                    .and_modify(|known| *known = known.and(malformed))
                    .or_insert(malformed);
            }
            let names_it = |fault: &&Fault| fault.reason.starts_with(path.as_str());
            let wrong = faults.values().flatten().find(|fault| names_it(fault));
            // A key that is unknown stands above the path of its value.
            let above = || {
                let above = |fault: &&&Fault| {
                    let at = fault.reason.split(':').next().unwrap_or_default();
                    path.starts_with(at)
                };
                faults.values().flatten().find(above)
            };
            if let Some(fault) = wrong.or_else(above) {
                return Err(format!("{}: axes: {}", self.file_name, fault.reason));
            }
        }
        Ok(())
    }
}

/// The field and what is wrong, without the place: the override is not what a user wrote.
fn reason(error: &Error) -> String {
    match error {
        Error::Scenario(error) if error.path().is_empty() => error.message().to_owned(),
        Error::Scenario(error) => format!("{}: {}", error.path(), error.message()),
        other => other.to_string(),
    }
}
