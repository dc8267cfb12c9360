//! What a scenario's storage has saved up before its start, used up: burst balances and tokens.

use std::fmt;

use blockyard_scenario::schema::Scenario;
use serde::{Deserialize, Serialize};

use super::Edit;
use crate::places::places;

/// What is saved up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Saved {
    /// Burst credits.
    BurstBalance,
    /// The tokens of a rested volume: what its limits grant in a second.
    Tokens,
}

/// Something saved up, by where the scenario has its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserve {
    /// The path of the volume or host.
    pub path: String,
    /// What it has.
    pub what: Saved,
}

/// As `--set` takes it.
impl fmt::Display for Reserve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = match self.what {
            Saved::BurstBalance => "burst_balance",
            Saved::Tokens => "tokens",
        };
        write!(f, "{}.{key}=0%", self.path)
    }
}

/// The edits after which a run begins with empty burst balances, and without the second's tokens
/// that a rested volume has: as after a load that has lasted.
pub fn emptied(scenario: &Scenario) -> Vec<Edit> {
    let mut found = Vec::new();
    for (name, device) in &scenario.storage {
        places(format!("storage.{name}"), device, 1, &mut found);
    }
    let empty = |path: &str, what| {
        let path = path.to_owned();
        Edit::Empty(Reserve { path, what })
    };
    let volumes = found.iter().flat_map(|place| {
        let each = [Saved::BurstBalance, Saved::Tokens];
        each.map(|what| empty(&place.path, what))
    });
    let named = scenario.hosts.keys().map(|name| format!("hosts.{name}"));
    let hosts = named.chain(scenario.host.iter().map(|_| "host".to_owned()));
    let hosts = hosts.map(|path| empty(&path, Saved::BurstBalance));
    volumes.chain(hosts).collect()
}
