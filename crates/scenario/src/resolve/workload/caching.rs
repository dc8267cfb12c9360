//! What a process of a job does beside its IO: fsyncs, read-ahead, pauses.

use blockyard_catalog::Catalog;
use blockyard_model::units::{Bytes, Nanos};
use blockyard_model::workload::spec::{FileSystem, Fsync};

use super::files::Files;
use super::io_size;
use crate::resolve::Invalid;
use crate::schema::{AccessSpec, Job, Pattern, Scenario};

/// The fsyncs of the job at `path`, with the journal of its file system on its device.
pub(super) fn fsync(
    path: &str,
    job: &AccessSpec,
    pattern: &Pattern,
    catalog: &Catalog,
    files: &mut Files<'_>,
) -> Result<Option<Fsync>, Invalid> {
    let Some(every) = job.fsync_every else {
        return match &job.file_system {
            None => Ok(None),
            Some(name) => Err(Invalid::new(
                format!("{path}.file_system"),
                format!("`{name}` makes no difference without fsyncs; expected `fsync_every` too"),
            )),
        };
    };
    let place = format!("{path}.fsync_every");
    closed_loop(&place, "fsync_every", job)?;
    if pattern.read.permille() == 1000 {
        let message = "the pattern has no writes to be made durable; expected `read` below 100%";
        return Err(Invalid::new(place, message));
    }
    let file_system = job.file_system.as_deref();
    let file_system = file_system.map(|name| {
        let key = format!("{path}.file_system");
        let known = catalog
            .file_system(name)
            .map_err(|e| Invalid::new(key, e))?;
        let sector = known.commit.iter().map(|write| write.bytes()).max();
        Ok(FileSystem {
            journal: files.place(
                path,
                "on",
                &job.on,
                "file_system",
                known.journal,
                sector.unwrap_or_default(),
            )?,
            commit: known.commit.iter().map(|write| write.bytes()).collect(),
        })
    });
    Ok(Some(Fsync {
        every: every.get(),
        file_system: file_system.transpose()?,
    }))
}

/// The bytes of a window of the read-ahead of the job at `path`.
pub(super) fn read_ahead(
    path: &str,
    job: &AccessSpec,
    pattern: &Pattern,
) -> Result<Option<Bytes>, Invalid> {
    let Some(window) = job.read_ahead else {
        return Ok(None);
    };
    let place = format!("{path}.read_ahead");
    closed_loop(&place, "read_ahead", job)?;
    if pattern.read.permille() < 1000 || pattern.random.permille() > 0 {
        let message = "only sequential reads are read ahead; expected a pattern with `read: 100%` and `random: 0%`";
        return Err(Invalid::new(place, message));
    }
    if job.outstanding.is_some() {
        let message = "a process that reads through the page cache reads one block after another; \
                       expected no `outstanding`";
        return Err(Invalid::new(format!("{path}.outstanding"), message));
    }
    let bytes = io_size(&place, window)?;
    if bytes == 0 || !bytes.is_multiple_of(pattern.size.bytes()) {
        let size = pattern.size;
        let message = format!("`{window}` is no multiple of the pattern's size of {size}");
        return Err(Invalid::new(place, message));
    }
    Ok(Some(bytes))
}

/// The mean pause of the processes of the job at `path` after each IO; 0 for none.
pub(super) fn think(path: &str, job: &AccessSpec) -> Result<Nanos, Invalid> {
    let Some(think) = job.think_time else {
        return Ok(0);
    };
    let place = format!("{path}.think_time");
    closed_loop(&place, "think_time", job)?;
    let others = [
        ("read_ahead", job.read_ahead.is_some()),
        ("file_system", job.file_system.is_some()),
    ];
    match others.iter().find(|(_, given)| *given) {
        Some((other, _)) => {
            let message =
                format!("a process that thinks has no `{other}`; expected one of the two");
            Err(Invalid::new(place, message))
        }
        None => Ok(think.nanos()),
    }
}

fn closed_loop(place: &str, key: &str, job: &AccessSpec) -> Result<(), Invalid> {
    match job.load().is_open() {
        false => Ok(()),
        true => Err(Invalid::new(
            place,
            format!("`{key}` belongs to a closed loop, which has `processes`"),
        )),
    }
}

/// What is assumed of the file systems of the scenario's jobs, a line for each job.
pub(in crate::resolve) fn notices(scenario: &Scenario, catalog: &Catalog) -> Vec<String> {
    let notice = |(name, job): (&String, &Job)| {
        let Job::AccessSpec(job) = job else {
            return None;
        };
        let called = job.file_system.as_deref()?;
        let known = catalog.file_system(called).ok()?;
        let writes: Vec<_> = known.commit.iter().map(ToString::to_string).collect();
        let source = known.source(catalog).map(|it| format!(" [{it}]"));
        Some(format!(
            "workload.{name}: in a simulation, an fsync on {called} writes {} to its journal before the \
             flush{}; with `bench` the real file system does what it does",
            writes.join(", then "),
            source.unwrap_or_default(),
        ))
    };
    scenario.workload.iter().filter_map(notice).collect()
}
