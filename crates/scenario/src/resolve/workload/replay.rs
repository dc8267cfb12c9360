//! `replay` jobs.

mod flow;
mod known;
mod once;
mod places;
mod recording;
mod spread;
mod store;
mod streams;
#[cfg(test)]
mod tests;

use blockyard_model::units::Bytes;
use blockyard_model::workload::spec::{self, ReadIos, RecordedIo, ReplayPace, ReplaySpec};
use blockyard_text::grouped;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::flow::{Kept, Order};
use self::places::Placed;
use self::recording::Recording;
use self::streams::Streams;
pub use self::streams::{ReplayedStreams, StreamKind};
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
    /// Its streams; none if all are replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<ReplayedStreams>,
}

/// The job called `name` at `path`.
pub(super) fn resolve(
    (name, path): (&str, &str),
    job: &schema::Replay,
    run: Run<'_>,
    files: &mut Files<'_>,
) -> Result<Resolved, Invalid> {
    let read = once::read(path, job)?;
    let size = Size::new(read.placed.size);
    let file = files.place(path, "on", &job.on, "file_size", size, SECTOR);
    let file = file.map_err(|refused| {
        // Of a size that the trace gave, a user may not know that it can be another.
        if job.file_size.is_some() || !refused.path.ends_with(".file_size") {
            return refused;
        }
        refused.with("; a smaller `file_size` takes `beyond: wrap` or `beyond: scale`")
    })?;
    run.check_in_flight(path, read.pace.in_flight())?;
    let notices = read.notices.iter();
    let recording = spec::Recording {
        totals: read.kept.totals,
        ios: read.clone(),
    };
    Ok(Resolved {
        notices: notices.map(|said| format!("{path}: {said}")).collect(),
        recording: ReplayedRecording {
            job: name.to_owned(),
            ios: read.kept.totals.ios,
            digest: read.digest.clone(),
            undecided: read.undecided,
            streams: read.streams.clone(),
        },
        spec: ReplaySpec {
            name: name.to_owned(),
            file,
            pace: read.pace.clone(),
            per_s: match read.pace {
                ReplayPace::Open { .. } => recording.per_s(run.end()),
                ReplayPace::Chains(_) | ReplayPace::Commits(_) => 0,
            },
            recording,
        },
    })
}

/// All that a trace gives a job, whatever storage it is replayed on.
#[derive(Debug)]
struct ReadTrace {
    pace: ReplayPace,
    placed: Placed,
    kept: Kept,
    digest: String,
    undecided: bool,
    streams: Option<ReplayedStreams>,
    notices: Vec<String>,
}

impl ReadTrace {
    /// Reads the trace of the job at `path`.
    fn new(path: &str, job: &schema::Replay) -> Result<Self, Invalid> {
        let mut recording = Recording::read(path, job)?;
        let mut notices = recording.notices();
        let flow = &mut recording.flow;
        let streams = flow.streams.as_ref().map(Streams::result);
        notices.extend(flow.streams.as_ref().map(Streams::notice));
        let extent = flow.seen.extent();
        let mut undecided = false;
        let pace = match flow.end()? {
            Order::Open(_) => {
                let max_outstanding = job.max_outstanding.unwrap_or(Load::MAX_OUTSTANDING).get();
                ReplayPace::Open { max_outstanding }
            }
            Order::Chains(pace, chains) => {
                let mut most = chains.most_in_flight();
                if let Some(streams) = &streams {
                    most.truncate(streams.replayed as usize);
                }
                let inferred = inferred(*pace, &most);
                undecided = inferred.is_some() && job.pace.is_none();
                notices.extend(inferred);
                ReplayPace::Chains(most.into())
            }
            Order::Commits(commits) => {
                let most = commits.most_in_flight();
                notices.extend(inferred(ReplayLoop::Commits, &most[1..]));
                ReplayPace::Commits(most.into())
            }
        };
        let digest = flow.digest();
        let placed = recording.flow.places.end(path, job, extent)?;
        notices.extend(placed.notice());
        Ok(Self {
            pace,
            placed,
            kept: recording.flow.kept,
            digest,
            undecided,
            streams,
            notices,
        })
    }
}

impl ReadIos for ReadTrace {
    fn read(&self, chain: u32, from: u64, batch: &mut Vec<RecordedIo>) {
        self.kept.store.read(chain, from, batch);
    }

    fn failure(&self) -> Option<String> {
        self.kept.store.failure()
    }
}

/// What the recording does not decide, of chains with so many IOs in flight.
fn inferred(pace: ReplayLoop, most: &[u32]) -> Option<String> {
    let count = grouped(most.len() as u64);
    if pace == ReplayLoop::Chains {
        return Some(format!(
            "{count} chains are inferred, as no threads are recorded or asked for"
        ));
    }
    let several = most.iter().filter(|most| **most > 1).count();
    (several > 0).then(|| {
        let several = grouped(several as u64);
        format!(
            "{several} of {count} threads have several IOs in flight: what these wait for is inferred"
        )
    })
}

/// Whole sectors.
const SECTOR: Bytes = 512;
