//! The layout of what the resolver says of a scenario.

use blockyard_catalog::{Catalog, Instance};
use blockyard_scenario::schema::Scenario;
use blockyard_scenario::{Loaded, Resolved};

use super::storage::{seconds, sustained};
use super::{Cluster, Device, Host, Layout, Modifications, files, storage};

/// How large the IO is by which a host's IOPS are counted as throughput: the unit of EBS's SSDs.
const LARGE_IO: u64 = 256 << 10;

/// The layout of a scenario at its start.
pub(super) fn layout(loaded: &Loaded, resolved: &Resolved) -> Layout {
    let scenario = &loaded.scenario;
    let mut volumes = Vec::new();
    let devices = scenario.storage.iter().zip(&resolved.storage.devices);
    let devices = devices.map(|((name, device), spec)| Device {
        name: name.clone(),
        size: spec.size,
        layout: storage::tree(device, name, resolved, &mut volumes),
    });
    let clusters = scenario.clusters.iter().map(|(name, cluster)| Cluster {
        name: name.clone(),
        nodes: cluster.nodes.clone(),
        disks: cluster.disks.clone(),
        multi_attach: cluster.multi_attach,
    });
    let jobs = scenario.workload.iter();
    Layout {
        name: scenario.name.clone(),
        hosts: hosts(scenario, resolved),
        devices: devices.collect(),
        volumes,
        clusters: clusters.collect(),
        files: jobs
            .flat_map(|(name, job)| files::files(name, job))
            .collect(),
        events: scenario.events.len(),
        modifications: modifications(scenario),
    }
}

fn modifications(scenario: &Scenario) -> Modifications {
    let catalog = Catalog::get().ok();
    let rule = catalog.and_then(|catalog| catalog.modification_rule(scenario.as_of));
    let counted = rule.and_then(|rule| rule.most_within());
    Modifications {
        apart_s: rule.and_then(|rule| rule.apart()).map(seconds),
        most: counted.map(|(most, _)| most.get()),
        within_s: counted.map(|(_, within)| seconds(within)),
    }
}

fn hosts(scenario: &Scenario, resolved: &Resolved) -> Vec<Host> {
    let written = scenario.hosts.values().chain(&scenario.host);
    let mut instances = written.map(|host| host.instance.as_str());
    let hosts = resolved.storage.hosts.iter().zip(&resolved.zones.of_hosts);
    let named = hosts.map(|(host, zone)| {
        let instance = instances.next();
        Host {
            name: host.name.clone(),
            instance: instance.map(str::to_owned),
            zone: zone.map(|zone| resolved.zones.names[zone].clone()),
            attachments: instance.and_then(attachments),
            architecture: instance.and_then(|it| Some(known(it)?.architecture().to_owned())),
            platform: instance.and_then(|it| Some(known(it)?.platform().to_owned())),
            sustained: sustained(&host.limits, LARGE_IO),
        }
    });
    named.collect()
}

/// How many volumes an instance takes beside its root volume.
fn attachments(instance: &str) -> Option<u64> {
    Some(known(instance)?.attachments().saturating_sub(1))
}

fn known(instance: &str) -> Option<&'static Instance> {
    Catalog::get().ok()?.instance(instance).ok()
}
