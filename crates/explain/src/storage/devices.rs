//! The devices of a run, and what lies over them.

use blockyard_model::spec::{Acknowledge, ReadPolicy};
use blockyard_model::spec::{DeviceSpec, Layout, StorageSpec, VolumeSpec};
use blockyard_record::limit_names::{self, device_of};
use blockyard_record::result::{RunResult, Total};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::limits::id::{LimitId, Owner};
use crate::limits::in_force::InForce;
use crate::limits::owners::{self, Owners};
use crate::limits::{Limit, RateUnit};

/// A device of a run's scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// The legs of a mirror; all of it as one of what is no mirror.
    pub legs: Vec<Leg>,
    /// The limits in force over it: of its volumes together or of each leg's, then the hosts'.
    pub in_force: Vec<InForce>,
    /// How it mirrors; none of what is no mirror over a link.
    pub mirror: Option<Mirroring>,
    /// How many IOs were asked of it.
    #[serde(skip)]
    pub(crate) asked: u64,
}

/// The volumes of a device, or of a leg of it if it is a mirror.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Leg {
    /// Its name; none of what is no mirror.
    pub name: Option<String>,
    /// The names of its volumes.
    pub volumes: Vec<String>,
    /// The name of the host that they are attached to.
    pub host: String,
    /// Whether all its IO passes the host's limits; that of an instance's own disks does
    /// not.
    pub behind_host: bool,
    /// Whose its volumes' limits are; what was read back does not say.
    #[serde(skip, default = "unsaid")]
    pub(crate) owner: Owner,
    /// Where each counted IO takes the bytes of a whole unit of its volumes' throughput, as on
    /// st1: that unit.
    #[serde(skip)]
    pub(crate) whole_unit: Option<u64>,
    /// IOs and bytes that its limits counted.
    #[serde(skip)]
    pub(crate) counted: (u64, u64),
    /// The share of its device's reads that it serves while both legs are up to date.
    #[serde(skip)]
    pub(crate) reads: f64,
}

/// How a mirror over a link works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mirroring {
    /// When a write is acknowledged: A, B or C.
    #[serde(deserialize_with = "protocol")]
    #[schemars(extend("enum" = PROTOCOLS))]
    pub acknowledge: Protocol,
    /// Whether both legs serve reads, in turn.
    pub reads_both: bool,
}

/// The letter of a DRBD protocol. By this name serde does not take it for text to borrow.
type Protocol = &'static str;

/// The letters of DRBD's protocols.
const PROTOCOLS: [Protocol; 3] = ["A", "B", "C"];

fn protocol<'de, D: Deserializer<'de>>(from: D) -> Result<Protocol, D::Error> {
    let said = String::deserialize(from)?;
    let known = PROTOCOLS.into_iter().find(|letter| *letter == said);
    known.ok_or_else(|| D::Error::custom(format!("`{said}`; expected A, B or C")))
}

