//! What the IOs of an observed device were like: their order, their places, who issued them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Order, places and issuers of a device's IOs; none of counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservedLoad {
    /// Share of reads that begin where an earlier one ended.
    pub sequential_reads: Option<f64>,
    /// The same of writes.
    pub sequential_writes: Option<f64>,
    /// Blocks in which reads or writes began.
    pub places: Places,
    /// By name, most IOs first.
    pub issuers: Vec<Issuers>,
    /// Bursts of writes in the background.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heavy_writes: Vec<HeavyWrites>,
}

/// Blocks in which reads or writes began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// Size: 1 MiB, more beyond 256 GiB.
    pub block_bytes: u64,
    /// How many.
    pub touched: u64,
    /// Share of reads and writes in the hottest 1% of them.
    pub hottest_1_pct: Option<f64>,
    /// In the hottest 10%.
    pub hottest_10_pct: Option<f64>,
    /// Begin of the first part.
    pub from_byte: u64,
    /// Its size.
    pub part_bytes: u64,
    /// Reads by part.
    pub reads: Vec<u64>,
    /// Writes by part.
    pub writes: Vec<u64>,
}

/// Threads of a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Issuers {
    /// Their name.
    pub name: String,
    /// How many.
    pub threads: u64,
    /// Reads.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes with bytes.
    pub writes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Flushes asked for.
    pub flushes: u64,
    /// Bytes written by those that hardly read.
    pub background_bytes: u64,
}

/// Time in which threads that hardly read wrote at least twice their mean, and 1 MiB/s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeavyWrites {
    /// Its begin.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Bytes written.
    pub bytes: u64,
    /// The same by name.
    pub by: BTreeMap<String, u64>,
}
