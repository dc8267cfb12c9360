//! Clusters whose active node is lost or switched.

use blockyard_model::cluster::{self, Outage, Refused};
use blockyard_model::fault::{Does, Drawn, Fault, Planned, Terms};
use blockyard_model::units::Nanos;
use blockyard_text::hint;

use super::{EventKind, OutageStep, ResolvedEvent, ResolvedOutage, Resolver};
use crate::resolve::Invalid;
use crate::resolve::storage::Cluster;
use crate::schema;
use crate::units::Duration;

/// A switch that is to be, with the path of its event.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    cluster: usize,
    at: Nanos,
    /// The node, by its place in the cluster.
    to: usize,
    path: String,
}

impl Resolver<'_, '_> {
    pub(super) fn switch(&mut self, path: &str, it: &schema::Switch) -> Result<(), Invalid> {
        let clusters = &self.builder.clusters;
        let Some(cluster) = clusters.iter().position(|one| one.name == it.switch) else {
            let hint = hint(&it.switch, clusters.iter().map(|one| one.name.as_str()));
            let message = format!("no cluster is called `{}`{hint}", it.switch);
            return Err(Invalid::new(format!("{path}.switch"), message));
        };
        let nodes = self.nodes(&clusters[cluster]);
        let Some(to) = nodes.iter().position(|node| *node == it.to) else {
            let hint = hint(&it.to, nodes.iter().map(String::as_str));
            let message = format!("no node of `{}` is called `{}`{hint}", it.switch, it.to);
            return Err(Invalid::new(format!("{path}.to"), message));
        };
        self.switches.push(Switch {
            cluster,
            at: it.at.nanos(),
            to,
            path: path.to_owned(),
        });
        Ok(())
    }

    /// What the losses of hosts and the switches, all of which are known by now, come to.
    pub(super) fn hand_over(&mut self) -> Result<(), Invalid> {
        for (number, cluster) in self.builder.clusters.clone().iter().enumerate() {
            let own = self.switches.iter().filter(|it| it.cluster == number);
            let own: Vec<_> = own.cloned().collect();
            let nodes = cluster.nodes.iter();
            let of_model = cluster::Cluster {
                times: cluster.times,
                lost: nodes.map(|&host| self.times_lost(host)).collect(),
                switches: own.iter().map(|it| (it.at, it.to)).collect(),
            };
            let outages = of_model
                .outages()
                .map_err(|(number, why)| self.refused(cluster, &own[number], why))?;
            for outage in &outages {
                self.outage(cluster, outage);
            }
        }
        self.events.list.sort_by_key(|event| event.at);
        Ok(())
    }

    fn nodes(&self, cluster: &Cluster) -> Vec<String> {
        let names = self.scenario.hosts.keys();
        let names: Vec<_> = names.collect();
        cluster
            .nodes
            .iter()
            .map(|&host| names[host].clone())
            .collect()
    }

    fn times_lost(&self, host: usize) -> Vec<(Nanos, Option<Nanos>)> {
        let own = self.lost.iter().filter(|(of, _)| *of == host);
        own.map(|(_, spell)| (spell.from, spell.until)).collect()
    }

    fn refused(&self, cluster: &Cluster, switch: &Switch, why: Refused) -> Invalid {
        let (to, at) = (&self.nodes(cluster)[switch.to], Duration::new(switch.at));
        let name = &cluster.name;
        let (key, message) = match why {
            Refused::Active => (
                "to",
                format!("`{to}` is the active node of `{name}` at {at}"),
            ),
            Refused::Lost => ("to", format!("`{to}` has failed, and is not back at {at}")),
            Refused::HandedOver(Some(until)) => {
                let until = Duration::new(until);
                (
                    "at",
                    format!("`{name}` is being handed over at {at}, until {until}"),
                )
            }
            Refused::HandedOver(None) => (
                "at",
                format!("`{name}` has no node at {at}, and none comes back"),
            ),
        };
        Invalid::new(format!("{}.{key}", switch.path), message)
    }

    /// Plans an outage and tells of it.
    fn outage(&mut self, cluster: &Cluster, outage: &Outage) {
        let (from, until) = (outage.at, outage.until());
        let mut devices = Vec::new();
        let mut volumes = Vec::new();
        for (index, device) in self.devices.iter().enumerate() {
            if cluster.disks.contains(&device.name) {
                devices.push(index);
                device.layout.volumes(&mut |volume| volumes.push(volume));
            }
        }
        let schedule = &mut self.events.schedule;
        let first = schedule.faults.len();
        for (from, does) in [(from, Does::Hold), (outage.cut, Does::Detach)] {
            let fault = Fault {
                number: self.events.list.len() as u64,
                volumes: volumes.clone(),
                links: Vec::new(),
                hosts: Vec::new(),
                from,
                until,
                does,
            };
            let drawn = Drawn::default();
            schedule.faults.push(Planned { fault, drawn });
        }
        let faults = (first..schedule.faults.len()).collect();
        let to = outage.to.map(|node| cluster.nodes[node]);
        if let (Some(host), Some(at)) = (to, until) {
            let attached = volumes.iter().map(|&volume| Terms {
                at,
                volume,
                limits: Vec::new(),
                latency: None,
                host: Some(host),
                reconnects: false,
            });
            schedule.terms.extend(attached);
        }
        let kind = match outage.switched {
            true => EventKind::Switch,
            false => EventKind::Failover,
        };
        let outage = self.told(cluster, outage);
        self.tell(ResolvedEvent {
            faults,
            outage: Some(outage),
            ..ResolvedEvent::new(kind, &cluster.name, from, until, devices)
        });
    }

    fn told(&self, cluster: &Cluster, outage: &Outage) -> ResolvedOutage {
        let nodes = self.nodes(cluster);
        let mut at = outage.at;
        let steps = outage.steps.iter().map(|&(step, length)| {
            let begins = at;
            at = at.saturating_add(length.unwrap_or(0));
            OutageStep {
                step: step.into(),
                at: begins,
                length,
                assumed: cluster.assumed.contains(&step),
            }
        });
        ResolvedOutage {
            steps: steps.collect(),
            from: nodes[outage.from].clone(),
            to: outage.to.map(|node| nodes[node].clone()),
        }
    }
}