fn unsaid() -> Owner {
    Owner::Device(String::new())
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
    pub(crate) fn all(storage: &StorageSpec, owners: &Owners, result: &RunResult) -> Vec<Self> {
        let device = |spec: &DeviceSpec| {
            let asked = result.totals.iter();
            let asked = asked.filter(|total| total.device == spec.name);
            Self {
                name: spec.name.clone(),
                legs: Leg::of(spec, storage, owners, result),
                in_force: Vec::new(),
                mirror: Mirroring::of(&spec.layout),
                asked: asked.map(|total| total.ios).sum(),
            }
        };
        storage.devices.iter().map(device).collect()
    }

    /// The mean size in bytes of the IOs that its limits counted; none if it had none.
    pub(crate) fn io_bytes(&self) -> Option<f64> {
        mean_size(self.legs.iter())
    }

    /// How many IOs, and of which mean size, a limit lets through in a second of what is asked of
    /// it; none if no IO passed it. Of a mirror the fuller leg decides, of those that pass it.
    pub(crate) fn ios_of(&self, limit: &Limit) -> Option<(f64, f64)> {
        let passing = || self.legs.iter().filter(|leg| leg.passes(&limit.limit));
        let size = mean_size(passing())?;
        let whole_unit = passing().next()?.whole_unit;
        let counted = match (limit.unit, whole_unit) {
            (RateUnit::Iops, _) => limit.value,
            (unit, Some(whole)) if !limit.limit.is_host() => {
                limit.value * unit.per_s() / whole as f64
            }
            (unit, _) => limit.value * unit.per_s() / size,
        };
        let fuller = passing().map(|leg| leg.counted.0).max()?;
        let for_one = match self.asked {
            0 => 1.0,
            _ if self.legs.len() == 1 => 1.0,
            asked => passing().count() as f64 * fuller as f64 / asked as f64,
        };
        Some((counted / for_one, size))
    }

    /// Whether some of its IO passes a limit.
    pub(crate) fn passes(&self, limit: &LimitId) -> bool {
        self.legs.iter().any(|leg| leg.passes(limit))
    }

    /// The volumes whose IO passes a limit.
    pub(crate) fn volumes_behind(&self, limit: &LimitId) -> impl Iterator<Item = &str> {
        let legs = self.legs.iter().filter(|leg| leg.passes(limit));
        legs.flat_map(|leg| leg.volumes.iter().map(String::as_str))
    }
}

impl Leg {
    /// Those of a device; of what is no mirror all of it.
    fn of(
        spec: &DeviceSpec,
        storage: &StorageSpec,
        owners: &Owners,
        result: &RunResult,
    ) -> Vec<Self> {
        let Layout::Mirror(mirror) = &spec.layout else {
            let own = |volume: &&VolumeSpec| device_of(&volume.name) == spec.name;
            let volumes: Vec<_> = storage.volumes.iter().filter(own).collect();
            let alone = Self::new(None, &volumes, storage, owners, result);
            return vec![Self {
                reads: 1.0,
                ..alone
            }];
        };
        let reads = match mirror.read {
            ReadPolicy::Local => [1.0, 0.0],
            ReadPolicy::RoundRobin => [0.5, 0.5],
        };
        let leg = |(leg, reads)| {
            let volumes = owners::volumes(leg).into_iter();
            let volumes: Vec<_> = volumes.map(|place| &storage.volumes[place]).collect();
            let name = volumes.first().and_then(|it| limit_names::leg_of(&it.name));
            let leg = Self::new(name, &volumes, storage, owners, result);
            Self { reads, ..leg }
        };
        mirror.legs.iter().zip(reads).map(leg).collect()
    }

    /// One that serves no reads.
    fn new(
        name: Option<&str>,
        volumes: &[&VolumeSpec],
        storage: &StorageSpec,
        owners: &Owners,
        result: &RunResult,
    ) -> Self {
        let own = |name: &str| volumes.iter().any(|volume| volume.name == name);
        let totals = result.volumes.iter().filter(|total| own(&total.name));
        let first = volumes.first();
        Self {
            name: name.map(str::to_owned),
            host: first
                .map(|volume| storage.hosts[volume.host].name.clone())
                .unwrap_or_default(),
            behind_host: volumes.iter().all(|volume| volume.behind_host),
            owner: owners.named(first.map_or("", |volume| &volume.name)),
            whole_unit: whole_unit(volumes),
            counted: totals.fold((0, 0), |(ios, bytes), total| {
                (ios + total.ios, bytes + total.bytes)
            }),
            volumes: volumes.iter().map(|volume| volume.name.clone()).collect(),
            reads: 0.0,
        }
    }

    /// What its IO takes of a limit: of one of bytes as many as its volumes count.
    pub(crate) fn takes(&self, limit: &LimitId, ios: u64, bytes: u64) -> u64 {
        match self.whole_unit {
            Some(unit) if !limit.is_host() => limit.counted(ios, ios * unit),
            _ => limit.counted(ios, bytes),
        }
    }

