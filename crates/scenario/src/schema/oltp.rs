//! A transactional engine and its transactions.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arrivals, Galera, Load, NameOr, OneOrMany, Skew, Standbys};
use crate::units::{Duration, Percent, Rate, Size};

/// A transactional engine: threads that read and change pages in a buffer pool, a redo log that
/// each commit waits for, and what writes changed pages out. Has `threads`, `rate`, or both.
/// `engine` names the values of a product; each can be stated here instead. Only `simulate` runs
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Oltp {
    /// The device of all files, or a device for each.
    pub on: NameOr<OltpRoles>,
    /// The host that the engine runs on, one of `hosts`: that of its devices, which is the
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Whose values hold where nothing is stated: `innodb` or `postgres`, as
    /// catalog/engines.yaml has them.
    pub engine: String,
    /// Size of tables and indexes.
    pub data_size: Size,
    /// Size of the buffer pool.
    pub pool: Size,
    /// Which pages transactions prefer; by default all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// The kinds of transactions by name.
    pub transactions: IndexMap<String, TransactionKind>,
    /// Closed loop: threads, each of which begins a transaction when its last has ended; a list
    /// divides the duration into equal steps. With `rate`: the threads that there are, 1024 if
    /// not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<OneOrMany<u32>>,
    /// Open loop: transactions that come due each second, however long earlier ones take; a list
    /// divides the duration into equal steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<OneOrMany<Rate>>,
    /// Open loop: how the gaps are drawn; `poisson` if not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Closed loop: mean of a thread's pauses between transactions, which are exponential; by
    /// default there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think_time: Option<Duration>,
    /// Processor cores that transactions share; by default the instance's virtual processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<NonZeroU32>,
    /// Size of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Size>,
    /// Whether pages are written to a doublewrite area first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doublewrite: Option<bool>,
    /// The redo log, or write-ahead log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<RedoLog>,
    /// Size of the binary log's file, which each commit is written to after the redo log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binlog: Option<Size>,
    /// How changed pages are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush: Option<PageFlush>,
    /// Hosts with synchronous replicas: a commit also waits for the round trip to the farthest,
    /// as `zones` has it. Their storage is not modelled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replicas: Vec<String>,
    /// The cluster that it is the first node of: others, on hosts of their own, apply what its
    /// transactions change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub galera: Option<Galera>,
    /// Its standbys, on hosts of their own, which get its log and replay it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standbys: Option<Standbys>,
}

/// The device of each of an engine's files. What is not named lies with the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OltpRoles {
    /// The device of tables and indexes.
    pub data: String,
    /// The device of the redo log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// The device of the doublewrite area.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doublewrite: Option<String>,
    /// The device of the binary log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binlog: Option<String>,
}

/// A kind of transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionKind {
    /// How often it comes, against the weights of the others.
    #[serde(default = "one")]
    pub weight: NonZeroU32,
    /// Pages that it accesses, one after another, in the buffer pool or not.
    pub pages: NonZeroU32,
    /// How many of these it changes.
    #[serde(default)]
    pub changes: u32,
    /// Bytes of redo log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Size>,
    /// Bytes of binary log; those of the redo log if not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binlog: Option<Size>,
    /// Processor time.
    pub cpu: Duration,
}

/// An engine's redo log, or write-ahead log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedoLog {
    /// Its size. With as much since the oldest change that is not on disk, transactions that
    /// change anything wait; an engine with checkpoints begins one earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_size: Option<Size>,
    /// Whether a commit waits until it is written; otherwise it is written each second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable: Option<bool>,
    /// Whether the first change of a page after a checkpoint logs the page whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_pages: Option<bool>,
}

/// How an engine writes changed pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageFlush {
    /// Pages a second as long as any is changed (`innodb_io_capacity`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Pages a second when the log is full to `high` (`innodb_io_capacity_max`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Rate>,
    /// Share of the log from which the rate rises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<Percent>,
    /// Share of the log at which it is at its most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<Percent>,
    /// With checkpoints: from one to the next (`checkpoint_timeout`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Duration>,
    /// With checkpoints: over which share of that pages are written
    /// (`checkpoint_completion_target`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Percent>,
    /// Pages that are written together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<NonZeroU32>,
    /// Batches under way at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleaners: Option<NonZeroU32>,
    /// Pages at the end of the pool that are kept clean, to be replaced; at most all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<NonZeroU32>,
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

impl Oltp {
    /// What makes its transactions begin.
    pub(crate) fn load(&self) -> Load<'_> {
        let open = self.rate.is_some();
        Load {
            processes: self.threads.as_ref().filter(|_| !open),
            rate: self.rate.as_ref(),
            schedule: None,
            outstanding: None,
            arrivals: self.arrivals,
            max_outstanding: self.threads.as_ref().filter(|_| open).and_then(|threads| {
                let first = threads.iter().next()?;
                NonZeroU32::new(*first)
            }),
            latency_limit: None,
        }
    }

    /// The devices of the data, the redo log, the doublewrite area and the binary log, in this
    /// order, each with the path of the key that names it, within the job.
    pub(crate) fn roles(&self) -> [(&'static str, &str); 4] {
        roles(&self.on)
    }
}

/// The devices of an engine's files, in the order of [`Oltp::roles`], each with the path of the
/// key that names it, from `on`.
pub(super) fn roles(on: &NameOr<OltpRoles>) -> [(&'static str, &str); 4] {
    let roles = match on {
        NameOr::Name(device) => return [("on", device); 4],
        NameOr::Given(roles) => roles,
    };
    let data = ("on.data", roles.data.as_str());
    let log = roles.log.as_deref().map(|it| ("on.log", it));
    let area = roles
        .doublewrite
        .as_deref()
        .map(|it| ("on.doublewrite", it));
    let binlog = roles.binlog.as_deref().map(|it| ("on.binlog", it));
    [
        data,
        log.unwrap_or(data),
        area.unwrap_or(data),
        binlog.unwrap_or(data),
    ]
}
