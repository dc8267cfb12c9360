//! What has the same data: the legs of a mirror, and the devices of a database's nodes. After a
//! failure either leg may have to do what the other did, and each node what the first does. That
//! one does not have to do what brings a node up to date that was away.

use std::collections::{BTreeMap, BTreeSet};

use blockyard_model::spec::{DeviceSpec, Layout};
use blockyard_record::limit_names::{device_of, leg_of};
use blockyard_scenario::Resolved;

/// By device the legs, and the devices that have none, whose part it may have to take: its own,
/// and those of the first node.
#[derive(Clone, Debug, Default)]
pub(super) struct Replicas(BTreeMap<String, BTreeSet<Replica>>);

/// A device, or a leg of a mirror.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Replica {
    device: String,
    leg: Option<String>,
}

impl Replicas {
    pub(super) fn of(resolved: &Resolved) -> Self {
        let devices = &resolved.storage.devices;
        let own = devices.iter().map(|device| replicas(device, resolved));
        let own: Vec<BTreeSet<Replica>> = own.collect();
        let mut all = own.clone();
        for nodes in resolved.jobs.iter().flat_map(|job| job.on_nodes()) {
            let Some((first, others)) = nodes.split_first() else {
                continue;
            };
            for other in others {
                all[other.device].extend(own[first.device].iter().cloned());
            }
        }
        let names = devices.iter().map(|device| device.name.clone());
        Self(names.zip(all).collect())
    }

    /// Those whose part a device may have to take, itself among them.
    pub(super) fn parts_of(&self, device: &str) -> impl Iterator<Item = &Replica> {
        self.0.get(device).into_iter().flatten()
    }
}

/// A device, or its legs.
fn replicas(device: &DeviceSpec, resolved: &Resolved) -> BTreeSet<Replica> {
    let is_mirror = matches!(device.layout, Layout::Mirror(_));
    let volumes = resolved.storage.volumes.iter();
    let own = volumes.filter(|volume| device_of(&volume.name) == device.name);
    let replica = own.map(|volume| Replica {
        device: device.name.clone(),
        leg: leg_of(&volume.name)
            .filter(|_| is_mirror)
            .map(str::to_owned),
    });
    replica.collect()
}

impl Replica {
    /// Whether a volume belongs to it.
    pub(super) fn has(&self, volume: &str) -> bool {
        let leg = self.leg.as_deref();
        device_of(volume) == self.device && (leg.is_none() || leg_of(volume) == leg)
    }
}
