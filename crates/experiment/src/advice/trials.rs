//! What was tried of a run, and the outcomes.

use blockyard_explain::{LimitId, LinkHold};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::moved::Moved;
use super::open::Open;
use crate::edit::OtherMirror;

/// The trials of a run: what was changed, and what that moved, with most IOs first.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Advice {
    /// The limits that were raised by a half, one at a time.
    pub raised: Vec<(LimitId, Vec<Moved>)>,
    /// What those who waited for a limit wait for once it holds up nothing, the one with most
    /// waiting first.
    pub beyond: Vec<(LimitId, Vec<LimitId>)>,
    /// What of links was raised by a half, one at a time.
    pub links: Vec<(LinkHold, Vec<Moved>)>,
    /// The mirrors that worked in another way, one at a time.
    pub mirrors: Vec<(OtherMirror, Vec<Moved>)>,
    /// The jobs that fell silent, one at a time.
    pub without: Vec<(String, Vec<Moved>)>,
    /// The replays that were also carried out by their recorded times.
    #[serde(default)]
    pub open: Vec<(String, Open)>,
    /// Whether raising all limits that nothing waited for changed anything; none if that was not
    /// tried.
    pub idle_matter: Option<bool>,
    /// Why something was not tried; none where all was, or nothing can be.
    pub untried: Option<Untried>,
}

/// Why something was not tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Untried {
    /// It would take more IOs than are simulated for advice.
    TooLong {
        /// How many one trial takes.
        ios: u64,
        /// How many are simulated at most.
        most_ios: u64,
    },
    /// The run was interrupted while it was tried.
    Stopped,
    /// It could not be simulated.
    Failed {
        /// Why, in a line.
        reason: String,
    },
}
