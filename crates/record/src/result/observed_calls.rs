//! What `observe` saw of the calls by which processes used their files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LatencyUs, LostEvents};

/// Calls by which the processes used their files. A thread waits in a call that makes data durable,
/// and in one in which an IO that it asked for began and ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservedCalls {
    /// A kind of call, most frequent first.
    pub kinds: Vec<CallKind>,
    /// Threads of a name, those first that waited longest.
    pub callers: Vec<Caller>,
    /// A thread: the 100 that waited longest.
    pub threads: Vec<CallingThread>,
    /// Share of the time in which no thread waited, one, two and so on at once.
    pub at_once: Vec<f64>,
    /// Events that were lost, by second: calls of then are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostEvents>,
}

/// A kind of call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallKind {
    /// Its name, as the kernel has it.
    pub call: String,
    /// Calls that ended.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Bytes read or written, from the page cache as well.
    pub bytes: u64,
    /// From the beginning of a call to its end.
    pub latency_us: LatencyUs,
    /// Calls in which the thread asked for IOs.
    pub with_io: u64,
    /// IOs that it asked for.
    pub ios: u64,
    /// Of a call with IOs, the time from the arrival of the first to the end of the last, or of the
    /// call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_us: Option<LatencyUs>,
}

/// Threads of a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Caller {
    /// Their name, which the kernel cuts to 15 bytes.
    pub name: String,
    /// How many.
    pub threads: u64,
    /// Their calls.
    pub calls: u64,
    /// Those in which they waited.
    pub waits: u64,
    /// Time that they waited, summed.
    pub waiting_s: f64,
    /// From the end of a wait to the begin of the thread's next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think_us: Option<LatencyUs>,
    /// IOs that they asked for.
    pub ios: u64,
    /// IOs that ended after the call in which they were asked for: nobody waited for them there.
    pub left: u64,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallingThread {
    /// Its number.
    pub thread: u32,
    /// Its process's number.
    pub pid: u32,
    /// Its name, which the kernel cuts to 15 bytes.
    pub name: String,
    /// Its calls.
    pub calls: u64,
    /// Those in which it waited.
    pub waits: u64,
    /// Time that it waited.
    pub waiting_s: f64,
    /// Mean time from the end of a wait to the begin of the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think_mean_us: Option<f64>,
}
