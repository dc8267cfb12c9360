//! What the IOs of an observed device were like: their order, their places, who issued them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Order, places and issuers of a device's IOs; none of counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservedLoad {
    /// Share of reads that began where an earlier one ended; none without reads.
    pub sequential_reads: Option<f64>,
    /// The same of writes.
    pub sequential_writes: Option<f64>,
    /// Blocks of the device in which reads or writes began.
    pub places: Places,
    /// Threads of a name, most IOs first; at most 50 names.
    pub issuers: Vec<Issuers>,
    /// Times in which threads that hardly read wrote at least twice their mean, and 1 MiB/s.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heavy_writes: Vec<HeavyWrites>,
}

/// Blocks of the device in which reads or writes began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// Size of a block: 1 MiB, more beyond 256 GiB.
    pub block_bytes: u64,
    /// How many.
    pub touched: u64,
    /// Share of reads and writes that the hottest 1% of these blocks got; none of fewer than 100.
    pub hottest_1_pct: Option<f64>,
    /// The same of the hottest 10%; none of fewer than 10.
    pub hottest_10_pct: Option<f64>,
    /// First byte of the parts that are counted below.
    pub from_byte: u64,
    /// Size of a part.
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
    /// Their reads.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Their writes, without empty ones.
    pub writes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Flushes that they asked for.
    pub flushes: u64,
    /// Of the bytes written, those by threads that hardly read.
    pub background_bytes: u64,
}

/// A time in which threads that hardly read wrote at least twice their mean, and 1 MiB/s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeavyWrites {
    /// Its begin.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Bytes that they wrote in it.
    pub bytes: u64,
}
