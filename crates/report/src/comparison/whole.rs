//! What a side comes to against the first.

use schemars::JsonSchema;
use serde::Serialize;

/// What a side comes to against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Whole {
    /// Some figure is better, none worse.
    #[serde(rename = "better")]
    Better,
    /// Some figure is worse, none better.
    #[serde(rename = "worse")]
    Worse,
    /// Some are better, some worse.
    #[serde(rename = "better and worse")]
    BetterAndWorse,
    /// No figure differs by more than it may.
    #[serde(rename = "alike")]
    Alike,
    /// No difference is shown.
    #[serde(rename = "not shown")]
    NotShown,
    /// There is too little data.
    #[serde(rename = "too little to tell")]
    Unknown,
    /// The two were asked for different work.
    #[serde(rename = "not comparable")]
    NotComparable,
}

impl Whole {
    /// What figures come to together.
    pub(crate) fn of(states: &[Self]) -> Self {
        if states.contains(&Self::Better) && states.contains(&Self::Worse) {
            return Self::BetterAndWorse;
        }
        let order = [
            Self::Better,
            Self::Worse,
            Self::Unknown,
            Self::NotShown,
            Self::Alike,
        ];
        let mut found = order.into_iter().filter(|state| states.contains(state));
        found.next().unwrap_or(Self::Unknown)
    }
}
