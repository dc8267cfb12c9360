//! Another load of a job.

use std::fmt;

use blockyard_scenario::units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a job's load counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadUnit {
    /// Processes of a closed loop.
    Processes,
    /// Threads of an engine's closed loop.
    Threads,
    /// IOs that come due each second.
    IosPerS,
    /// Transactions that come due each second.
    TransactionsPerS,
    /// Percent of a demand by interval.
    Percent,
}

/// A job with another load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobLoad {
    /// The job.
    pub job: String,
    /// What the load counts.
    pub unit: LoadUnit,
    /// How much of it; unused where there is a schedule.
    pub load: u64,
    /// The steps of a job that has a schedule: from when on, and how much.
    pub schedule: Vec<(Duration, u64)>,
}

/// As `--set` takes it.
impl fmt::Display for JobLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, unit) = match self.unit {
            LoadUnit::Processes => ("processes", ""),
            LoadUnit::Threads => ("threads", ""),
            LoadUnit::IosPerS | LoadUnit::TransactionsPerS => ("rate", "/s"),
            LoadUnit::Percent => ("percent", ""),
        };
        write!(f, "workload.{}.", self.job)?;
        if self.schedule.is_empty() {
            return write!(f, "{key}={}{unit}", self.load);
        }
        let step = |(at, load): &(Duration, u64)| format!("{{at: {at}, {key}: {load}{unit}}}");
        let steps: Vec<_> = self.schedule.iter().map(step).collect();
        write!(f, "schedule=[{}]", steps.join(", "))
    }
}
