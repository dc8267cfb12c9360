//! `replay` jobs.

mod places;
mod recording;
#[cfg(test)]
mod tests;

use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_model::workload::spec::{Meeting, RecordedIo, ReplayPace, ReplaySpec};
use blockyard_text::grouped;
use blockyard_trace::{Follows, Link, Row, chains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::places::Places;
use self::recording::Recording;
use super::files::Files;
use super::steps::Run;
use crate::resolve::Invalid;
use crate::schema::{self, Load, ReplayLoop};
use crate::units::Size;

/// A job, and what to know of it.
pub(super) struct Resolved {
    pub(super) spec: ReplaySpec,
    pub(super) recording: ReplayedRecording,
    pub(super) notices: Vec<String>,
}

/// What a job replays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayedRecording {
    /// The job.
    pub job: String,
    /// IOs in it.
    pub ios: u64,
    /// What tells it from others: recordings with the same IOs have the same.
    pub digest: String,
    /// Neither it nor the scenario says what an IO waits for: that is inferred.
    pub undecided: bool,
}

/// The job called `name` at `path`.
pub(super) fn resolve(
    (name, path): (&str, &str),
    job: &schema::Replay,
    run: Run<'_>,
    files: &mut Files<'_>,
) -> Result<Resolved, Invalid> {
    let recording = Recording::read(path, job)?;
    let pace = recording.pace(path, job)?;
    let places = Places::of(path, job, &recording.rows)?;
    let size = Size::new(places.size);
    let file = files.place(path, "on", &job.on, "file_size", size, SECTOR);
    let file = file.map_err(|refused| {
        // Of a size that the trace gave, a user may not know that it can be another.
        if job.file_size.is_some() || !refused.path.ends_with(".file_size") {
            return refused;
        }
        refused.with("; a smaller `file_size` takes `beyond: wrap` or `beyond: scale`")
    })?;
    let speed = u64::from(job.speed.get());
    let io = |row: &Row, wait: Nanos| {
        let (offset, len) = places.of_row(row);
        RecordedIo {
            wait: (u128::from(wait) * 100 / u128::from(speed)) as Nanos,
            offset,
            len,
            op: row.op,
        }
    };
    let rows = &recording.rows;
    let mut notices = recording.notices();
    let mut undecided = false;
    let mut meetings = Vec::new();
    let (ios, pace): (Vec<_>, _) = match pace {
        ReplayLoop::Open => {
            let max_outstanding = job.max_outstanding.unwrap_or(Load::MAX_OUTSTANDING).get();
            run.check_in_flight(path, max_outstanding)?;
            let times = recording.times();
            let ios = rows.iter().zip(times).map(|(row, at)| io(row, at));
            (ios.collect(), ReplayPace::Open { max_outstanding })
        }
        ReplayLoop::Threads | ReplayLoop::Commits | ReplayLoop::Chains => {
            let follows = match pace {
                ReplayLoop::Commits => Follows::ThreadAndFlush,
                ReplayLoop::Threads => Follows::Thread,
                _ => Follows::Any,
            };
            let chains = chains(rows, follows);
            let inferred = inferred(rows, follows != Follows::Any, chains.len());
            undecided = inferred.is_some() && job.pace.is_none();
            notices.extend(inferred);
            let count = u32::try_from(chains.len()).unwrap_or(u32::MAX);
            run.check_in_flight(path, count)?;
            let mut begins = Vec::with_capacity(chains.len());
            let mut ios = Vec::with_capacity(rows.len());
            for chain in &chains {
                begins.push(ios.len() as u32);
                ios.extend(chain.iter().map(|link| io(&rows[link.row], link.wait)));
            }
            meetings = of_flushes(&chains, rows.len());
            (ios, ReplayPace::Chains(begins))
        }
    };
    notices.extend(places.notice());
    let notices = notices.into_iter();
    Ok(Resolved {
        spec: ReplaySpec {
            name: name.to_owned(),
            file,
            ios: ios.into(),
            pace,
            meetings: meetings.into(),
        },
        recording: ReplayedRecording {
            job: name.to_owned(),
            ios: rows.len() as u64,
            digest: recording.digest(),
            undecided,
        },
        notices: notices.map(|said| format!("{path}: {said}")).collect(),
    })
}

/// The IOs that wait for flushes of others, by the places of both in the chains.
fn of_flushes(chains: &[Vec<Link>], rows: usize) -> Vec<Meeting> {
    let mut places = vec![0; rows];
    for (place, link) in (0_u32..).zip(chains.iter().flatten()) {
        places[link.row] = place;
    }
    let meeting = |link: &Link| {
        let flush = places[link.flush?];
        let io = places[link.row];
        Some(Meeting { io, flush })
    };
    chains.iter().flatten().filter_map(meeting).collect()
}

/// What the recording does not decide.
fn inferred(rows: &[Row], by_thread: bool, chains: usize) -> Option<String> {
    let chains = chains as u64;
    if !by_thread {
        return Some(format!(
            "{} chains are inferred, as no threads are recorded or asked for",
            grouped(chains)
        ));
    }
    let mut threads: Vec<_> = rows.iter().map(|row| row.by).collect();
    threads.sort_unstable();
    threads.dedup();
    let threads = threads.len() as u64;
    (chains > threads).then(|| {
        format!(
            "threads with several IOs in flight: {} chains are inferred where {} threads are recorded",
            grouped(chains),
            grouped(threads)
        )
    })
}

/// The time of IOs, spread evenly over a step of `step` in which nothing tells them apart.
fn spread(times: &mut [Nanos], step: Nanos) {
    let mut from = 0;
    while let Some(first) = times.get(from).copied() {
        let same = times[from..].iter().take_while(|time| **time == first);
        let count = same.count();
        for (place, time) in (0_u64..).zip(&mut times[from..from + count]) {
            *time += (u128::from(step) * u128::from(place) / count as u128) as Nanos;
        }
        from += count;
    }
}

/// Coarser times than this say nothing of queueing.
const COARSE: Nanos = SECOND;

/// Whole sectors.
const SECTOR: Bytes = 512;
