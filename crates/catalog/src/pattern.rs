//! Access patterns.

use blockyard_text::units::{Percent, Size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An access pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// IO size and alignment, a multiple of 512B.
    pub size: Size,
    /// Share of reads; the rest are writes.
    pub read: Percent,
    /// Share of IOs at random places; the rest continue where the last one ended.
    pub random: Percent,
}
