//! What has the same data: the legs of a mirror, and the devices of a database's nodes. After a
//! failure each may have to do what another did.

use std::collections::{BTreeMap, BTreeSet};

use blockyard_model::spec::{DeviceSpec, Layout};
use blockyard_record::limit_names::{device_of, leg_of};
use blockyard_scenario::Resolved;

/// The legs, and the devices that have none, with the data of each device.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies(BTreeMap<String, BTreeSet<Copy>>);

/// A device, or a leg of a mirror.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Copy {
    device: String,
    leg: Option<String>,
}

impl Copies {
    pub(super) fn of(resolved: &Resolved) -> Self {
        let devices = &resolved.storage.devices;
        let own = devices.iter().map(|device| copies(device, resolved));
        let own: Vec<BTreeSet<Copy>> = own.collect();
        let mut all = own.clone();
        for nodes in resolved.jobs.iter().flat_map(|job| job.on_nodes()) {
            let alike: BTreeSet<usize> = nodes.iter().map(|file| file.device).collect();
            for (&one, &other) in alike
                .iter()
                .flat_map(|one| alike.iter().map(move |it| (one, it)))
            {
                all[one].extend(own[other].iter().cloned());
            }
        }
        let names = devices.iter().map(|device| device.name.clone());
        Self(names.zip(all).collect())
    }

    /// Those with the data of a device, itself among them.
    pub(super) fn with_data_of(&self, device: &str) -> impl Iterator<Item = &Copy> {
        self.0.get(device).into_iter().flatten()
    }
}

/// A device, or its legs.
fn copies(device: &DeviceSpec, resolved: &Resolved) -> BTreeSet<Copy> {
    let is_mirror = matches!(device.layout, Layout::Mirror(_));
    let volumes = resolved.storage.volumes.iter();
    let own = volumes.filter(|volume| device_of(&volume.name) == device.name);
    let copy = own.map(|volume| Copy {
        device: device.name.clone(),
        leg: leg_of(&volume.name)
            .filter(|_| is_mirror)
            .map(str::to_owned),
    });
    copy.collect()
}

impl Copy {
    /// Whether a volume belongs to it.
    pub(super) fn has(&self, volume: &str) -> bool {
        let leg = self.leg.as_deref();
        device_of(volume) == self.device && (leg.is_none() || leg_of(volume) == leg)
    }
}
