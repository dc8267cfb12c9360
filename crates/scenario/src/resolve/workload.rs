//! From the scenario's jobs to those that the model runs.

mod amount;
mod caching;
mod cluster;
mod demand;
mod files;
mod galera;
mod hosts;
mod journal_mirror;
mod oltp;
mod ranwrite;
mod replay;
mod standbys;
mod steps;
#[cfg(test)]
mod tests;

use blockyard_catalog::Catalog;
use blockyard_model::spec::StorageSpec;
use blockyard_model::units::{Bytes, MIB};
use blockyard_model::workload::spec::{AccessSpec, JobSpec, Skew};
use blockyard_text::hint;
use indexmap::IndexMap;

use self::files::Files;
use self::oltp::Around;
use self::steps::Run;
use super::{HostNames, Invalid, Zones};
use crate::schema::{self, Job, NameOr, Pattern, Scenario};
use crate::units::{Percent, Size};

pub(super) use self::caching::notices;
pub(super) use self::cluster::lay_links;
pub(super) use self::hosts::check as check_hosts;
pub use self::replay::{ReplayedRecording, ReplayedStreams, StreamKind};

/// Direct IO reads and writes whole sectors.
const SECTOR: Bytes = 512;

/// Largest IO: far larger than any that a kernel sends at once.
const MAX_IO: Bytes = 64 * MIB;

/// What to know of jobs.
#[derive(Debug, Default)]
pub(crate) struct OfJobs {
    pub(crate) notices: Vec<String>,
    pub(crate) recordings: Vec<ReplayedRecording>,
}

/// The scenario's jobs in their order, with their files laid out on the devices of `storage`.
///
/// # Errors
/// A device or pattern that does not exist, a file that does not fit, an
/// impossible IO size, or load steps that do not fit the run.
pub(crate) fn jobs(
    scenario: &Scenario,
    storage: &StorageSpec,
    zones: &Zones,
    catalog: &Catalog,
    of_jobs: &mut OfJobs,
) -> Result<Vec<JobSpec>, Invalid> {
    let run = Run::of(scenario);
    let hosts = HostNames::new(scenario.hosts.keys());
    let mut files = Files::new(&storage.devices);
    scenario
        .workload
        .iter()
        .map(|(name, job)| {
            let path = format!("workload.{name}");
            match job {
                Job::RanRead(job) => {
                    let block = io_size(&format!("{path}.block"), job.block)?;
                    Ok(JobSpec::Access(AccessSpec {
                        name: name.clone(),
                        file: files.place(
                            &path,
                            "on",
                            &job.on,
                            "file_size",
                            job.file_size,
                            block,
                        )?,
                        block,
                        read_permille: 1000,
                        random_permille: 1000,
                        skew: skew(&path, job.skew.as_ref())?,
                        load: run.load(&path, &job.load())?,
                        think: 0,
                        fsync: None,
                        read_ahead: None,
                        amount: None,
                    }))
                }
                Job::AccessSpec(job) => {
                    let pattern = pattern(&path, &job.pattern, catalog.patterns())?;
                    let block = io_size(&format!("{path}.pattern.size"), pattern.size)?;
                    let load = run.load(&path, &job.load())?;
                    Ok(JobSpec::Access(AccessSpec {
                        name: name.clone(),
                        file: files.place(
                            &path,
                            "on",
                            &job.on,
                            "file_size",
                            job.file_size,
                            block,
                        )?,
                        block,
                        read_permille: permille(pattern.read),
                        random_permille: permille(pattern.random),
                        skew: skew(&path, job.skew.as_ref())?,
                        think: caching::think(&path, job)?,
                        fsync: caching::fsync(&path, job, &pattern, catalog, &mut files)?,
                        read_ahead: caching::read_ahead(&path, job, &pattern)?,
                        amount: amount::amount(&path, job, &pattern, &load, scenario.warmup)?,
                        load,
                    }))
                }
                Job::Oltp(job) => {
                    let around = Around {
                        scenario,
                        storage,
                        zones,
                        catalog,
                    };
                    let job = oltp::resolve((name, &path), job, run, around, &mut files)?;
                    Ok(JobSpec::Oltp(job))
                }
                Job::Demand(job) => {
                    demand::resolve((name, &path), job, run, &mut files).map(JobSpec::Demand)
                }
                Job::Replay(job) => {
                    let replay = replay::resolve((name, &path), job, run, &mut files)?;
                    of_jobs.notices.extend(replay.notices);
                    of_jobs.recordings.push(replay.recording);
                    Ok(JobSpec::Replay(replay.spec))
                }
                Job::RanWrite(job) => {
                    let placed = (storage, &hosts);
                    ranwrite::resolve(name, &path, job, run, placed, &mut files)
                        .map(JobSpec::RanWrite)
                }
            }
        })
        .collect()
}

fn pattern(
    path: &str,
    pattern: &NameOr<Pattern>,
    known: &IndexMap<String, Pattern>,
) -> Result<Pattern, Invalid> {
    match pattern {
        NameOr::Given(pattern) => Ok(*pattern),
        NameOr::Name(name) => known.get(name).copied().ok_or_else(|| {
            let hint = hint(name, known.keys().map(String::as_str));
            Invalid::new(
                format!("{path}.pattern"),
                format!("no pattern is called `{name}`{hint}"),
            )
        }),
    }
}

/// Which blocks random IOs prefer.
fn skew(path: &str, skew: Option<&schema::Skew>) -> Result<Skew, Invalid> {
    let Some(skew) = skew else {
        return Ok(Skew::NONE);
    };
    let resolved = skew.resolve(path);
    resolved.map_err(|(path, message)| Invalid::new(path, message))
}

/// The bytes of an IO, if a device can do it.
fn io_size(path: &str, size: Size) -> Result<Bytes, Invalid> {
    let bytes = size.bytes();
    if !bytes.is_multiple_of(SECTOR) || bytes > MAX_IO {
        let message =
            format!("an IO of {size} is not possible; expected a multiple of 512B up to 64MiB");
        return Err(Invalid::new(path, message));
    }
    Ok(bytes)
}

fn permille(percent: Percent) -> u32 {
    // A percentage is at most 1000 permille.
    u32::try_from(percent.permille()).unwrap_or(1000)
}
