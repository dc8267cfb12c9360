//! From a scenario's `host` or `hosts` and its `storage` to the storage that the model runs:
//! devices become layouts over volumes, and volumes get their limits from the
//! catalog, as of the scenario's day.

mod attached;
mod bought;
mod clusters;
mod host;
mod limit;
mod links;
mod mirror;
mod rests_on;
#[cfg(test)]
mod tests;
mod volume;

use blockyard_catalog::{Catalog, Instance};
use blockyard_model::spec::{DeviceSpec, Discipline, Layout, StorageSpec, VolumeSpec};
use blockyard_model::units::{Bytes, KIB};
use blockyard_text::grouped;
use indexmap::IndexMap;

use super::events::{self, Events};
use super::{Invalid, Zones};
use crate::schema::{self, Device, Linear, Scenario, Stripe};
use crate::units::{Date, Size};

use self::host::Host;
pub(crate) use attached::HostNames;
pub use bought::{Bought, BoughtVolume};
pub(super) use clusters::Cluster;
pub use limit::ResolvedLimit;
pub(super) use links::losing;
pub use rests_on::{Direction, RestsOn};

/// Most volumes of a scenario: more than any instance attaches, and few enough
/// that a slip in a width does not fill the memory.
const MAX_VOLUMES: usize = 1024;

/// Smallest chunk in which LVM and md stripe.
const MIN_CHUNK: Bytes = 4 * KIB;

/// The storage, and every limit with what it rests on.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    pub(crate) spec: StorageSpec,
    pub(crate) limits: Vec<ResolvedLimit>,
    /// What the figures of each device rest on.
    pub(crate) rests_on: Vec<RestsOn>,
    /// By host: its virtual processors, if its instance is stated.
    pub(crate) cores: Vec<Option<u64>>,
    pub(crate) bought: Bought,
    pub(crate) events: Events,
}

/// Resolves a scenario's hosts and devices, and what its events make of them.
///
/// # Errors
/// An unknown instance, volume type or latency profile; a volume that the day's
/// rule for its type does not allow; a geometry that LVM would refuse; more
/// provisioned IOPS than the stated quota; a link or a mirror that cannot be.
pub(crate) fn storage(
    scenario: &Scenario,
    zones: &Zones,
    catalog: &Catalog,
) -> Result<Storage, Invalid> {
    let (hosts, limits) = host::resolve(scenario, catalog)?;
    let mut builder = Builder {
        catalog,
        day: scenario.as_of,
        hosts,
        host: 0,
        standby: Vec::new(),
        clusters: Vec::new(),
        volumes: Vec::new(),
        asked: Vec::new(),
        bought: Vec::new(),
        limits,
        rests_on: Vec::new(),
        provisioned: IndexMap::new(),
    };
    let mut devices = Vec::with_capacity(scenario.storage.len());
    let names = HostNames::new(scenario.hosts.keys());
    let links = links::resolve(&scenario.links, (&names, &builder.hosts), zones)?;
    builder.take_clusters(scenario, &names, zones)?;
    for (name, device) in &scenario.storage {
        let path = format!("storage.{name}");
        let before = builder.rests_on.len();
        let (layout, size) = match device {
            Device::Mirror(mirror) => {
                builder.mirror(name, &path, &mirror.mirror, &names, &links)?
            }
            _ => {
                builder.place(name, &path, device, &names)?;
                let built = builder.device(name, &path, device)?;
                builder.check_shared(&path, &built.0)?;
                built
            }
        };
        builder.name_grounds(before, name);
        builder.name_bought(name);
        devices.push(DeviceSpec {
            name: name.clone(),
            size,
            layout,
        });
    }
    builder.check_quotas(&scenario.quotas)?;
    // What events add is bought later.
    let bought = Bought::of(&builder);
    let events = events::resolve((scenario, zones), &links, &mut builder, &mut devices)?;
    let instances = builder.hosts.iter().map(|host| host.instance);
    Ok(Storage {
        bought,
        cores: instances.map(|it| it.map(Instance::vcpu)).collect(),
        spec: StorageSpec {
            hosts: builder.hosts.into_iter().map(|host| host.spec).collect(),
            volumes: builder.volumes,
            devices,
            links,
        },
        limits: builder.limits,
        rests_on: builder.rests_on,
        events,
    })
}

/// The model's name of a discipline.
fn discipline(of: schema::Discipline) -> Discipline {
    match of {
        schema::Discipline::Fifo => Discipline::Fifo,
        schema::Discipline::PerDirection => Discipline::PerDirection,
        schema::Discipline::PerSubmitter => Discipline::PerSubmitter,
    }
}

