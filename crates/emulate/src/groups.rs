//! Which devices share stages of the storage, and so have to be served by one engine.
//!
//! Devices that share none neither wait for each other's limits nor for each other's lock.

use blockyard_model::spec::{DeviceSpec, Layout, StorageSpec, VolumeSpec};
use blockyard_model::storage::{LimitId, Limits, Owner};

/// Devices and volumes that share stages with each other and with no others.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// These devices and volumes alone, with all hosts and their limits.
    pub(crate) storage: StorageSpec,
    /// The number of each of its devices among all.
    pub(crate) devices: Vec<usize>,
    /// The number of each of its volumes among all.
    pub(crate) volumes: Vec<usize>,
    /// What each of its limits is called among all.
    pub(crate) limits: Vec<LimitId>,
    /// The hosts for which it counts what passes them.
    pub(crate) hosts: Vec<usize>,
}

impl Group {
    /// Its own names of the volumes among `all` that are its own.
    pub(crate) fn own_volumes<'a>(&'a self, all: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        let own = |volume: &usize| self.volumes.iter().position(|own| own == volume);
        all.iter().filter_map(own)
    }

    /// Its own name of a limit, if it has it.
    pub(crate) fn own_limit(&self, limit: LimitId) -> Option<LimitId> {
        let place = self.limits.iter().position(|&own| own == limit)?;
        let own = Limits::new(&self.storage);
        own.iter().map(|(own, _)| own).nth(place)
    }
}

/// The groups of `storage`, in the order of their first volumes.
pub(crate) fn groups(storage: &StorageSpec) -> Vec<Group> {
    let owners = Owners::of(storage);
    let mut firsts = owners.0.clone();
    firsts.sort_unstable();
    firsts.dedup();
    let limits = Limits::new(storage);
    let mut groups: Vec<_> = firsts
        .iter()
        .map(|&first| owners.group(storage, &limits, first))
        .collect();
    // A host's account belongs to somebody, even if nothing is behind it.
    for host in 0..storage.hosts.len() {
        if !groups.iter().any(|group| group.hosts.contains(&host))
            && let Some(first) = groups.first_mut()
        {
            first.hosts.push(host);
        }
    }
    groups
}

/// By volume: the first volume of its group.
struct Owners(Vec<usize>);

impl Owners {
    fn of(storage: &StorageSpec) -> Self {
        let mut owners = Self((0..storage.volumes.len()).collect());
        for device in &storage.devices {
            owners.join(&volumes_of(&device.layout));
        }
        let hosts = storage.hosts.iter().enumerate();
        for (host, _) in hosts.filter(|(_, host)| !host.limits.is_empty()) {
            let volumes = storage.volumes.iter().enumerate();
            let behind = volumes.filter(|(_, it)| {
                it.behind_host && (it.host == host || it.standby.contains(&host))
            });
            owners.join(&behind.map(|(index, _)| index).collect::<Vec<_>>());
        }
        // What goes over links waits for the processors of the same hosts.
        let layouts = storage.devices.iter().map(|device| &device.layout);
        let remote: Vec<_> = layouts
            .filter(|it| has_link(it))
            .flat_map(volumes_of)
            .collect();
        owners.join(&remote);
        owners
    }

    /// Puts the groups of these volumes together.
    fn join(&mut self, volumes: &[usize]) {
        let joined: Vec<_> = volumes.iter().map(|&volume| self.0[volume]).collect();
        let Some(&first) = joined.iter().min() else {
            return;
        };
        let members = self.0.iter_mut().filter(|owner| joined.contains(owner));
        members.for_each(|owner| *owner = first);
    }

    fn group(&self, storage: &StorageSpec, limits: &Limits, first: usize) -> Group {
        let volumes: Vec<_> = (0..self.0.len())
            .filter(|&volume| self.0[volume] == first)
            .collect();
        let own = |device: &DeviceSpec| {
            volumes_of(&device.layout)
                .first()
                .is_some_and(|volume| volumes.contains(volume))
        };
        let devices: Vec<_> = (0..storage.devices.len())
            .filter(|&device| own(&storage.devices[device]))
            .collect();
        let local = |device: &usize| {
            let device = &storage.devices[*device];
            DeviceSpec {
                layout: renumbered(&device.layout, &volumes),
                ..device.clone()
            }
        };
        let volume = |&volume: &usize| storage.volumes[volume].clone();
        let of_volumes = volumes.iter().map(|&volume| Owner::Volume(volume));
        let owners = (0..storage.hosts.len()).map(Owner::Host).chain(of_volumes);
        let specs: Vec<_> = volumes.iter().map(volume).collect();
        let passed = |host: &usize| {
            let reaches = |it: &VolumeSpec| it.host == *host || it.standby.contains(host);
            specs.iter().any(|it| it.behind_host && reaches(it))
        };
        Group {
            hosts: (0..storage.hosts.len()).filter(passed).collect(),
            storage: StorageSpec {
                volumes: specs,
                devices: devices.iter().map(local).collect(),
                ..storage.clone()
            },
            devices,
            limits: owners.flat_map(|owner| limits.of(owner)).collect(),
            volumes,
        }
    }
}

fn has_link(layout: &Layout) -> bool {
    match layout {
        Layout::Mirror(mirror) => mirror.legs.iter().any(|leg| leg.link.is_some()),
        _ => false,
    }
}

fn volumes_of(layout: &Layout) -> Vec<usize> {
    let mut volumes = Vec::new();
    layout.volumes(&mut |volume| volumes.push(volume));
    volumes
}

/// The layout with each volume's number among `volumes`.
fn renumbered(layout: &Layout, volumes: &[usize]) -> Layout {
    match layout {
        Layout::Volume(volume) => Layout::Volume(volumes.partition_point(|own| own < volume)),
        Layout::Stripe { chunk, parts } => Layout::Stripe {
            chunk: *chunk,
            parts: parts.iter().map(|part| renumbered(part, volumes)).collect(),
        },
        Layout::Linear { parts } => Layout::Linear {
            parts: parts
                .iter()
                .map(|(part, size)| (renumbered(part, volumes), *size))
                .collect(),
        },
        Layout::Mirror(mirror) => {
            let mut mirror = mirror.clone();
            for leg in &mut mirror.legs {
                leg.layout = renumbered(&leg.layout, volumes);
            }
            Layout::Mirror(mirror)
        }
    }
}

#[cfg(test)]
mod tests;
