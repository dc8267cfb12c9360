//! What would be if a limit, a link or a mirror were another, or a job's IO were not: a scenario
//! with changes that no catalog is asked about.

mod network;

use std::io;
use std::sync::atomic::AtomicBool;

use blockyard_model::spec::LimitSpec;
use blockyard_record::Detail;
use blockyard_record::limit_names::{LimitKind, device_of, leg_of};
use blockyard_record::result::RunResult;
use blockyard_scenario::Resolved;
use blockyard_scenario::schema::Scenario;
use rayon::prelude::*;
use serde::Deserialize;

pub use self::network::{Letter, OfLink, OtherMirror, RaisedLink, Reads};
use crate::parallel::{Unwatched, in_parallel};
use crate::{Options, simulate};

/// The largest factor: what is multiplied stays far below what a bucket can count.
const LARGEST: f64 = 100.0;

/// A change of what a scenario resolves to.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A limit is another.
    Limit(Raised),
    /// A link can do more.
    Link(RaisedLink),
    /// A mirror works in another way.
    Mirror(OtherMirror),
    /// The job of this name issues nothing. All others draw their random numbers as ever.
    Without(String),
}

/// A limit of each volume of a device or of a leg of one, or of a host, and what it is multiplied
/// with.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Raised {
    /// The device; none for a host's.
    pub device: Option<String>,
    /// The leg of a mirror whose it is; none for all volumes of the device.
    #[serde(default)]
    pub leg: Option<String>,
    /// The host, where no device is named.
    pub host: Option<String>,
    /// Which of its limits.
    #[serde(flatten)]
    pub kind: LimitKind,
    /// More than 0, at most 100. A bucket keeps its depth in seconds of its rate; of burst
    /// credits only the rate at which they come changes, not how many there are.
    pub factor: f64,
}

/// Simulates `scenario`, as `resolved`, once for each of `cases` with its changes and with the
/// scenario's seed, on `threads` threads; the results come in the order of the cases, whatever
/// the threads. None if `stopped`, which the calling thread asks some fifty times a second,
/// says so first.
///
/// # Errors
/// `InvalidInput` for a change of what the scenario does not have, or a factor out of range;
/// else as [`simulate`].
pub fn what_if(
    scenario: &Scenario,
    resolved: &Resolved,
    cases: &[Vec<Change>],
    threads: usize,
    stopped: &mut dyn FnMut() -> bool,
) -> io::Result<Option<Vec<RunResult>>> {
    let changed: Vec<_> = cases
        .iter()
        .map(|changes| changed(resolved, changes))
        .collect::<Result<_, _>>()
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let all = |stop: &AtomicBool| -> io::Result<Vec<RunResult>> {
        let runs = changed.par_iter().map(|(resolved, silent)| {
            let options = Options {
                detail: Detail::Totals,
                silent: silent.clone(),
                ..Options::default()
            };
            simulate(scenario, resolved, options, &mut Unwatched(stop))
        });
        runs.collect()
    };
    in_parallel(threads, stopped, all)?.transpose()
}

/// A scenario with changes, and the numbers of the jobs that are silent.
fn changed(resolved: &Resolved, changes: &[Change]) -> Result<(Resolved, Vec<usize>), String> {
    let (mut resolved, mut silent) = (resolved.clone(), Vec::new());
    for change in changes {
        match change {
            Change::Limit(raised) => raised.apply(&mut resolved)?,
            Change::Link(raised) => raised.apply(&mut resolved)?,
            Change::Mirror(other) => other.apply(&mut resolved)?,
            Change::Without(name) => {
                let job = resolved.jobs.iter().position(|job| job.name() == name);
                silent.push(job.ok_or_else(|| format!("no job is called `{name}`"))?);
            }
        }
    }
    Ok((resolved, silent))
}

impl Raised {
    /// What the depth of a limit is multiplied with: there are as many credits as ever.
    fn depth_factor(&self) -> f64 {
        if self.kind.credits { 1.0 } else { self.factor }
    }

    fn apply(&self, resolved: &mut Resolved) -> Result<(), String> {
        in_range(self.factor)?;
        let storage = &mut resolved.storage;
        let mut found = 0;
        let is_it = |name: &str| LimitKind::named(name) == Some(self.kind);
        let mut multiply = |limits: &mut [LimitSpec]| {
            let own = |limit: &&mut LimitSpec| is_it(&limit.name);
            for limit in limits.iter_mut().filter(own) {
                multiply(limit, self.factor);
                found += 1;
            }
        };
        match (&self.device, &self.host) {
            (Some(device), None) => {
                let is_own = |volume: &str| {
                    let leg = self.leg.as_deref();
                    device_of(volume) == device && (leg.is_none() || leg_of(volume) == leg)
                };
                let own = storage.volumes.iter_mut();
                own.filter(|volume| is_own(&volume.name))
                    .for_each(|volume| multiply(&mut volume.limits));
                // What a modification makes of it is multiplied as well.
                let names = storage.volumes.iter().map(|volume| &volume.name);
                let own: Vec<_> = names.map(|name| is_own(name)).collect();
                let terms = resolved.schedule.terms.iter_mut();
                let terms = terms.filter(|terms| own[terms.volume]);
                for term in terms.flat_map(|terms| &mut terms.limits) {
                    if let (true, Some(holds)) = (is_it(&term.name), &mut term.holds) {
                        *holds = (
                            times(holds.0, self.factor),
                            times(holds.1, self.depth_factor()),
                        );
                    }
                }
            }
            (None, Some(host)) => {
                let own = storage.hosts.iter_mut();
                own.filter(|own| own.name == *host)
                    .for_each(|own| multiply(&mut own.limits));
            }
            _ => return Err("expected a device or a host whose limit it is".to_owned()),
        }
        match (
            found,
            self.device.as_ref().or(self.host.as_ref()),
            &self.leg,
        ) {
            (0, Some(device), Some(leg)) => Err(format!("{device}.{leg} has no such limit")),
            (0, Some(owner), None) => Err(format!("{owner} has no such limit")),
            _ => Ok(()),
        }
    }
}

fn in_range(factor: f64) -> Result<(), String> {
    match factor > 0.0 && factor <= LARGEST {
        true => Ok(()),
        false => Err(format!(
            "factor: `{factor}`; expected more than 0 and at most {LARGEST}"
        )),
    }
}

fn times(tokens: u64, factor: f64) -> u64 {
    (tokens as f64 * factor).round().max(1.0) as u64
}

/// Multiplies what a limit lets through in the long run.
fn multiply(limit: &mut LimitSpec, factor: f64) {
    // What is empty stays so; a rate and a depth are at least 1.
    let times = |tokens| times(tokens, factor);
    limit.rate = times(limit.rate);
    if limit.credits {
        if let Some(top_up) = &mut limit.top_up {
            top_up.kept = times(top_up.kept).min(limit.depth);
        }
    } else {
        limit.depth = times(limit.depth);
        let level = (limit.level as f64 * factor).round() as u64;
        limit.level = level.min(limit.depth);
    }
}
