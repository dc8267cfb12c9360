//! What engines that do transactions came to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LatencyUs;

/// The transactions of an `oltp` job, without the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionTotal {
    /// Job.
    pub job: String,
    /// Transactions that were committed.
    pub count: u64,
    /// Transactions a second.
    pub tps: f64,
    /// Their latency, from when they came due to the end of their commit; none without any.
    pub latency_us: Option<LatencyUs>,
    /// Open loop: transactions that had come due by the end and had not begun.
    #[serde(default)]
    pub waiting: u64,
    /// Transactions that failed, which count nowhere else: rolled back as a page could not be
    /// read, or under way when their engine stopped.
    #[serde(default, skip_serializing_if = "is_none")]
    pub failed: u64,
    /// The engines that stopped, in the order of time: the job's own, or those of other nodes of
    /// its group. They do nothing more until the end of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stopped: Vec<StoppedEngine>,
    /// Kind by kind, in the order of the scenario; empty with one kind only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<TransactionKindTotal>,
    /// The same per load step.
    pub steps: Vec<TransactionStep>,
    /// What their time was spent on, the longest first; the shares are of the whole.
    pub time: Vec<TimeSpent>,
    /// The engine's IO by what it was for, and what limits held of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io: Vec<EngineIoTotal>,
    /// How even they were over stretches of five seconds; none if there is no whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_5s: Option<Spread>,
    /// What the engine did for them; none if the run is too short to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineTotal>,
    /// What the other nodes of its group did; none of an engine that is alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication: Option<ReplicationTotal>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
pub(super) fn is_none(count: &u64) -> bool {
    *count == 0
}

/// An engine that stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoppedEngine {
    /// When, in seconds from the start of the run.
    pub t_s: f64,
    /// The host of another node; none of the engine that transactions are asked of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// What the IO was for that failed; none if too few nodes of the group were left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_io: Option<EngineIoUse>,
}

/// What a group replicates, without the warm-up: write sets, or transactions of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplicationTotal {
    /// Write sets that were sent, or transactions whose log was, to every node each.
    pub write_sets: u64,
    /// Their mean size, in bytes.
    pub bytes_per_write_set: f64,
    /// Times that flow control stopped the group.
    pub pauses: u64,
    /// For how long it did, in seconds.
    pub paused_s: f64,
    /// The nodes beside the one that transactions are asked of.
    pub nodes: Vec<NodeTotal>,
}

/// A node that applies the write sets of another, or a standby that replays its log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeTotal {
    /// Its host.
    pub host: String,
    /// Write sets that it applied and committed.
    pub applied: u64,
    /// Most write sets in its receive queue; of a standby, transactions in the log on its device
    /// that replay had not come to.
    pub longest_queue: u64,
    /// Write sets in its receive queue at the end.
    pub queued: u64,
    /// For how long it stopped the group by flow control, in seconds.
    pub stopped_s: f64,
    /// How far it was behind the primary, if it is a standby.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<LagTotal>,
    /// Pages read for a write set.
    pub reads_per_write_set: f64,
    /// Pages written for a write set, each counted once.
    pub writes_per_write_set: f64,
    /// What the time of a write set was spent on, the longest first: `thread` is its time in the
    /// receive queue, `replication` its wait for those before it to commit.
    pub time: Vec<TimeSpent>,
    /// Its IO by what it was for, and what limits held of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io: Vec<EngineIoTotal>,
}

/// How far a standby was behind the log that its primary had on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LagTotal {
    /// Most bytes of log that it did not have on disk.
    pub most_unflushed_bytes: u64,
    /// The same at the end.
    pub unflushed_bytes: u64,
    /// Most transactions that it had not replayed.
    pub most_unreplayed: u64,
    /// The same at the end.
    pub unreplayed: u64,
}

/// The transactions of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionKindTotal {
    /// Name of the kind.
    pub kind: String,
    /// Transactions that ended.
    pub count: u64,
    /// Transactions a second.
    pub tps: f64,
    /// Their latency; none without any.
    pub latency_us: Option<LatencyUs>,
}

