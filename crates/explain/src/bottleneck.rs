//! What holds up IO, or transactions: one of these, wherever a bottleneck is named.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::id::LimitId;

/// What holds up a job's IO, or its transactions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Bottleneck {
    /// A limit throttles the IO.
    Limit {
        /// Which limit.
        limit: LimitId,
    },
    /// A link of a mirror adds to the latency of the IO.
    Link {
        /// Its place in `modelled.links`.
        place: usize,
    },
    /// An event paused or slowed down the IO.
    Event {
        /// Its place among the result's events.
        event: usize,
    },
    /// As many IOs are in flight as may be, at the storage's own latency.
    InFlight {
        /// How many.
        most: u32,
    },
    /// The processor cores: work, and waiting for a core.
    Cpu,
    /// The latency of reads, without what limits add.
    Reads,
    /// The latency of page writes, without what limits add: those that make room in the buffer
    /// pool.
    Writes,
    /// The same, of those that free space in the redo log.
    LogSpace,
    /// The latency of commits, without what limits add.
    Commit,
    /// Other nodes, which must have agreed.
    Replication,
    /// Flow control: another node is behind, for other reasons than limits.
    FlowControl,
    /// There are no more threads.
    Threads,
}
