//! The results of engines that do transactions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LatencyUs;

/// The transactions of an `oltp` job, without the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionTotal {
    /// Job.
    pub job: String,
    /// Committed transactions.
    pub count: u64,
    /// Transactions per second.
    pub tps: f64,
    /// Latency from due to committed; none without any.
    pub latency_us: Option<LatencyUs>,
    /// Open loop: transactions due by the end but not begun.
    #[serde(default)]
    pub waiting: u64,
    /// Transactions that at the end had waited for other nodes for a second or more: none of them
    /// is committed.
    #[serde(default, skip_serializing_if = "super::figures::is_none")]
    pub held: u64,
    /// Failed transactions, counted nowhere else: rolled back because a page could not be read, or
    /// under way when their engine stopped.
    #[serde(default, skip_serializing_if = "super::figures::is_none")]
    pub failed: u64,
    /// Transactions refused, each try of a client counted, as their cluster had no quorum.
    #[serde(default, skip_serializing_if = "super::figures::is_none")]
    pub refused: u64,
    /// Longest time after the warm-up without a committed transaction though one was due or
    /// refused, or without one of a kind while one of it waited for other nodes, to the end of the
    /// run; 0 if shorter than 1 s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outage_s: f64,
    /// Transactions that clients had been told were committed, and that a standby does not have
    /// that was promoted, warm-up included.
    #[serde(default, skip_serializing_if = "super::figures::is_none")]
    pub lost: u64,
    /// An engine that stopped, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stopped: Vec<StoppedEngine>,
    /// Transactions of one kind, in the scenario's order; none with one kind only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<TransactionKindTotal>,
    /// Transactions of one load step.
    pub steps: Vec<TransactionStep>,
    /// What their time was spent on, longest first, as shares of the whole.
    pub time: Vec<TimeSpent>,
    /// An engine's IO for one purpose, with the limits that throttled it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io: Vec<EngineIoTotal>,
    /// Variation over intervals of five seconds; none without a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_5s: Option<Spread>,
    /// Work of an engine with a buffer pool; none if the run is too short to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineTotal>,
    /// Replication of a group, in write sets or in transactions of a log; none for an engine alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication: Option<ReplicationTotal>,
}

/// An engine that stopped, in order of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoppedEngine {
    /// Time from the start of the run.
    pub t_s: f64,
    /// Another node's host; none for the engine that took the transactions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Purpose of the IO that failed; none if its host was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_io: Option<EngineIoUse>,
    /// When it was started again, or another took the transactions; none if that did not happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_s: Option<f64>,
}

impl TransactionTotal {
    /// Whether no engine took its transactions at the end, as one had stopped.
    #[must_use]
    pub fn has_stopped(&self) -> bool {
        let mut stopped = self.stopped.iter();
        stopped.any(|engine| engine.host.is_none() && engine.back_s.is_none())
    }

    /// Transactions that failed, were refused, or waited for other nodes at the end. What waits for
    /// an engine that has stopped never ends either.
    #[must_use]
    pub fn undone(&self) -> u64 {
        let waiting = if self.has_stopped() { self.waiting } else { 0 };
        self.failed + self.refused + self.held + waiting
    }
}

/// Replication of a group, in write sets or in transactions of a log; none for an engine alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplicationTotal {
    /// Write sets, or logged transactions, sent to every node.
    pub write_sets: u64,
    /// Their mean size.
    pub bytes_per_write_set: f64,
    /// Times that flow control stopped the group.
    pub pauses: u64,
    /// Total duration of these.
    pub paused_s: f64,
    /// Time for which commits waited for nodes of which nothing was heard.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub silent_s: f64,
    /// Time without a quorum, in which transactions were refused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without_quorum_s: f64,
    /// Whether the nodes are replicas of MySQL or MariaDB, which get the binary log.
    #[serde(default, skip_serializing_if = "is_not")]
    pub binary_log: bool,
    /// Time for which semi-synchronous replication was asynchronous.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub asynchronous_s: f64,
    /// Transactions committed meanwhile, for which no replica had to answer
    /// (`Rpl_semi_sync_source_no_tx`).
    #[serde(default, skip_serializing_if = "super::figures::is_none")]
    pub unacknowledged: u64,
    /// Another node of the group, which applies write sets, or a standby, which replays the log.
    pub nodes: Vec<NodeTotal>,
}

/// Another node of the group, which applies write sets, or a standby, which replays the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeTotal {
    /// Its host.
    pub host: String,
    /// Write sets applied and committed.
    pub applied: u64,
    /// Maximum write sets in its receive queue; for a standby, transactions in its log on disk not
    /// yet replayed.
    pub longest_queue: u64,
    /// Write sets in its receive queue at the end.
    pub queued: u64,
    /// Time for which its flow control stopped the group.
    pub stopped_s: f64,
    /// A standby's lag behind the log that its primary has sent; none for other nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<LagTotal>,
    /// Pages read per write set.
    pub reads_per_write_set: f64,
    /// Pages written per write set, each counted once.
    pub writes_per_write_set: f64,
    /// What a write set's time was spent on, longest first: `thread` is its time in the receive
    /// queue, `replication` its wait for earlier ones to commit.
    pub time: Vec<TimeSpent>,
    /// An engine's IO for one purpose, with the limits that throttled it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub io: Vec<EngineIoTotal>,
}