    /// What this leg takes of a limit for a job's total on its device, while both legs are up to
    /// date.
    pub(crate) fn part_of(&self, limit: &LimitId, total: &Total) -> f64 {
        let whole = self.takes(limit, total.ios, total.bytes) as f64;
        if total.op == "read" {
            self.reads * whole
        } else {
            whole
        }
    }

    /// Whether its IO passes a limit.
    pub(crate) fn passes(&self, limit: &LimitId) -> bool {
        match &limit.owner {
            Owner::Host(name) => self.behind_host && *name == self.host,
            owner => *owner == self.owner,
        }
    }
}

/// The leg of a volume.
pub(crate) fn leg_of<'a>(devices: &'a [Device], volume: &str) -> Option<&'a Leg> {
    let mut legs = devices.iter().flat_map(|device| &device.legs);
    legs.find(|leg| leg.volumes.iter().any(|own| own == volume))
}

/// The unit of volumes all of which count throughput in whole ones.
fn whole_unit(volumes: &[&VolumeSpec]) -> Option<u64> {
    let first = volumes.first()?;
    let all = volumes.iter().all(|volume| volume.whole_units);
    all.then_some(first.io_unit)
}

/// The mean size of the IOs that legs counted; none if they had none.
fn mean_size<'a>(legs: impl Iterator<Item = &'a Leg>) -> Option<f64> {
    let (ios, bytes) = legs.fold((0, 0), |(ios, bytes), leg| {
        (ios + leg.counted.0, bytes + leg.counted.1)
    });
    (ios > 0).then(|| bytes as f64 / ios as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::limits;
    use crate::testing::{owners, resolved, result, scenario, total, volume};

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
        let found = Device::all(&resolved.storage, &owners(), &result());
        let shown: Vec<_> = (found.iter().flat_map(|device| &device.legs))
            .map(|all| (all.volumes.join(" "), all.behind_host))
            .collect();
        assert_eq!(
            shown,
            [
                ("data.0.0 data.0.1 data.1".to_owned(), true),
                ("fast".to_owned(), false),
                ("data-2".to_owned(), true)
            ]
        );
        assert_eq!(found[0].io_bytes(), None);
    }

    #[test]
    fn each_leg_passes_the_limits_of_its_own_host() {
        let storage = scenario(
            "hosts: {a: {instance: m5.large}, b: {instance: m5.xlarge}}
links: {wan: {between: [a, b], round_trip: 1ms, bandwidth: 1Gbit/s}}
storage:
  data:
    mirror:
      link: wan
      legs:
        near: {type: gp3, size: 10GiB, host: a}
        far: {stripe: {width: 2, chunk: 64KiB}, of: {type: gp3, size: 5GiB}, host: b}
",
        )
        .storage;
        let mut result = result();
        // 4,000 writes of 8 KiB, on both legs, and 4,000 reads.
        result.totals = vec![
            total("load", "data", "write", 4000, 1000.0),
            total("load", "data", "read", 4000, 1000.0),
        ];
        let each = [
            ("data.near", 8000),
            ("data.far.0", 2000),
            ("data.far.1", 2000),
        ];
        result.volumes = each.map(|(name, ios)| volume(name, ios, ios * 8192)).into();
        let owners = Owners::of(&storage);
        let [data] = &Device::all(&storage, &owners, &result)[..] else {
            panic!("one device")
        };
        let limit = |owner, value| {
            let iops = resolved(owner, "iops", value, "IOPS");
            limits(&[iops], &owners, |_| true).unwrap().remove(0)
        };
        let behind = |limit: &Limit| {
            data.volumes_behind(&limit.limit)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (near, far) = (limit("data.near", 3000.0), limit("b", 6000.0));
        assert_eq!(behind(&near), "data.near");
        assert_eq!(behind(&limit("a", 6000.0)), "data.near");
        assert_eq!(behind(&far), "data.far.0 data.far.1");
        // Whatever is asked counts on the first leg, and every other IO on the second.
        let ios = |limit| data.ios_of(limit).unwrap();
        assert_eq!(
            (ios(&near), ios(&far)),
            ((3000.0, 8192.0), (12_000.0, 8192.0))
        );
    }
}
