//! What an event happens to: volumes, links, or a host or zone with all of both.

use blockyard_model::spec::Layout;
use blockyard_text::hint;

use super::Resolver;
use crate::resolve::Invalid;
use crate::units::Duration;

/// Volumes, links and hosts, by their indices.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    pub(super) volumes: Vec<usize>,
    pub(super) links: Vec<usize>,
    pub(super) hosts: Vec<usize>,
}

impl From<Vec<usize>> for Target {
    fn from(volumes: Vec<usize>) -> Self {
        Self {
            volumes,
            ..Self::default()
        }
    }
}

impl Resolver<'_, '_> {
    /// What fails under a name: a device or volume first, or else a host or a zone.
    pub(super) fn failing(
        &self,
        place: (&str, &str, &str),
        at: Duration,
    ) -> Result<Target, Invalid> {
        let (_, _, name) = place;
        let hosts = self.hosts_of(name);
        let named = self.scenario.hosts.keys().chain(&self.zones.names);
        let others: Vec<_> = named.map(String::as_str).collect();
        match self.volumes_or(place, at, (&others, "device, volume, host or zone")) {
            Err(_) if !hosts.is_empty() => Ok(self.all_of(hosts, at)),
            volumes => volumes.map(Target::from),
        }
    }

    /// What is paused under a name: a device or volume first, or else a host.
    pub(super) fn pausing(
        &self,
        place: (&str, &str, &str),
        at: Duration,
    ) -> Result<Target, Invalid> {
        let (path, key, name) = place;
        let hosts: Vec<_> = self.scenario.hosts.keys().map(String::as_str).collect();
        let volumes = self.volumes_or(place, at, (&hosts, "device, volume or host"));
        let Some(host) = self.scenario.hosts.get_index_of(name) else {
            return volumes.map(Target::from);
        };
        if let Ok(volumes) = volumes {
            return Ok(volumes.into());
        }
        let shares = |nodes: &[usize]| nodes.contains(&host) && nodes.len() > 1;
        let shared = self.builder.volumes.iter().find(|volume| {
            let standby = volume.standby.iter().copied();
            shares(&[volume.host].into_iter().chain(standby).collect::<Vec<_>>())
        });
        if let Some(volume) = shared {
            let message = format!(
                "`{name}` is a node of the shared disk `{}`, which fails over; expected `fail`",
                volume.name
            );
            return Err(Invalid::new(format!("{path}.{key}"), message));
        }
        Ok(self.all_of(vec![host], at))
    }

    /// Whether a name is that of a host, and of nothing that has rates of its own.
    pub(super) fn is_host(&self, name: &str) -> bool {
        let is_device = self.devices.iter().any(|device| device.name == name);
        let is_volume = self.builder.volumes.iter().any(|it| it.name == name);
        self.scenario.hosts.contains_key(name) && !is_device && !is_volume
    }

    /// The hosts under a name: one, or all of a zone.
    fn hosts_of(&self, name: &str) -> Vec<usize> {
        if let Some(host) = self.scenario.hosts.get_index_of(name) {
            return vec![host];
        }
        let zone = self.zones.names.iter().position(|zone| zone == name);
        let hosts = self.zones.of_hosts.iter().enumerate();
        hosts
            .filter(|(_, of)| of.is_some() && **of == zone)
            .map(|(host, _)| host)
            .collect()
    }

    /// The volumes of hosts, and the links that end there. A shared disk is lost with all that
    /// it can be attached to, as it is with their zone.
    fn all_of(&self, hosts: Vec<usize>, at: Duration) -> Target {
        let volumes = self.builder.volumes.iter().enumerate();
        let own = volumes.filter(|(index, volume)| {
            let mut nodes = [volume.host]
                .into_iter()
                .chain(volume.standby.iter().copied());
            nodes.all(|node| hosts.contains(&node)) && self.states[*index].from <= at.nanos()
        });
        let links = self.links.iter().enumerate();
        let ending = links.filter(|(_, link)| link.ends.iter().any(|end| hosts.contains(end)));
        Target {
            volumes: own.map(|(index, _)| index).collect(),
            links: ending.map(|(index, _)| index).collect(),
            hosts,
        }
    }

    /// The link that an event names.
    pub(super) fn link(&self, path: &str, key: &str, name: &str) -> Result<Target, Invalid> {
        let found = self.links.iter().position(|link| link.name == name);
        let link = found.ok_or_else(|| {
            let hint = hint(name, self.links.iter().map(|link| link.name.as_str()));
            let message = format!("no link is called `{name}`{hint}");
            Invalid::new(format!("{path}.{key}"), message)
        })?;
        Ok(Target {
            links: vec![link],
            ..Target::default()
        })
    }

    /// The devices whose IO it changes.
    pub(super) fn devices_at(&self, target: &Target) -> Vec<usize> {
        let mut found = self.devices_of(&target.volumes);
        let over = self.devices.iter().enumerate().filter(|(_, device)| {
            let Layout::Mirror(mirror) = &device.layout else {
                return false;
            };
            let mut links = mirror.legs.iter().filter_map(|leg| leg.link);
            links.any(|(link, _)| {
                let mut ends = self.links[link].ends.iter();
                target.links.contains(&link) || ends.any(|end| target.hosts.contains(end))
            })
        });
        found.extend(over.map(|(index, _)| index));
        found.sort_unstable();
        found.dedup();
        found
    }
}
