//! Transactional engines: how their pool, log and page writes work.

mod replication;

use blockyard_text::units::{Duration, Percent, Rate, Size};
use indexmap::IndexMap;
use serde::Deserialize;

pub use self::replication::{EngineReplication, EngineSemiSync};
use crate::source::{Source, Sources};
use crate::{Catalog, Named, Unknown};

/// A transactional engine, as the product comes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// `InnoDB of MySQL 5.7`.
    pub called: String,
    /// Size of a page.
    pub page: Size,
    /// Size of the area that pages are written to first; none if there is none.
    pub doublewrite: Option<Size>,
    /// The redo log, or write-ahead log.
    pub log: EngineLog,
    /// Size of the binary log's file; none if there is none.
    pub binlog: Option<Size>,
    /// How changed pages are written.
    pub flush: EngineFlush,
    /// What an IO that fails ends.
    pub on_error: EngineErrors,
    /// The most threads, or connections, that it takes.
    pub most_threads: u32,
    /// Of the binary log; none of an engine that replicates none.
    pub replication: Option<EngineReplication>,
    /// Key of the source.
    source: String,
    /// By the path of each value: the product's setting, or why it is assumed.
    pub grounds: IndexMap<String, String>,
}

/// An engine's redo log, or write-ahead log.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineLog {
    /// Its size.
    pub file_size: Size,
    /// Whether a commit waits until it is written.
    pub durable: bool,
    /// Whether the first change of a page after a checkpoint logs the page whole.
    pub full_pages: bool,
}

/// What an engine's IO ends that fails, by what it was for.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineErrors {
    /// A write of a log.
    pub log: OnError,
    /// A write of changed pages.
    pub page_write: OnError,
    /// A read of a page.
    pub page_read: OnError,
}

/// What an IO that fails ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The transaction, which is rolled back.
    Abort,
    /// The engine.
    Stop,
}

/// How an engine writes changed pages: by `adaptive` or by `checkpoints`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineFlush {
    /// Pages that are written together.
    pub batch: u32,
    /// Batches under way at most.
    pub cleaners: u32,
    /// Pages at the end of the pool that are kept clean.
    pub depth: u64,
    /// The same of small pools, where that is another number.
    pub small_pools: Option<SmallPools>,
    /// By how full the log is.
    pub adaptive: Option<Adaptive>,
    /// By checkpoints.
    pub checkpoints: Option<Checkpoints>,
}

/// How many pages are kept clean at the end of a small pool.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmallPools {
    /// Smaller pools are.
    pub below: Size,
    /// The number.
    pub depth: u64,
}

/// Page writes by how full the log is.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adaptive {
    /// Pages a second.
    pub rate: Rate,
    /// Pages a second at `high`.
    pub most: Rate,
    /// Share of the log from which it rises.
    pub low: Percent,
    /// Share of the log at which it is at its most.
    pub high: Percent,
}

/// Page writes by checkpoints.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoints {
    /// From one to the next.
    pub every: Duration,
    /// Over which share of that its pages are written.
    pub spread: Percent,
}

impl EngineFlush {
    /// Pages that are kept clean at the end of a pool of this size.
    #[must_use]
    pub fn depth_of(&self, pool: Size) -> u64 {
        let small = self.small_pools.filter(|small| pool < small.below);
        small.map_or(self.depth, |small| small.depth)
    }
}

impl Engine {
    /// Where its values come from.
    #[must_use]
    pub fn source<'a>(&self, catalog: &'a Catalog) -> Option<&'a Source> {
        catalog.sources.get(&self.source)
    }

    pub(super) fn check(&self, sources: &Sources) -> Result<(), String> {
        if self.flush.adaptive.is_some() == self.flush.checkpoints.is_some() {
            return Err("flush: expected one of `adaptive` and `checkpoints`".into());
        }
        let writes = [self.on_error.log, self.on_error.page_write];
        if writes.contains(&OnError::Abort) {
            return Err("on_error: a write that fails ends no transaction alone".into());
        }
        let missing = self
            .stated()
            .into_iter()
            .find(|it| !self.grounds.contains_key(*it));
        if let Some(missing) = missing {
            return Err(format!("grounds: `{missing}` is missing"));
        }
        if let Some(replication) = &self.replication {
            replication.check(sources)?;
        }
        sources.check(&self.source)
    }

    /// The paths of the values that it states.
    fn stated(&self) -> Vec<&'static str> {
        let mut all = vec![
            "page",
            "log.file_size",
            "log.durable",
            "log.full_pages",
            "flush.batch",
            "flush.cleaners",
            "flush.depth",
            "on_error.log",
            "on_error.page_write",
            "on_error.page_read",
            "most_threads",
        ];
        all.extend(self.doublewrite.map(|_| "doublewrite"));
        all.extend(self.binlog.map(|_| "binlog"));
        all.extend(self.flush.small_pools.map(|_| "flush.small_pools"));
        if self.replication.is_some() {
            all.extend(EngineReplication::STATED);
        }
        if self.flush.adaptive.is_some() {
            all.extend(["flush.adaptive.rate", "flush.adaptive.most"]);
            all.extend(["flush.adaptive.low", "flush.adaptive.high"]);
        } else {
            all.extend(["flush.checkpoints.every", "flush.checkpoints.spread"]);
        }
        all
    }
}

impl Catalog {
    /// A transactional engine.
    ///
    /// # Errors
    /// If there is none with this name; suggests the nearest one.
    pub fn engine(&self, name: &str) -> Result<&Engine, Unknown> {
        self.engines.get(name).ok_or_else(|| {
            let names = self.engines.keys().map(String::as_str);
            Unknown::new(Named::Engine, name, names)
        })
    }
}
