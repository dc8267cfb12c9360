//! Tables of an engine, and what is in its pool at first.

use std::num::{NonZeroU32, NonZeroU64};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Skew;
use crate::units::Size;

/// What is in a buffer pool when the run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PoolStart {
    /// What a long time of reads would have left there.
    Warm,
    /// Nothing, as after a start of the server.
    Cold,
}

/// Tables and indexes whose pages are accessed alike. Has `size` or `of`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Their size; of all together at most `data_size`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// The table whose pages these are, to be accessed in another way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Which pages are preferred; default: all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// Rows are drawn by TPC-C's law in place of `skew`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nurand: Option<NuRandRows>,
}

/// Rows drawn by TPC-C's law, NURand, of as many copies (of each warehouse or district) as the
/// table has space for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NuRandRows {
    /// The law's constant A: a power of two less one, below `of`.
    pub a: NonZeroU64,
    /// Rows of a copy.
    pub of: NonZeroU64,
    /// Rows of a page.
    pub rows: NonZeroU64,
}

/// Pages of a table that a transaction accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableUse {
    /// Pages it accesses.
    pub pages: NonZeroU32,
    /// How many of these it changes.
    #[serde(default)]
    pub changes: u32,
    /// Whether both are of each of the transaction's `items`.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub per_item: bool,
}

/// How many items a transaction has: each number from `least` to `most` as often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Items {
    /// The least.
    pub least: NonZeroU32,
    /// The most.
    pub most: NonZeroU32,
}
