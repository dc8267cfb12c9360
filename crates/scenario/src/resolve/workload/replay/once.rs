//! A trace is read once, however many variants of a scenario replay it.

use std::fs;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use blockyard_model::workload::spec::ReadIos;

use super::ReadTrace;
use crate::resolve::Invalid;
use crate::schema;

/// What was read, and is still in use.
static IN_USE: Mutex<Vec<(Of, Weak<ReadTrace>)>> = Mutex::new(Vec::new());

/// What decides what is read. Errors name the job's path, so a job elsewhere reads for itself.
#[derive(PartialEq)]
struct Of {
    path: String,
    /// Apart from the storage that it is replayed on.
    job: schema::Replay,
    length: u64,
    modified: SystemTime,
}

impl Of {
    /// None of what is no file, which may give something else the next time.
    fn now(path: &str, job: &schema::Replay) -> Option<Self> {
        let found = fs::metadata(&job.trace)
            .ok()
            .filter(fs::Metadata::is_file)?;
        Some(Self {
            path: path.to_owned(),
            job: schema::Replay {
                on: String::new(),
                host: None,
                ..job.clone()
            },
            length: found.len(),
            modified: found.modified().ok()?,
        })
    }
}

/// The trace of the job at `path`: as it was read before if that is in use and its file has not
/// changed since. While one reads, others wait, as most of them want the same.
pub(super) fn read(path: &str, job: &schema::Replay) -> Result<Arc<ReadTrace>, Invalid> {
    let Some(of) = Of::now(path, job) else {
        return ReadTrace::new(path, job).map(Arc::new);
    };
    let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    in_use.retain(|(_, read)| read.strong_count() > 0);
    let known = in_use.iter().find(|(known, _)| *known == of);
    let known = known.and_then(|(_, read)| read.upgrade());
    if let Some(read) = known.filter(|read| read.failure().is_none()) {
        return Ok(read);
    }
    let read = Arc::new(ReadTrace::new(path, job)?);
    in_use.push((of, Arc::downgrade(&read)));
    Ok(read)
}
