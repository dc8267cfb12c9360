//! One more node of a cluster, or one more standby, in a zone of its own.

use std::collections::BTreeSet;

use blockyard_experiment::Edit;
use blockyard_scenario::schema::{Device, EngineNode, Host, Link, NameOr};
use serde::Serialize;

use super::super::{Change, Proposal};
use super::Replicated;

impl Replicated<'_> {
    /// A node like the last one, on a host and devices like its, linked as it is, where somebody
    /// went without something.
    pub(super) fn node(&self) -> Option<Proposal> {
        let (kind, nodes, are_linked) = match (&self.job.galera, &self.job.standbys) {
            (Some(own), _) => ("galera", &own.nodes, true),
            (_, Some(own)) => ("standbys", &own.nodes, own.failover.is_some()),
            (None, None) => return None,
        };
        let (like, node) = nodes.last().filter(|_| self.is_hurt())?;
        let host = self.scenario.hosts.get(like)?;
        let name = self.free_name(nodes.len() + 2);
        let zone = host.zone.as_ref().and_then(|zone| self.free_zone(zone));
        let job = format!("workload.{}.{kind}.nodes.{name}", self.name);
        let (node, mut edits) = self.devices(node, &name)?;
        let host = Host {
            zone: zone.clone(),
            ..host.clone()
        };
        edits.push(Edit::set(format!("hosts.{name}"), json(&host)?));
        // Standbys need no link to each other if none takes over.
        let linked = if are_linked { self.hosts.len() } else { 1 };
        for other in &self.hosts[..linked] {
            edits.extend(self.link(like, &name, other)?);
        }
        edits.extend(self.distances(zone.as_deref(), &self.hosts[..linked]));
        edits.push(Edit::set(job, json(&node)?));
        let change = Change::Node {
            job: self.name.to_owned(),
            host: name,
            zone,
            from: self.hosts.len() as u64,
            to: self.hosts.len() as u64 + 1,
        };
        Some(Proposal::of(change, edits))
    }

    /// `node4`, or the next name that nothing has.
    fn free_name(&self, from: usize) -> String {
        let taken = |name: &String| {
            self.scenario.hosts.contains_key(name) || self.scenario.storage.contains_key(name)
        };
        let mut names = (from..).map(|number| format!("node{number}"));
        names.find(|name| !taken(name)).unwrap_or_default()
    }

    /// The first zone of a region that no host is in.
    fn free_zone(&self, beside: &str) -> Option<String> {
        let region = beside.strip_suffix(|last: char| last.is_ascii_lowercase())?;
        let hosts = &self.scenario.hosts;
        let taken = |zone: &String| hosts.values().any(|host| host.zone.as_ref() == Some(zone));
        let mut zones = ('a'..='z').map(|letter| format!("{region}{letter}"));
        zones.find(|zone| !taken(zone))
    }

    /// The node on devices of its own, and the overrides that make these.
    fn devices(&self, like: &EngineNode, host: &str) -> Option<(EngineNode, Vec<Edit>)> {
        let new = |device: &String| format!("{device}_{host}");
        let mut old: BTreeSet<String> = BTreeSet::new();
        let mut node = like.clone();
        let mut rename = |device: &mut String| {
            let renamed = new(device);
            old.insert(std::mem::replace(device, renamed));
        };
        match &mut node.on {
            NameOr::Name(device) => rename(device),
            NameOr::Given(roles) => {
                rename(&mut roles.data);
                let others = [&mut roles.log, &mut roles.doublewrite, &mut roles.binlog];
                others.into_iter().flatten().for_each(rename);
            }
        }
        let edits = old.iter().map(|device| {
            let path = format!("storage.{}", new(device));
            let moved = moved(self.scenario.storage.get(device)?, host)?;
            Some(Edit::set(path, json(&moved)?))
        });
        let edits = edits.collect::<Option<_>>()?;
        Some((node, edits))
    }

    /// The override that links it to another node as the one that it is like is.
    fn link(&self, like: &str, host: &str, other: &str) -> Option<Vec<Edit>> {
        let links = || self.scenario.links.values();
        let between = |one: &str, other: &str| {
            let ends = |link: &&Link| {
                let [a, b] = &link.between;
                (a == one && b == other) || (a == other && b == one)
            };
            links().find(ends)
        };
        let to = if other == like { self.hosts[0] } else { other };
        let mut link = between(like, to)?.clone();
        link.between = [other.to_owned(), host.to_owned()];
        let path = format!("links.{host}_{other}");
        Some(vec![Edit::set(path, json(&link)?)])
    }

    /// Its zone is as far from those of the others as the farthest two of these.
    fn distances(&self, zone: Option<&str>, others: &[&str]) -> Vec<Edit> {
        let zones = self.scenario.zones.as_ref();
        let farthest = zones.and_then(|zones| zones.round_trip.values().max());
        let (Some(zone), Some(farthest)) = (zone, farthest) else {
            return Vec::new();
        };
        let hosts = &self.scenario.hosts;
        let others = others.iter().filter_map(|host| hosts.get(*host));
        let others: BTreeSet<_> = others.filter_map(|host| host.zone.as_ref()).collect();
        let to = |other: &String| Edit::set(format!("zones.round_trip.{zone}/{other}"), farthest);
        others.into_iter().map(to).collect()
    }
}

/// A device like another, on a host; none of a mirror over two.
fn moved(device: &Device, host: &str) -> Option<Device> {
    let mut device = device.clone();
    let own = match &mut device {
        Device::Volume(volume) => &mut volume.host,
        Device::Stripe(stripe) => &mut stripe.host,
        Device::Linear(linear) => &mut linear.host,
        Device::Mirror(_) => return None,
    };
    *own = Some(host.to_owned());
    Some(device)
}

/// A value as an override has it: YAML takes JSON.
fn json(value: &impl Serialize) -> Option<String> {
    serde_json::to_string(value).ok()
}
