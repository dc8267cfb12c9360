//! A transactional engine and its transactions.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Arrivals, Galera, Items, Load, NameOr, OneOrMany, PoolStart, Skew, Standbys, Table, TableUse,
};
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
    /// Its host: of a device, by default the first; of a job, that of its devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Engine whose defaults apply: `innodb`, `mariadb`, `percona` or `postgres`, from
    /// catalog/engines.yaml.
    pub engine: String,
    /// Size of tables and indexes.
    pub data_size: Size,
    /// Size of the buffer pool.
    pub pool: Size,
    /// Which blocks or pages random IOs prefer; default: all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// What is in the pool when the run starts; default `warm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<PoolStart>,
    /// Tables that transactions access, by name; default: one, all of the data, with `skew`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub tables: IndexMap<String, Table>,
    /// A kind of transaction, by name.
    pub transactions: IndexMap<String, TransactionKind>,
    /// Closed loop: threads, each beginning a transaction when its last has ended. With `rate`: the
    /// maximum threads, default 1024.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<OneOrMany<u32>>,
    /// Open loop: IOs (or `oltp` transactions) due per second, however long earlier ones take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<OneOrMany<Rate>>,
    /// Open loop: how gaps are drawn; default `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Closed loop: mean of a thread's exponential pauses between transactions; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think_time: Option<Duration>,
    /// Processor cores for transactions; default: the instance's vCPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<NonZeroU32>,
    /// Size of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Size>,
    /// Whether pages are first written to a doublewrite area.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doublewrite: Option<bool>,
    /// An engine's redo or write-ahead log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<RedoLog>,
    /// Size of the binary log's file, which each commit writes after the redo log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binlog: Option<Size>,
    /// How an engine writes changed pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush: Option<PageFlush>,
    /// Hosts of synchronous replicas, whose storage is not modelled: a commit also waits for the
    /// round trip to the farthest, by `zones`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replicas: Vec<String>,
    /// Virtually synchronous replication (Galera, Percona XtraDB Cluster). The job's engine takes
    /// all transactions; the other nodes apply their write sets with engines like the job's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub galera: Option<Galera>,
    /// Log shipping to standbys, which replay it with engines like the job's: PostgreSQL's
    /// write-ahead log, or the binary log of MySQL or MariaDB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standbys: Option<Standbys>,
}

/// The device of each engine file. Omitted files lie with the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OltpRoles {
    /// Tables and indexes.
    pub data: String,
    /// The redo log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// The doublewrite area.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doublewrite: Option<String>,
    /// The binary log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binlog: Option<String>,
}

/// A kind of transaction, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionKind {
    /// Frequency relative to the other kinds.
    #[serde(default = "one")]
    pub weight: NonZeroU32,
    /// Pages it accesses, one after another, in the buffer pool or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<NonZeroU32>,
    /// How many of these it changes.
    #[serde(default)]
    pub changes: u32,
    /// The pages of each table, in place of `pages` and `changes`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub tables: IndexMap<String, TableUse>,
    /// How many items it has, as an order has lines: pages with `per_item` are of each. Bytes of
    /// log and processor time are of the mean number, and in proportion to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
    /// Bytes of redo log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Size>,
    /// Bytes of binary log; default: those of the redo log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binlog: Option<Size>,
    /// Processor time.
    pub cpu: Duration,
}

/// An engine's redo or write-ahead log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedoLog {
    /// Its size. When changes not yet on disk fill it, transactions that change anything wait; an
    /// engine with checkpoints begins one earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_size: Option<Size>,
    /// Whether a commit waits for its write; otherwise it is written each second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable: Option<bool>,
    /// Whether the first change of a page after a checkpoint logs the whole page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_pages: Option<bool>,
}

/// How an engine writes changed pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageFlush {
    /// Pages per second while any is changed (`innodb_io_capacity`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Pages per second when the log is filled to `high` (`innodb_io_capacity_max`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Rate>,
    /// Log fill from which the rate rises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<Percent>,
    /// Log fill at which it reaches `most`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<Percent>,
    /// Interval between checkpoints (`checkpoint_timeout`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<Duration>,
    /// Share of that interval over which a checkpoint writes pages
    /// (`checkpoint_completion_target`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Percent>,
    /// Pages written together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<NonZeroU32>,
    /// Threads that write a batch of pages each, and so batches in flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cleaners: Option<NonZeroU32>,
    /// Pages at the end of the pool that are kept clean for replacement; at most the whole pool.
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
