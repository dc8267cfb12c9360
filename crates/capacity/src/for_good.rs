//! What goes on for good, and what only as long as burst credits last.

use blockyard_explain::Facts;
use blockyard_scenario::schema::Scenario;

use crate::spot::spots;

/// What lasts longer is taken to last for good: a year.
const LONG_S: f64 = 365.0 * 86_400.0;

/// The overrides that begin with empty burst balances, and without the second's tokens that a
/// rested volume has: as after a load that has lasted.
pub(crate) fn used_up(scenario: &Scenario) -> Vec<String> {
    let mut places = Vec::new();
    for (name, device) in &scenario.storage {
        spots(format!("storage.{name}"), device, 1, &mut places);
    }
    let volumes = places.iter().flat_map(|spot| {
        let each = ["burst_balance", "tokens"];
        each.map(|key| format!("{}.{key}=0%", spot.path))
    });
    let named = scenario.hosts.keys().map(|name| format!("hosts.{name}"));
    let hosts = named.chain(scenario.host.iter().map(|_| "host".to_owned()));
    let hosts = hosts.map(|path| format!("{path}.burst_balance=0%"));
    volumes.chain(hosts).collect()
}

/// How many seconds after the end of a run its burst credits last that run out first: 0 if they
/// were used up, none if it goes on for good.
pub(crate) fn lasts_s(facts: &Facts) -> Option<f64> {
    let credits = facts.modelled.iter().flat_map(|own| &own.credits);
    let ends = credits.filter_map(|own| own.last_s);
    ends.filter(|&s| s <= LONG_S).min_by(f64::total_cmp)
}
