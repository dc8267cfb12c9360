//! The devices of a run, and what lies over them.

use blockyard_model::mirror::{Acknowledge, LegSpec, MirrorSpec, ReadPolicy};
use blockyard_model::spec::{DeviceSpec, Layout, StorageSpec, VolumeSpec};
use blockyard_record::limit_names::device_of;
use blockyard_record::result::RunResult;
use serde::Serialize;

use crate::id::{LimitId, Owner};
use crate::in_force::InForce;
use crate::limits::{Limit, RateUnit};

/// A device of a run's scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// The names of its volumes.
    pub volumes: Vec<String>,
    /// The name of the host that its volumes are attached to.
    pub host: String,
    /// Whether all its IO passes the host's limits; that of an instance's own disks does
    /// not.
    pub behind_host: bool,
    /// The mean size in bytes of the IOs that its limits counted; none if it had none.
    pub io_bytes: Option<f64>,
    /// The limits in force over it: of its volumes together, then the host's.
    pub in_force: Vec<InForce>,
    /// How it mirrors; none of what is no mirror over a link.
    pub mirror: Option<Mirroring>,
    /// Where each counted IO takes the bytes of a whole unit of its volumes' throughput, as on
    /// st1: that unit.
    #[serde(skip)]
    pub(crate) whole_unit: Option<u64>,
    /// How many IOs count against the limits of its volumes together for one that is asked of
    /// it, where the fullest decides: of a mirror one for each leg, if all IO passes a leg.
    #[serde(skip)]
    pub(crate) counted_for_one: f64,
}

/// How a mirror over a link works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Mirroring {
    /// When a write is acknowledged: A, B or C.
    pub acknowledge: &'static str,
    /// Whether both legs serve reads, in turn.
    pub reads_both: bool,
}

impl Mirroring {
    fn of(layout: &Layout) -> Option<Self> {
        let Layout::Mirror(mirror) = layout else {
            return None;
        };
        let is_far = mirror.legs.iter().any(|leg| leg.link.is_some());
        is_far.then_some(Self {
            acknowledge: match mirror.acknowledge {
                Acknowledge::A => "A",
                Acknowledge::B => "B",
                Acknowledge::C => "C",
            },
            reads_both: mirror.read == ReadPolicy::RoundRobin,
        })
    }
}

impl Device {
    /// The devices of `storage`, without the limits over them.
    pub(crate) fn all(storage: &StorageSpec, result: &RunResult) -> Vec<Self> {
        let device = |spec: &DeviceSpec| {
            let name = spec.name.as_str();
            let own = |volume: &&VolumeSpec| device_of(&volume.name) == name;
            let volumes: Vec<_> = storage.volumes.iter().filter(own).collect();
            Self {
                name: name.to_owned(),
                host: (volumes.first())
                    .map(|volume| storage.hosts[volume.host].name.clone())
                    .unwrap_or_default(),
                behind_host: volumes.iter().all(|volume| volume.behind_host),
                io_bytes: io_bytes(name, result),
                volumes: volumes.iter().map(|volume| volume.name.clone()).collect(),
                in_force: Vec::new(),
                mirror: Mirroring::of(&spec.layout),
                whole_unit: whole_unit(&volumes),
                counted_for_one: match &spec.layout {
                    Layout::Mirror(mirror) => counted_for_one(mirror, name, result),
                    _ => 1.0,
                },
            }
        };
        storage.devices.iter().map(device).collect()
    }

    /// What its IO takes of a limit: of one of bytes as many as its volumes count.
    pub(crate) fn takes(&self, limit: &LimitId, ios: u64, bytes: u64) -> u64 {
        match self.whole_unit {
            Some(unit) if !limit.is_host() => limit.counted(ios, ios * unit),
            _ => limit.counted(ios, bytes),
        }
    }

    /// How many IOs of its mean size a limit lets through in a second; none if it had no IO.
    pub(crate) fn ios_of(&self, limit: &Limit) -> Option<f64> {
        let size = self.io_bytes?;
        let counted = match (limit.unit, self.whole_unit) {
            (RateUnit::Iops, _) => limit.value,
            (unit, Some(whole)) if !limit.limit.is_host() => {
                limit.value * unit.per_s() / whole as f64
            }
            (unit, _) => limit.value * unit.per_s() / size,
        };
        Some(counted / self.counted_for_one)
    }

    /// Whether its IO passes a limit.
    pub(crate) fn passes(&self, limit: &LimitId) -> bool {
        match &limit.owner {
            Owner::Host(name) => self.behind_host && *name == self.host,
            Owner::Device(name) => *name == self.name,
        }
    }
}

/// The names of a storage's hosts, as results have them.
pub(crate) fn host_names(storage: &StorageSpec) -> Vec<String> {
    storage.hosts.iter().map(|host| host.name.clone()).collect()
}

/// The unit of volumes all of which count throughput in whole ones.
fn whole_unit(volumes: &[&VolumeSpec]) -> Option<u64> {
    let first = volumes.first()?;
    let all = volumes.iter().all(|volume| volume.whole_units);
    all.then_some(first.io_unit)
}

/// What a mirror's legs counted, as if both had as much as the fuller one, for an IO asked of it.
fn counted_for_one(mirror: &MirrorSpec, device: &str, result: &RunResult) -> f64 {
    let asked = result.totals.iter().filter(|total| total.device == device);
    let asked: u64 = asked.map(|total| total.ios).sum();
    let of_leg = |leg: &LegSpec| {
        let mut ios = 0;
        leg.layout
            .volumes(&mut |volume| ios += result.volumes.get(volume).map_or(0, |total| total.ios));
        ios
    };
    let fuller = mirror.legs.iter().map(of_leg).max().unwrap_or(0);
    match asked {
        0 => 1.0,
        _ => (mirror.legs.len() as u64 * fuller) as f64 / asked as f64,
    }
}

fn io_bytes(device: &str, result: &RunResult) -> Option<f64> {
    let volumes = result.volumes.iter();
    let own = volumes.filter(|total| device_of(&total.name) == device);
    let (ios, bytes) = own.fold((0, 0), |(ios, bytes), total| {
        (ios + total.ios, bytes + total.bytes)
    });
    (ios > 0).then(|| bytes as f64 / ios as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{result, scenario};

    #[test]
    fn names_of_volumes_say_their_device_however_layouts_nest() {
        let resolved = scenario(
            "host: {instance: i3.2xlarge}
storage:
  data:
    linear:
    - {stripe: {width: 2, chunk: 64KiB}, of: {type: gp3, size: 10GiB}}
    - {type: gp2, size: 10GiB}
  fast: {type: instance-store}
  data-2: {type: gp3, size: 10GiB}
",
        );
        let found = Device::all(&resolved.storage, &result());
        let shown: Vec<_> = found
            .iter()
            .map(|device| (device.volumes.join(" "), device.behind_host))
            .collect();
        assert_eq!(
            shown,
            [
                ("data.0.0 data.0.1 data.1".to_owned(), true),
                ("fast".to_owned(), false),
                ("data-2".to_owned(), true)
            ]
        );
        assert_eq!(found[0].io_bytes, None);
    }
}
