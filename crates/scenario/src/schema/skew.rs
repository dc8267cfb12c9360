//! Which blocks random IOs prefer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Exponent, Percent};

/// Which blocks random IOs prefer: either `zipf` or `hot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Skew {
    /// The exponent s of Zipf's law: the k-th most popular block has a probability proportional to
    /// 1 / k^s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zipf: Option<Exponent>,
    /// Some blocks get most IOs, in equal shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hot: Option<Hot>,
    /// Whether the preferred blocks are scattered over the file, as database
    /// pages are, or lie at its start.
    #[serde(default = "yes")]
    pub scatter: bool,
}

/// Some blocks get most IOs, in equal shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hot {
    /// Their share of the IOs.
    pub ios: Percent,
    /// Their share of all blocks.
    pub blocks: Percent,
}

fn yes() -> bool {
    true
}
