//! What `what-if` is asked in tests.

use blockyard_capacity::{Least, Prices, WhatIf};
use blockyard_experiment::ScenarioText;

/// A scenario with values set otherwise.
pub(crate) fn given(text: impl Into<String>, sets: &[&str]) -> ScenarioText {
    ScenarioText {
        text: text.into(),
        file_name: "s.yaml".to_owned(),
        sets: sets.iter().map(|set| (*set).to_owned()).collect(),
    }
}

/// All jobs, with the prices of the day and what is saved up.
pub(crate) fn asked(scenario: ScenarioText, most_ios: u64) -> WhatIf {
    WhatIf {
        scenario,
        job: None,
        prices: Prices::default(),
        sustained: false,
        least: Least::default(),
        most_ios,
    }
}