/// The transactions of a load step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionStep {
    /// Number of the step within its job, from 1.
    pub step: usize,
    /// Its begin, in seconds.
    pub from_s: f64,
    /// Its end, in seconds.
    pub to_s: f64,
    /// Threads (closed loop).
    pub threads: Option<u64>,
    /// Offered transactions a second (open loop).
    pub rate: Option<u64>,
    /// Transactions that ended.
    pub count: u64,
    /// Transactions a second.
    pub tps: f64,
    /// Their latency; none without any.
    pub latency_us: Option<LatencyUs>,
}

/// What a transaction's time is spent on.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SpentOn {
    /// Waiting for a free thread of the engine.
    Thread,
    /// Waiting for a processor core.
    Core,
    /// Processor time.
    Cpu,
    /// Waiting until a changed page is written, to be replaced in the buffer pool.
    FreePage,
    /// Reading pages that are not in the buffer pool.
    PageRead,
    /// Waiting until old changes are on disk, as the redo log has no space.
    LogSpace,
    /// Writing redo log and binary log.
    Commit,
    /// Waiting for other nodes.
    Replication,
    /// Waiting until no other node is too far behind.
    FlowControl,
}

/// A part of the transactions' time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeSpent {
    /// On what.
    pub on: SpentOn,
    /// Milliseconds of a transaction, on average.
    pub ms: f64,
    /// Share of its time.
    pub share: f64,
}

/// What an engine's IO is for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EngineIoUse {
    /// Reads of pages that are not in the buffer pool.
    PageRead,
    /// Writes of changed pages, to the doublewrite area too.
    PageWrite,
    /// Writes of redo log and binary log.
    Log,
}

/// An engine's IO for one purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineIoTotal {
    /// For what.
    pub purpose: EngineIoUse,
    /// IOs.
    pub ios: u64,
    /// Their mean latency, in microseconds.
    pub mean_us: f64,
    /// The limits that throttled them, the one that throttled most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throttled: Vec<ThrottledBy>,
    /// Share of their latency for which events paused or slowed down what they were for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub in_events: f64,
    /// Share of their latency that links of mirrors added.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub on_links: f64,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// A limit that throttled an engine's IO.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThrottledBy {
    /// The volume or host whose limit it is.
    pub owner: String,
    /// The limit.
    pub limit: String,
    /// Share of these IOs' latency.
    pub share: f64,
}

/// Over stretches of five seconds, each with its own figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// How many stretches.
    pub count: usize,
    /// Their transactions a second.
    pub tps: Quartiles,
    /// The 99th percentiles of their latency, in microseconds.
    pub p99_us: Quartiles,
}

/// A box plot's five figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quartiles {
    /// Lowest.
    pub min: f64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// Highest.
    pub max: f64,
}

/// What an engine with a buffer pool did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineTotal {
    /// Share of page accesses that found the page in the buffer pool.
    pub hit_ratio: f64,
    /// Pages accessed for a transaction, in the buffer pool or not.
    #[serde(default)]
    pub accesses_per_transaction: f64,
    /// Pages read for a transaction.
    pub reads_per_transaction: f64,
    /// Pages written for a transaction, each counted once.
    pub writes_per_transaction: f64,
    /// Bytes of a transaction: pages read and written, doublewrite, redo log and binary log.
    pub bytes_per_transaction: f64,
    /// Of these, bytes written to the doublewrite area.
    pub doublewrite_bytes_per_transaction: f64,
    /// Of these, bytes of redo log.
    pub log_bytes_per_transaction: f64,
    /// Of these, bytes of binary log.
    pub binlog_bytes_per_transaction: f64,
    /// Checkpoints begun; 0 of an engine without.
    pub checkpoints: u64,
    /// Most pages that were changed in the buffer pool and not on disk.
    pub peak_dirty_pages: u64,
    /// Highest checkpoint age: bytes of redo log since the oldest change that was not on disk.
    pub peak_checkpoint_age: u64,
    /// The same of each half of the time after the warm-up, by which one sees whether the engine
    /// had settled; empty of a run that did not get through both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub halves: Vec<EngineHalf>,
}

/// What an engine did in half of the time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineHalf {
    /// Transactions a second.
    pub tps: f64,
    /// Share of page accesses that found the page in the buffer pool.
    pub hit_ratio: f64,
    /// Most pages that were changed in the buffer pool and not on disk.
    pub peak_dirty_pages: u64,
    /// Highest checkpoint age.
    pub peak_checkpoint_age: u64,
}
