//! Jobs: what reads and writes the storage.

use std::num::NonZeroU32;

use blockyard_catalog::Pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{
    Arrivals, Demand, Load, NameOr, Oltp, OneOrMany, RanWrite, Replay, ScheduleStep, Skew, oltp,
    ranwrite,
};
use crate::units::{Duration, Rate, Size};

/// A job, by `kind`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// Random reads of database blocks.
    #[serde(rename = "ranread")]
    RanRead(RanRead),
    /// A database under random updates: journal, write image journal (WIJ) and write daemons.
    /// Defaults, also of `wij`, `wdparm` and `journal`, are the product's unless stated otherwise.
    #[serde(rename = "ranwrite")]
    RanWrite(RanWrite),
    /// IOs of one size, a share of them reads and a share random, like IOMETER's access
    /// specifications.
    AccessSpec(AccessSpec),
    /// A transactional engine: threads, buffer pool, redo log, page flushing.
    Oltp(Box<Oltp>),
    /// Load that lasts, by interval.
    Demand(Demand),
    /// IOs that were recorded, again.
    Replay(Replay),
}

/// Random reads: each process reads uniformly random blocks of the file, one
/// after another without think time. Has exactly one of `processes`, `rate`
/// and `schedule`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RanRead {
    /// The device of the file.
    pub on: String,
    /// Its host: of a device, by default the first; of a job, that of its devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Size of the file.
    pub file_size: Size,
    /// Database block size, a multiple of 512B.
    #[serde(default = "database_block")]
    pub block: Size,
    /// Which blocks or pages random IOs prefer; default: all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// Closed loop: processes, each with one read in flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<OneOrMany<u32>>,
    /// Open loop: IOs (or `oltp` transactions) due per second, however long earlier ones take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<OneOrMany<Rate>>,
    /// Steps at stated times, closed or open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Vec<ScheduleStep>>,
    /// Open loop: how gaps are drawn; default `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Open loop: maximum IOs in flight, default 1024. Further arrivals wait, and their wait counts
    /// as latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_outstanding: Option<NonZeroU32>,
    /// Open loop: slower IOs count as late; IOs whose issue lags by more are skipped. Default:
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_limit: Option<Duration>,
}

/// IOs of one pattern. Has exactly one of `processes`, `rate` and `schedule`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessSpec {
    /// The device of the file.
    pub on: String,
    /// Its host: of a device, by default the first; of a job, that of its devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Size of the file.
    pub file_size: Size,
    /// A pattern, or the name of one in the catalog (`4k-random-read`).
    pub pattern: NameOr<Pattern>,
    /// Which blocks or pages random IOs prefer; default: all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// Closed loop: mean of a process's exponential pause after each IO; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think_time: Option<Duration>,
    /// Closed loop: writes after which a process waits for its IOs and then for an fsync (`flush`
    /// in results). Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fsync_every: Option<NonZeroU32>,
    /// `xfs` or `ext4`, whose journal each fsync writes before it flushes, for `simulate` only. By
    /// default an fsync is a device flush, as where fdatasync follows overwritten blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_system: Option<String>,
    /// Closed loop of sequential reads: the kernel's read-ahead window, a multiple of the pattern's
    /// size, two in flight per process. Default: direct reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_ahead: Option<Size>,
    /// Closed loop with one number of processes: the bytes to read and write, as of a backup. The
    /// processes share them and are done then; what fails is done again. Once all jobs are done the
    /// run ends, before its `duration`. Default: it goes on to the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<Size>,
    /// Closed loop: IOs in flight per process, default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<NonZeroU32>,
    /// Closed loop: processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<OneOrMany<u32>>,
    /// Open loop: IOs (or `oltp` transactions) due per second, however long earlier ones take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<OneOrMany<Rate>>,
    /// Steps at stated times, closed or open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Vec<ScheduleStep>>,
    /// Open loop: how gaps are drawn; default `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Open loop: maximum IOs in flight, default 1024. Further arrivals wait, and their wait counts
    /// as latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_outstanding: Option<NonZeroU32>,
    /// Open loop: slower IOs count as late; IOs whose issue lags by more are skipped. Default:
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_limit: Option<Duration>,
}

