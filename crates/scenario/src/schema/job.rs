//! Jobs: what reads and writes the storage.

use std::num::NonZeroU32;

use blockyard_catalog::Pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Arrivals, Load, NameOr, Oltp, OneOrMany, RanWrite, ScheduleStep, Skew};
use crate::units::{Duration, Rate, Size};

/// A job. `kind` says which.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// Random reads of database blocks.
    #[serde(rename = "ranread")]
    RanRead(RanRead),
    /// A database under random updates: journal, write image journal (WIJ)
    /// and write daemons.
    #[serde(rename = "ranwrite")]
    RanWrite(RanWrite),
    /// IOs of one size with a share of reads and a share of random places, like
    /// IOMETER's access specifications.
    AccessSpec(AccessSpec),
    /// A transactional engine: threads, buffer pool, redo log, and what writes changed pages.
    Oltp(Box<Oltp>),
}

/// Random reads: each process reads uniformly random blocks of the file, one
/// after another without think time. Has exactly one of `processes`, `rate`
/// and `schedule`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RanRead {
    /// The device that the file lies on.
    pub on: String,
    /// The host that the job runs on, one of `hosts`: that of its device, which is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Size of the database file.
    pub file_size: Size,
    /// Database block size, a multiple of 512B.
    #[serde(default = "database_block")]
    pub block: Size,
    /// Which blocks random IOs prefer; by default all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// Closed loop: processes, each with one read in flight; a list divides the
    /// duration into equal steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<OneOrMany<u32>>,
    /// Open loop: reads that come due each second, however long earlier ones
    /// take; a list divides the duration into equal steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<OneOrMany<Rate>>,
    /// Steps at stated times, closed or open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Vec<ScheduleStep>>,
    /// Open loop: how the gaps are drawn; `poisson` if not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Open loop: most reads in flight; 1024 if not stated. Further reads that
    /// come due wait, and their wait counts as latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_outstanding: Option<NonZeroU32>,
    /// Open loop: reads slower than this count as late, and reads whose issue
    /// lags by more than this are skipped. By default none are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_limit: Option<Duration>,
}

/// IOs of one pattern. Has exactly one of `processes`, `rate` and `schedule`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessSpec {
    /// The device that the file lies on.
    pub on: String,
    /// The host that the job runs on, one of `hosts`: that of its device, which is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Size of the file.
    pub file_size: Size,
    /// The name of a pattern in the catalog (`4k-random-read`), or a pattern.
    pub pattern: NameOr<Pattern>,
    /// Which blocks random IOs prefer; by default all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// Closed loop: after so many writes a process waits for its IOs and then for an fsync, which
    /// results tell of as `flush`. By default it sends none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fsync_every: Option<NonZeroU32>,
    /// The file system, `xfs` or `ext4`, whose journal each fsync writes to before it flushes.
    /// For `simulate` alone: `bench` leaves that to the real file system. By default an fsync is
    /// a flush of the device, which it also is to a file system where blocks are overwritten and
    /// fdatasync is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_system: Option<String>,
    /// Closed loop of sequential reads: they pass through the page cache, and the kernel reads
    /// ahead in windows of this size, a multiple of the pattern's. The IOs are then the windows,
    /// two in flight of each process. By default reads are direct.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_ahead: Option<Size>,
    /// Closed loop: IOs in flight of each process; 1 if not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<NonZeroU32>,
    /// Closed loop: processes; a list divides the duration into equal steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<OneOrMany<u32>>,
    /// Open loop: IOs that come due each second, however long earlier ones
    /// take; a list divides the duration into equal steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<OneOrMany<Rate>>,
    /// Steps at stated times, closed or open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Vec<ScheduleStep>>,
    /// Open loop: how the gaps are drawn; `poisson` if not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Open loop: most IOs in flight; 1024 if not stated. Further IOs that come
    /// due wait, and their wait counts as latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_outstanding: Option<NonZeroU32>,
    /// Open loop: IOs slower than this count as late, and IOs whose issue lags
    /// by more than this are skipped. By default none are.
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
        }
    }

    /// The host that it states to run on.
    pub(crate) fn host(&self) -> Option<&str> {
        match self {
            Self::RanRead(job) => job.host.as_deref(),
            Self::RanWrite(job) => job.host.as_deref(),
            Self::AccessSpec(job) => job.host.as_deref(),
            Self::Oltp(job) => job.host.as_deref(),
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
            Self::RanRead(_) | Self::RanWrite(_) | Self::AccessSpec(_) | Self::Oltp(_) => {}
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
}

impl<'de> Deserialize<'de> for Job {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        JobByKind::deserialize(deserializer)
    }
}
