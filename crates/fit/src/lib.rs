//! From measurements of one storage to what the model is made of: quantiles of its latency, its
//! growth with size, slow states, and the rate and depth of the limits that were seen to bind.
//!
//! Each figure says what it rests on ([`Verdict`]). What was measured while a limit made IOs
//! wait says nothing of latency, so the limits are looked for first: [`limits`] finds where a
//! rate stayed flat although more was asked for, [`mask`] takes these times out, [`states`]
//! looks for a slow state in what is left, and [`quantiles`] and [`slope`] read the tables off.

mod credits;
mod depth;
mod family;
mod fitted;
mod limits;
mod mask;
mod order;
mod quantiles;
mod records;
mod segments;
mod slope;
mod states;
mod trace;

pub use family::Family;
pub use fitted::{Base, Fitted, LeftOut, LimitFit, fit};
pub use limits::{Applies, Counts};
pub use quantiles::Quantile;
pub use records::{Io, MOST_IOS, Records};
pub use slope::Slope;
pub use states::SlowFit;
pub use trace::{Bin, Kind, Op, Part, Trace, Window};

use schemars::JsonSchema;
use serde::Serialize;

/// What a figure rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It lies within two limits, with a confidence of 95 %.
    Measured,
    /// It is only known to lie above, or below, a limit.
    Bounded,
    /// Nothing was measured; it is that of the profile to start from.
    Kept,
    /// Nothing was measured, and there is nothing to keep.
    Unknown,
}

/// A figure with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// Its value; none if it is unknown.
    pub value: Option<f64>,
    /// What it is not below, with a confidence of 95 %.
    pub low: Option<f64>,
    /// What it is not above, likewise.
    pub high: Option<f64>,
    /// What it rests on.
    pub verdict: Verdict,
    /// The IOs that it was measured from.
    pub ios: u64,
    /// What decided the verdict.
    pub why: String,
}