/// Database block size of the published tests.
pub(super) fn database_block() -> Size {
    Size::new(8 << 10)
}

impl Job {
    pub(crate) fn load(&self) -> Load<'_> {
        match self {
            Self::RanRead(job) => job.load(),
            Self::RanWrite(job) => job.load(),
            Self::AccessSpec(job) => job.load(),
            Self::Oltp(job) => job.load(),
            Self::Demand(job) => job.load(),
            Self::Replay(job) => job.load(),
        }
    }

    /// The host that it states to run on.
    pub(crate) fn host(&self) -> Option<&str> {
        match self {
            Self::RanRead(job) => job.host.as_deref(),
            Self::RanWrite(job) => job.host.as_deref(),
            Self::AccessSpec(job) => job.host.as_deref(),
            Self::Oltp(job) => job.host.as_deref(),
            Self::Demand(job) => job.host.as_deref(),
            Self::Replay(job) => job.host.as_deref(),
        }
    }

    /// The devices of its files.
    pub(crate) fn devices(&self) -> Vec<&str> {
        match self {
            Self::RanRead(job) => vec![&job.on],
            Self::RanWrite(job) => ranwrite::roles(&job.on).map(|it| it.1).to_vec(),
            Self::AccessSpec(job) => vec![&job.on],
            Self::Oltp(job) => oltp::roles(&job.on).map(|it| it.1).to_vec(),
            Self::Demand(job) => vec![&job.on],
            Self::Replay(job) => vec![&job.on],
        }
    }

    /// Fills in the defaults that depend on the kind of loop.
    pub(crate) fn fill_defaults(&mut self) {
        let open = self.load().is_open();
        match self {
            Self::RanRead(job) if open => {
                job.arrivals.get_or_insert(Load::ARRIVALS);
                job.max_outstanding.get_or_insert(Load::MAX_OUTSTANDING);
            }
            Self::AccessSpec(job) if open => {
                job.arrivals.get_or_insert(Load::ARRIVALS);
                job.max_outstanding.get_or_insert(Load::MAX_OUTSTANDING);
            }
            Self::AccessSpec(job) if job.read_ahead.is_none() => {
                job.outstanding.get_or_insert(Load::OUTSTANDING);
            }
            Self::Oltp(job) if open => {
                job.arrivals.get_or_insert(Load::ARRIVALS);
                job.threads
                    .get_or_insert_with(|| OneOrMany(vec![Load::MAX_OUTSTANDING.get()]));
            }
            Self::Demand(job) => {
                job.arrivals.get_or_insert(Load::ARRIVALS);
                job.max_outstanding.get_or_insert(Load::MAX_OUTSTANDING);
            }
            Self::RanRead(_)
            | Self::RanWrite(_)
            | Self::AccessSpec(_)
            | Self::Oltp(_)
            | Self::Replay(_) => {}
        }
    }
}

impl RanRead {
    pub(crate) fn load(&self) -> Load<'_> {
        Load {
            processes: self.processes.as_ref(),
            rate: self.rate.as_ref(),
            schedule: self.schedule.as_deref(),
            outstanding: None,
            arrivals: self.arrivals,
            max_outstanding: self.max_outstanding,
            latency_limit: self.latency_limit,
        }
    }
}

impl AccessSpec {
    pub(crate) fn load(&self) -> Load<'_> {
        Load {
            processes: self.processes.as_ref(),
            rate: self.rate.as_ref(),
            schedule: self.schedule.as_deref(),
            outstanding: self.outstanding,
            arrivals: self.arrivals,
            max_outstanding: self.max_outstanding,
            latency_limit: self.latency_limit,
        }
    }
}

/// serde's view of [`Job`], named after the key that identifies the variant.
#[derive(Deserialize)]
#[serde(remote = "Job", rename = "kind", rename_all = "snake_case")]
enum JobByKind {
    #[serde(rename = "ranread")]
    RanRead(RanRead),
    #[serde(rename = "ranwrite")]
    RanWrite(RanWrite),
    AccessSpec(AccessSpec),
    Oltp(Box<Oltp>),
    Demand(Demand),
    Replay(Replay),
}

impl<'de> Deserialize<'de> for Job {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        JobByKind::deserialize(deserializer)
    }
}
