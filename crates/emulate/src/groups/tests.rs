use blockyard_model::spec::HostSpec;
use blockyard_model::units::KIB;
use proptest::prelude::*;

use super::*;
use crate::testing;

/// A device that is a volume, a stripe of some or a row of some.
fn layouts(volumes: usize) -> impl Strategy<Value = Layout> {
    let chosen = prop::collection::vec(0..volumes, 1..4);
    (chosen, 0..3).prop_map(|(chosen, kind)| {
        let parts = chosen.iter().map(|&volume| Layout::Volume(volume));
        match kind {
            0 => Layout::Volume(chosen[0]),
            1 => Layout::Stripe {
                chunk: 64 * KIB,
                parts: parts.collect(),
            },
            _ => Layout::Linear {
                parts: parts.map(|part| (part, 64 * KIB)).collect(),
            },
        }
    })
}

fn storages() -> impl Strategy<Value = StorageSpec> {
    let volumes = prop::collection::vec((any::<bool>(), 0..3_usize), 1..9);
    let sized = volumes.prop_flat_map(|volumes| {
        let devices = prop::collection::vec(layouts(volumes.len()), 1..7);
        (Just(volumes), devices, any::<[bool; 3]>())
    });
    sized.prop_map(|(volumes, layouts, limited)| {
        let mut spec = testing::one("", 1 << 20, 0);
        let model = spec.volumes[0].clone();
        let limit = testing::iops(1000, 1);
        let host = |limited: bool| HostSpec {
            limits: limited.then(|| limit.clone()).into_iter().collect(),
            ..HostSpec::unnamed()
        };
        spec.hosts = limited.map(host).to_vec();
        let volume = |(index, (behind_host, host))| blockyard_model::spec::VolumeSpec {
            name: format!("volume{index}"),
            limits: vec![limit.clone(); index % 3],
            host,
            behind_host,
            ..model.clone()
        };
        spec.volumes = volumes.into_iter().enumerate().map(volume).collect();
        let device = |(index, layout)| DeviceSpec {
            name: format!("device{index}"),
            size: 64 * KIB,
            layout,
        };
        spec.devices = layouts.into_iter().enumerate().map(device).collect();
        spec
    })
}

/// Whether two devices share a volume or a host's limits: no chain of others.
fn touch(spec: &StorageSpec, a: usize, b: usize) -> bool {
    let of = |device: usize| volumes_of(&spec.devices[device].layout);
    let behind = |device: usize, host: usize| {
        let volumes = of(device).into_iter().map(|it| &spec.volumes[it]);
        volumes
            .into_iter()
            .any(|it| it.behind_host && it.host == host)
    };
    let common = of(a).iter().any(|volume| of(b).contains(volume));
    let limited = |host: &usize| !spec.hosts[*host].limits.is_empty();
    let mut limited = (0..spec.hosts.len()).filter(limited);
    common || limited.any(|host| behind(a, host) && behind(b, host))
}

proptest! {
    #[test]
    fn devices_are_together_if_a_chain_of_shared_stages_connects_them(spec in storages()) {
        let devices = spec.devices.len();
        let mut chain: Vec<Vec<bool>> = (0..devices)
            .map(|a| (0..devices).map(|b| touch(&spec, a, b)).collect())
            .collect();
        for by in 0..devices {
            for a in 0..devices {
                for b in 0..devices {
                    chain[a][b] |= chain[a][by] && chain[by][b];
                }
            }
        }
        let groups = groups(&spec);
        let together = |a, b| {
            let mut both = groups.iter();
            both.any(|it| it.devices.contains(&a) && it.devices.contains(&b))
        };
        for (a, row) in chain.iter().enumerate() {
            for (b, &connected) in row.iter().enumerate() {
                prop_assert_eq!(together(a, b), connected, "devices {} and {}", a, b);
            }
        }
    }

    /// Every device, volume and limit is in one group, and means there what it means here.
    #[test]
    fn groups_are_the_whole(spec in storages()) {
        let all = Limits::new(&spec);
        let (mut devices, mut volumes, mut limits) = (Vec::new(), Vec::new(), Vec::new());
        let mut counted = Vec::new();
        for group in groups(&spec) {
            for (own, &device) in group.storage.devices.iter().zip(&group.devices) {
                prop_assert_eq!(&own.name, &spec.devices[device].name);
                let there = volumes_of(&own.layout).into_iter().map(|it| group.volumes[it]);
                prop_assert_eq!(there.collect::<Vec<_>>(), volumes_of(&spec.devices[device].layout));
            }
            for (own, &volume) in group.storage.volumes.iter().zip(&group.volumes) {
                prop_assert_eq!(own, &spec.volumes[volume]);
            }
            let own = Limits::new(&group.storage);
            prop_assert_eq!(own.len(), group.limits.len());
            for ((_, info), &limit) in own.iter().zip(&group.limits) {
                let owner = match info.owner {
                    Owner::Host(host) => Owner::Host(host),
                    Owner::Volume(volume) => Owner::Volume(group.volumes[volume]),
                };
                prop_assert_eq!(owner, all[limit].owner);
                prop_assert_eq!(&info.name, &all[limit].name);
            }
            devices.extend(group.devices);
            volumes.extend(group.volumes);
            limits.extend(group.limits);
            counted.extend(group.hosts);
        }
        devices.sort_unstable();
        volumes.sort_unstable();
        limits.sort_unstable();
        limits.dedup();
        prop_assert_eq!(devices, (0..spec.devices.len()).collect::<Vec<_>>());
        prop_assert_eq!(volumes, (0..spec.volumes.len()).collect::<Vec<_>>());
        prop_assert_eq!(limits.len(), all.len());
        counted.sort_unstable();
        counted.dedup();
        prop_assert_eq!(counted, [0, 1, 2], "each host is counted somewhere");
    }
}