/// The storage so far.
pub(super) struct Builder<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) day: Option<Date>,
    hosts: Vec<Host<'a>>,
    /// Which of them the device is attached to that is being resolved.
    pub(super) host: usize,
    /// Which others it can be attached to.
    pub(super) standby: Vec<usize>,
    pub(super) clusters: Vec<Cluster>,
    pub(super) volumes: Vec<VolumeSpec>,
    /// What each is asked to be, and the size that it has.
    pub(super) asked: Vec<(schema::Volume, Size)>,
    /// What each is bought as.
    bought: Vec<BoughtVolume>,
    pub(super) limits: Vec<ResolvedLimit>,
    pub(super) rests_on: Vec<RestsOn>,
    /// Provisioned IOPS by volume type.
    provisioned: IndexMap<String, u64>,
}

impl Builder<'_> {
    /// Resolves the device at `path`; `name` is the name of its volume, or the
    /// start of its volumes' names.
    pub(super) fn device(
        &mut self,
        name: &str,
        path: &str,
        device: &Device,
    ) -> Result<(Layout, Bytes), Invalid> {
        match device {
            Device::Volume(volume) => self.volume(name, path, volume),
            Device::Stripe(stripe) => self.stripe(name, path, stripe, 0),
            Device::Linear(linear) => self.linear(name, path, linear),
            Device::Mirror(_) => Err(Invalid::new(
                format!("{path}.mirror"),
                "a mirror can only be a whole device; expected a volume, a stripe or a linear \
                 device",
            )),
        }
    }

    /// The stripe at `path`, whose parts are numbered from `first` on.
    pub(super) fn stripe(
        &mut self,
        name: &str,
        path: &str,
        stripe: &Stripe,
        first: u32,
    ) -> Result<(Layout, Bytes), Invalid> {
        let chunk = stripe.stripe.chunk.bytes();
        let at = |message: String| Invalid::new(format!("{path}.stripe.chunk"), message);
        if !chunk.is_power_of_two() || chunk < MIN_CHUNK {
            let (given, least) = (stripe.stripe.chunk, Size::new(MIN_CHUNK));
            return Err(at(format!(
                "`{given}` is no chunk; expected a power of two from {least}"
            )));
        }
        let mut parts = Vec::new();
        let mut part_size = Bytes::MAX;
        for index in 0..stripe.stripe.width.get() {
            let part = format!("{name}.{}", first + index);
            let (layout, size) = self.device(&part, &format!("{path}.of"), &stripe.of)?;
            part_size = part_size.min(size - size % chunk);
            parts.push(layout);
        }
        if part_size == 0 {
            let given = stripe.stripe.chunk;
            return Err(at(format!(
                "a chunk of {given} is larger than the striped volumes"
            )));
        }
        let size = part_size.saturating_mul(parts.len() as u64);
        Ok((Layout::Stripe { chunk, parts }, size))
    }

    fn linear(
        &mut self,
        name: &str,
        path: &str,
        linear: &Linear,
    ) -> Result<(Layout, Bytes), Invalid> {
        let path = format!("{path}.linear");
        if linear.linear.is_empty() {
            return Err(Invalid::new(
                path,
                "the list is empty; expected at least one device",
            ));
        }
        let parts = linear
            .linear
            .iter()
            .enumerate()
            .map(|(index, part)| {
                self.device(&format!("{name}.{index}"), &format!("{path}.{index}"), part)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let size = parts
            .iter()
            .fold(0, |sum: Bytes, part| sum.saturating_add(part.1));
        Ok((Layout::Linear { parts }, size))
    }

    /// Gives what volumes rest on, from number `first` on, the name of their device; of equal
    /// volumes one is kept.
    pub(super) fn name_grounds(&mut self, first: usize, device: &str) {
        for mut found in self.rests_on.split_off(first) {
            device.clone_into(&mut found.device);
            if !self.rests_on.contains(&found) {
                self.rests_on.push(found);
            }
        }
    }

    fn check_quotas(&self, quotas: &IndexMap<String, u64>) -> Result<(), Invalid> {
        for (volume_type, quota) in quotas {
            let at = |message: String| Invalid::new(format!("quotas.{volume_type}"), message);
            let of = self
                .catalog
                .volume_type(volume_type)
                .map_err(|unknown| at(unknown.to_string()))?;
            // A quota is a region's: it is enough that one of the hosts can have the type.
            let first = of.offer(self.hosts[0].instance, self.day);
            let offer = self.hosts[1..]
                .iter()
                .fold(first, |found, host| {
                    found.or_else(|_| of.offer(host.instance, self.day))
                })
                .map_err(|refusal| at(refusal.to_string()))?;
            if offer.row().iops.is_none() {
                return Err(at(format!(
                    "`{volume_type}` has no provisioned IOPS to check"
                )));
            }
            let provisioned = self.provisioned.get(volume_type).copied().unwrap_or(0);
            if provisioned > *quota {
                let (have, quota) = (grouped(provisioned), grouped(*quota));
                return Err(at(format!(
                    "the `{volume_type}` volumes provision {have} IOPS; the quota is {quota}"
                )));
            }
        }
        Ok(())
    }
}
