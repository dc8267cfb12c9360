//! Where the hosts are, and how long it takes from one to another and back.

use blockyard_model::units::Nanos;
use blockyard_text::hint;

use super::Invalid;
use crate::schema::{self, Scenario};
use crate::units::Duration;

/// The zones of a scenario's hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zones {
    /// Their names, in the order of the first hosts in them.
    pub names: Vec<String>,
    /// By host, in the order of the storage's hosts: the index of its zone; none where that is
    /// not stated.
    pub of_hosts: Vec<Option<usize>>,
    /// By zone and zone: the round-trip time, as it is measured from the first, and between two
    /// hosts in one zone from a zone to itself; none where that is not stated.
    pub round_trips: Vec<Vec<Option<Nanos>>>,
}

impl Zones {
    /// The zones of a scenario's hosts.
    ///
    /// # Errors
    /// A round-trip time that is not between two zones of hosts.
    pub(super) fn resolve(scenario: &Scenario) -> Result<Self, Invalid> {
        let mut found = Self::default();
        for host in scenario.host.iter().chain(scenario.hosts.values()) {
            let zone = host.zone.as_deref().map(|name| found.add(name));
            found.of_hosts.push(zone);
        }
        if scenario.host.is_none() && scenario.hosts.is_empty() {
            found.of_hosts.push(None);
        }
        let times = found.names.iter().map(|_| vec![None; found.names.len()]);
        found.round_trips = times.collect();
        if let Some(zones) = &scenario.zones {
            found.measure(zones)?;
        }
        Ok(found)
    }

    /// The index of a zone, new or known.
    fn add(&mut self, name: &str) -> usize {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    fn measure(&mut self, zones: &schema::Zones) -> Result<(), Invalid> {
        if self.names.is_empty() {
            return Err(Invalid::new(
                "zones",
                "no host says which zone it is in; expected `zone` beside `instance`",
            ));
        }
        let within = zones.within.map(Duration::nanos);
        for (zone, times) in self.round_trips.iter_mut().enumerate() {
            times[zone] = within;
        }
        let mut stated = Vec::with_capacity(zones.round_trip.len());
        for (pair, time) in &zones.round_trip {
            let (from, to) = self.pair(pair)?;
            stated.push((from, to, time.nanos()));
        }
        // What is stated for a direction holds for it, wherever it stands.
        for &(from, to, time) in &stated {
            self.round_trips[to][from] = Some(time);
        }
        for &(from, to, time) in &stated {
            self.round_trips[from][to] = Some(time);
        }
        Ok(())
    }

    /// The zones of a pair as `us-east-1a/us-east-1b`.
    fn pair(&self, pair: &str) -> Result<(usize, usize), Invalid> {
        let invalid = |message: String| Invalid::new(format!("zones.round_trip.{pair}"), message);
        let Some((from, to)) = pair.split_once('/') else {
            let message = "expected two zones with a slash between, as in `us-east-1a/us-east-1b`";
            return Err(invalid(format!("`{pair}` is no pair of zones; {message}")));
        };
        let find = |name: &str| {
            let known = self.names.iter().position(|known| known == name);
            known.ok_or_else(|| {
                let hint = hint(name, self.names.iter().map(String::as_str));
                invalid(format!("no host is in a zone `{name}`{hint}"))
            })
        };
        let (from, to) = (find(from)?, find(to)?);
        if from == to {
            let message = "is one zone; the time between two hosts in a zone is `zones.within`";
            return Err(invalid(format!("`{pair}` {message}")));
        }
        Ok((from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    fn resolve(zones: &str) -> Result<Zones, String> {
        let text = format!(
            "name: z\nduration: 1s\nhosts:\n  \
             one: {{instance: m5.large, zone: a}}\n  two: {{instance: m5.large, zone: b}}\n  \
             three: {{instance: m5.large, zone: a}}\n  four: {{instance: m5.large}}\n\
             zones: {zones}\nstorage: {{data: {{type: gp3, size: 9GiB}}}}\n"
        );
        let loaded = load(&text, "z.yaml", &[]).map_err(|error| error.to_string())?;
        let resolved = loaded.resolve().map_err(|error| error.to_string())?;
        Ok(resolved.zones)
    }

    fn micros(zones: &Zones) -> Vec<Vec<Option<Nanos>>> {
        let times = zones.round_trips.iter().map(|times| {
            let micros = times.iter().map(|time| time.map(|time| time / 1000));
            micros.collect()
        });
        times.collect()
    }

    #[test]
    fn hosts_are_in_the_zones_that_they_state() {
        let found = resolve("{}").unwrap();
        assert_eq!(found.names, ["a", "b"]);
        assert_eq!(found.of_hosts, [Some(0), Some(1), Some(0), None]);
        assert_eq!(micros(&found), [[None; 2]; 2]);
    }

    #[test]
    fn a_round_trip_holds_both_ways_unless_both_are_stated() {
        let found = resolve("{within: 0.25ms, round_trip: {a/b: 1.16ms}}").unwrap();
        let times = [[Some(250), Some(1160)], [Some(1160), Some(250)]];
        assert_eq!(micros(&found), times);
        let times = [[None, Some(1160)], [Some(1120), None]];
        for both in ["{a/b: 1.16ms, b/a: 1.12ms}", "{b/a: 1.12ms, a/b: 1.16ms}"] {
            let found = resolve(&format!("{{round_trip: {both}}}")).unwrap();
            assert_eq!(micros(&found), times);
        }
    }
}
