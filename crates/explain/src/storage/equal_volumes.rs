//! The equal volumes of a stripe, which are one to whoever buys them.

use blockyard_model::spec::{Layout, StorageSpec};

/// The volumes of all devices, those of a stripe that have the same limits together.
#[derive(Debug)]
pub(crate) struct EqualVolumes {
    groups: Vec<Vec<String>>,
}

impl EqualVolumes {
    pub(crate) fn of(storage: &StorageSpec) -> Self {
        let layouts = storage.devices.iter().map(|device| &device.layout);
        let groups = layouts.flat_map(|layout| groups(layout, storage));
        let name = |volume: usize| storage.volumes[volume].name.clone();
        let named = groups.map(|group| group.into_iter().map(name).collect());
        Self {
            groups: named.collect(),
        }
    }

    /// The group of a volume; it alone if the storage has no such volume.
    pub(crate) fn group(&self, volume: &str) -> Vec<String> {
        let own = |group: &&Vec<String>| group.iter().any(|name| name == volume);
        let found = self.groups.iter().find(own);
        found.cloned().unwrap_or_else(|| vec![volume.to_owned()])
    }

    /// All volumes of the groups that `volumes` are of, in order: which of the equal volumes
    /// of a stripe an IO waited for is up to chance.
    pub(crate) fn with(&self, volumes: &[String]) -> Vec<String> {
        let mut all: Vec<_> = volumes.iter().flat_map(|name| self.group(name)).collect();
        all.sort();
        all.dedup();
        all
    }
}

fn groups(layout: &Layout, storage: &StorageSpec) -> Vec<Vec<usize>> {
    match layout {
        Layout::Volume(volume) => vec![vec![*volume]],
        Layout::Linear { parts } => {
            let parts = parts.iter();
            parts.flat_map(|(part, _)| groups(part, storage)).collect()
        }
        Layout::Stripe { parts, .. } => {
            let all = parts.iter().flat_map(|part| groups(part, storage));
            let limits = |group: &[usize]| &storage.volumes[group[0]].limits;
            all.fold(Vec::new(), |mut found: Vec<Vec<usize>>, group| {
                match found.iter_mut().find(|own| limits(own) == limits(&group)) {
                    Some(own) => own.extend(group),
                    None => found.push(group),
                }
                found
            })
        }
        Layout::Mirror(mirror) => {
            let legs = mirror.legs.iter();
            legs.flat_map(|leg| groups(&leg.layout, storage)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::scenario;

    #[test]
    fn equal_volumes_of_a_stripe_are_one() {
        let resolved = scenario(
            "storage:
  data:
    linear:
    - {stripe: {width: 2, chunk: 64KiB}, of: {type: gp3, size: 10GiB}}
    - {type: gp3, size: 10GiB}
  log: {type: gp3, size: 10GiB}
",
        );
        let equal_volumes = EqualVolumes::of(&resolved.storage);
        let with = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
            equal_volumes.with(&names).join(" ")
        };
        assert_eq!(with(&["data.0.1"]), "data.0.0 data.0.1");
        assert_eq!(with(&["data.1"]), "data.1");
        assert_eq!(with(&["log", "data.0.0"]), "data.0.0 data.0.1 log");
        assert_eq!(with(&["gone"]), "gone");
    }
}