/// A standby's lag behind the log that its primary has sent; none for other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LagTotal {
    /// Maximum bytes of log not on its disk, or not in a replica's relay log.
    pub most_unflushed_bytes: u64,
    /// The same at the end.
    pub unflushed_bytes: u64,
    /// Maximum transactions not replayed.
    pub most_unreplayed: u64,
    /// The same at the end.
    pub unreplayed: u64,
}

/// Transactions of one kind, in the scenario's order; none with one kind only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionKindTotal {
    /// Its name.
    pub kind: String,
    /// Transactions that ended.
    pub count: u64,
    /// Transactions per second.
    pub tps: f64,
    /// Their latency; none without any.
    pub latency_us: Option<LatencyUs>,
}

/// Transactions of one load step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionStep {
    /// Number of the step within its job, from 1.
    pub step: usize,
    /// Its begin.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Threads (closed loop).
    pub threads: Option<u64>,
    /// Offered transactions per second (open loop).
    pub rate: Option<u64>,
    /// Transactions that ended.
    pub count: u64,
    /// Transactions per second.
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
    /// Waiting for a free engine thread.
    Thread,
    /// Waiting for a processor core.
    Core,
    /// Waiting while the host is paused.
    Pause,
    /// Processor time.
    Cpu,
    /// Waiting until the buffer pool can replace a page whose change must be written first.
    FreePage,
    /// Reading pages not in the buffer pool.
    PageRead,
    /// Waiting for redo log space until old changes are on disk.
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
    /// What it was spent on.
    pub on: SpentOn,
    /// Milliseconds per transaction, on average.
    pub ms: f64,
    /// Share of its time.
    pub share: f64,
}

/// Purpose of an engine's IO.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EngineIoUse {
    /// Reading pages not in the buffer pool.
    PageRead,
    /// Writing changed pages, doublewrite included.
    PageWrite,
    /// Writing redo log and binary log.
    Log,
    /// Copying all data from one node to another.
    Copy,
}

/// An engine's IO for one purpose, with the limits that throttled it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineIoTotal {
    /// The purpose.
    pub purpose: EngineIoUse,
    /// IOs.
    pub ios: u64,
    /// Mean latency, in microseconds.
    pub mean_us: f64,
    /// A limit that throttled an engine's IO, the tightest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throttled: Vec<ThrottledBy>,
    /// Share of their latency in which events paused or slowed their storage.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub in_events: f64,
    /// Share of their latency added by mirrors' links.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub on_links: f64,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_not(stated: &bool) -> bool {
    !stated
}

/// A limit that throttled an engine's IO, the tightest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThrottledBy {
    /// The limit's volume or host.
    pub owner: String,
    /// The limit.
    pub limit: String,
    /// Share of these IOs' latency.
    pub share: f64,
}

/// Variation over intervals of five seconds; none without a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// Intervals.
    pub count: usize,
    /// Transactions per second.
    pub tps: Quartiles,
    /// 99th percentiles of latency, in microseconds.
    pub p99_us: Quartiles,
}

/// A box plot's five figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quartiles {
    /// Minimum.
    pub min: f64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// Maximum.
    pub max: f64,
}

/// Work of an engine with a buffer pool; none if the run is too short to tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineTotal {
    /// Share of page accesses served by the buffer pool.
    pub hit_ratio: f64,
    /// Pages accessed, in the buffer pool or not.
    #[serde(default)]
    pub accesses_per_transaction: f64,
    /// Pages read.
    pub reads_per_transaction: f64,
    /// Pages written, each counted once.
    pub writes_per_transaction: f64,
    /// Bytes of pages read and written, doublewrite, redo log and binary log.
    pub bytes_per_transaction: f64,
    /// Of these, doublewrite.
    pub doublewrite_bytes_per_transaction: f64,
    /// Of these, redo log.
    pub log_bytes_per_transaction: f64,
    /// Of these, binary log.
    pub binlog_bytes_per_transaction: f64,
    /// Checkpoints begun; 0 for an engine without.
    pub checkpoints: u64,
    /// Peak of changed pages in the buffer pool not on disk.
    pub peak_dirty_pages: u64,
    /// Peak bytes of redo log since the oldest change not on disk.
    pub peak_checkpoint_age: u64,
    /// The same for each half of the time after the warm-up, to show whether the engine had
    /// settled; none if the run did not finish both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub halves: Vec<EngineHalf>,
}

/// The same for each half of the time after the warm-up, to show whether the engine had settled;
/// none if the run did not finish both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineHalf {
    /// Transactions per second.
    pub tps: f64,
    /// Share of page accesses served by the buffer pool.
    pub hit_ratio: f64,
    /// Peak of changed pages in the buffer pool not on disk.
    pub peak_dirty_pages: u64,
    /// Peak checkpoint age.
    pub peak_checkpoint_age: u64,
}
