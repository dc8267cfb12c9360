//! Whose the limits of a run are: the hosts and volumes that its results name.

use std::collections::HashMap;

use blockyard_model::spec::{Layout, StorageSpec};
use blockyard_model::spec::{LegSpec, MirrorSpec};
use blockyard_record::limit_names::{self, device_of, leg_of};

use crate::limits::id::Owner;

/// The owners of a storage's limits. Every name of a limit is read with them, so that the legs of
/// a mirror are one everywhere or told apart everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Owners {
    hosts: Vec<String>,
    /// By volume, the legs that are told apart.
    legs: HashMap<String, Owner>,
}

impl Owners {
    /// Those of `storage`: the legs of a mirror are told apart where their limits differ.
    pub(crate) fn of(storage: &StorageSpec) -> Self {
        let mut legs = HashMap::new();
        for device in &storage.devices {
            let Layout::Mirror(mirror) = &device.layout else {
                continue;
            };
            if alike(mirror, storage) {
                continue;
            }
            for volume in mirror.legs.iter().flat_map(volumes) {
                let volume = &storage.volumes[volume].name;
                if let Some(leg) = leg_of(volume) {
                    let (device, leg) = (device.name.clone(), leg.to_owned());
                    legs.insert(volume.clone(), Owner::Leg { device, leg });
                }
            }
        }
        Self {
            hosts: storage.hosts.iter().map(|host| host.name.clone()).collect(),
            legs,
        }
    }

    /// Those of a storage with these hosts, and with no legs to tell apart.
    #[cfg(test)]
    pub(crate) fn with_hosts(hosts: &[&str]) -> Self {
        Self {
            hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
            legs: HashMap::new(),
        }
    }

    /// Whose limits those of the host or the volume `name` are.
    pub(crate) fn named(&self, name: &str) -> Owner {
        self.read(limit_names::Owner::named(name, &self.hosts))
    }

    /// Whose the limit `name` is that stands beside `volume`, and what it is called there.
    pub(crate) fn beside_volume<'a>(&self, volume: &'a str, name: &'a str) -> (Owner, &'a str) {
        let (owner, limit) = limit_names::Owner::beside_volume(volume, name);
        (self.read(owner), limit)
    }

    fn read(&self, owner: limit_names::Owner<'_>) -> Owner {
        match owner {
            limit_names::Owner::Host(name) => Owner::Host(name.to_owned()),
            limit_names::Owner::Volume(name) => (self.legs.get(name).cloned())
                .unwrap_or_else(|| Owner::Device(device_of(name).to_owned())),
        }
    }
}

/// The volumes of a leg, by their places in the storage.
pub(crate) fn volumes(leg: &LegSpec) -> Vec<usize> {
    let mut found = Vec::new();
    leg.layout.volumes(&mut |volume| found.push(volume));
    found
}

/// Whether both legs have the same limits, volume by volume.
fn alike(mirror: &MirrorSpec, storage: &StorageSpec) -> bool {
    let of = |leg| {
        let each = volumes(leg).into_iter().map(|place| {
            let volume = &storage.volumes[place];
            (&volume.limits, volume.io_unit, volume.whole_units)
        });
        each.collect::<Vec<_>>()
    };
    of(&mirror.legs[0]) == of(&mirror.legs[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::scenario;

    fn mirror(near: &str, far: &str) -> Owners {
        let text = format!(
            "storage:
  data: {{mirror: {{legs: {{near: {near}, far: {far}}}}}}}
"
        );
        Owners::of(&scenario(&text).storage)
    }

    #[test]
    fn legs_are_told_apart_where_their_limits_differ() {
        let gp3 = "{type: gp3, size: 100GiB}";
        let more = "{type: gp3, size: 100GiB, iops: 6000}";
        let striped = "{stripe: {width: 2, chunk: 64KiB}, of: {type: gp3, size: 50GiB}}";
        let device = Owner::Device("data".to_owned());
        let leg = |leg: &str| Owner::Leg {
            device: "data".to_owned(),
            leg: leg.to_owned(),
        };
        assert_eq!(mirror(gp3, gp3).named("data.far"), device);
        assert_eq!(mirror(striped, striped).named("data.far.1"), device);
        let unlike = mirror(gp3, more);
        assert_eq!(unlike.named("data.near"), leg("near"));
        assert_eq!(unlike.beside_volume("data.far", "iops").0, leg("far"));
        assert_eq!(mirror(striped, gp3).named("data.near.1"), leg("near"));
        // Of other devices nothing is known, and hosts are as ever.
        assert_eq!(unlike.named("log"), Owner::Device("log".to_owned()));
        assert_eq!(unlike.named("host"), Owner::Host("host".to_owned()));
    }
}
