//! The changes of a layout that are tried: what each is, and the overrides that make it.

use std::num::NonZeroU32;

use blockyard_catalog::{Ask, Catalog, Provisioned};
use blockyard_scenario::Resolved;
use blockyard_scenario::schema::{Device, Scenario, Stripe, StripeLayout, Volume};
use blockyard_scenario::units::{Size, Throughput};
use serde::Serialize;

use super::journal;

/// How many IOs a second more are tried, on each volume.
const MORE_IOPS: u64 = 1000;

/// How much throughput more is tried, on each volume: what a gp3 comes with.
const MORE_THROUGHPUT: u64 = 125 << 20;

/// The types that one may change to: those that databases are kept on.
const TYPES: [&str; 4] = ["gp3", "gp2", "io2", "io1"];

/// The chunk of a stripe that a single volume becomes: that of the published layouts, 4 MiB.
const CHUNK: u64 = 4 << 20;

const GIB: u64 = 1 << 30;

/// A change of a layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// One volume more in each stripe of a device; a single volume becomes a stripe of two with a
    /// chunk of 4 MiB.
    Volumes {
        /// The device.
        device: String,
        /// How many there are.
        from: u64,
        /// How many there would be.
        to: u64,
    },
    /// More IOPS on each volume of a device.
    Iops {
        /// The device.
        device: String,
        /// Over how many volumes.
        volumes: u64,
        /// IOs a second of each.
        from: u64,
        /// What each would have.
        to: u64,
    },
    /// More of a type whose IOPS come with its size, for as many more IOPS.
    Size {
        /// The device.
        device: String,
        /// Over how many volumes.
        volumes: u64,
        /// GiB of each.
        from: u64,
        /// What each would have.
        to: u64,
    },
    /// More throughput on each volume of a device.
    Throughput {
        /// The device.
        device: String,
        /// Over how many volumes.
        volumes: u64,
        /// MiB a second of each.
        from: u64,
        /// What each would have.
        to: u64,
    },
    /// The next size of an instance family.
    Instance {
        /// The host; none where the scenario does not name it.
        host: Option<String>,
        /// The instance type.
        from: String,
        /// The next one of its family; none if it is the largest.
        to: Option<String>,
    },
    /// Volumes of another type, with as many IOPS and as much throughput as they have now.
    Type {
        /// The device.
        device: String,
        /// Over how many volumes.
        volumes: u64,
        /// The type.
        from: String,
        /// The other one.
        to: String,
    },
    /// io2 for the journal alone: what its device is made of, or a device of its own.
    Journal {
        /// The job whose journal it is.
        job: String,
        /// The device that it lies on.
        device: String,
        /// Whether it gets a device of its own, as others use that one too.
        apart: bool,
    },
}

/// A change with the overrides that make it.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    pub(super) change: Change,
    pub(super) sets: Vec<String>,
}

/// The volumes of a device that are written in one place of the scenario.
pub(super) struct Spot<'a> {
    pub(super) path: String,
    pub(super) volume: &'a Volume,
    pub(super) count: u64,
}

/// All changes to try, those of the devices that IOs wait for most first.
pub(super) fn proposals(
    scenario: &Scenario,
    resolved: &Resolved,
    waited_s: impl Fn(&str) -> f64,
) -> Vec<Proposal> {
    let Ok(catalog) = Catalog::get() else {
        return Vec::new();
    };
    let mut devices: Vec<_> = used(scenario, resolved).collect();
    devices.sort_by(|a, b| waited_s(b.0).total_cmp(&waited_s(a.0)));
    let mut found = instances(scenario, catalog);
    found.extend(journal::proposals(scenario, resolved));
    for (name, device) in devices {
        let of = Of {
            name,
            device,
            scenario,
            catalog,
        };
        found.extend(of.more_volumes());
        found.extend(of.more_iops());
        found.extend(of.more_throughput());
        found.extend(of.types());
    }
    // io2 for the journal alone may be what another type for its device is.
    let mut sets: Vec<Vec<String>> = Vec::new();
    found.retain(|proposal| {
        let new = proposal.sets.is_empty() || !sets.contains(&proposal.sets);
        sets.push(proposal.sets.clone());
        new
    });
    found
}

/// The devices that jobs use.
fn used<'a>(
    scenario: &'a Scenario,
    resolved: &'a Resolved,
) -> impl Iterator<Item = (&'a str, &'a Device)> {
    let files = || resolved.jobs.iter().flat_map(|job| job.files());
    let devices = resolved.storage.devices.iter().enumerate();
    let names = devices
        .filter(move |(index, _)| files().any(|file| file.region.device == *index))
        .map(|(_, device)| device.name.as_str());
    names.filter_map(|name| Some((name, scenario.storage.get(name)?)))
}

/// A device of a scenario.
struct Of<'a> {
    name: &'a str,
    device: &'a Device,
    scenario: &'a Scenario,
    catalog: &'a Catalog,
}

impl Of<'_> {
    fn spots(&self) -> Vec<Spot<'_>> {
        let mut found = Vec::new();
        spots(format!("storage.{}", self.name), self.device, 1, &mut found);
        found
    }

    fn volumes(&self) -> u64 {
        self.spots().iter().map(|spot| spot.count).sum()
    }

    fn more_volumes(&self) -> Option<Proposal> {
        let mut sets = Vec::new();
        widen(&format!("storage.{}", self.name), self.device, &mut sets);
        let from = self.volumes();
        let added: u64 = sets.iter().map(|(_, added)| added).sum();
        let change = Change::Volumes {
            device: self.name.to_owned(),
            from,
            to: from + added,
        };
        let sets: Vec<_> = sets.into_iter().map(|(set, _)| set).collect();
        (!sets.is_empty()).then_some(Proposal { change, sets })
    }

    fn more_iops(&self) -> Option<Proposal> {
        let spots = self.spots();
        let first = self.now(spots.first()?.volume)?;
        let device = self.name.to_owned();
        let volumes = self.volumes();
        if first.with_size && first.bigger.is_some() {
            let to = |spot: &Spot<'_>| Some(self.now(spot.volume)?.bigger?.bytes() / GIB);
            let sets = spots.iter().filter_map(|spot| {
                let to = to(spot)?;
                Some(format!("{}.size={to}GiB", spot.path))
            });
            return Some(Proposal {
                change: Change::Size {
                    device,
                    volumes,
                    from: first.size.bytes() / GIB,
                    to: to(&spots[0])?,
                },
                sets: sets.collect(),
            });
        }
        let sets = spots.iter().filter_map(|spot| {
            let to = self.now(spot.volume)?.iops + MORE_IOPS;
            Some(format!("{}.iops={to}", spot.path))
        });
        Some(Proposal {
            change: Change::Iops {
                device,
                volumes,
                from: first.iops,
                to: first.iops + MORE_IOPS,
            },
            sets: sets.collect(),
        })
    }

    fn more_throughput(&self) -> Option<Proposal> {
        let spots = self.spots();
        let first = self.now(spots.first()?.volume)?;
        let sets = spots.iter().filter_map(|spot| {
            let to = Throughput::new(self.now(spot.volume)?.throughput + MORE_THROUGHPUT);
            Some(format!("{}.throughput={to}", spot.path))
        });
        Some(Proposal {
            change: Change::Throughput {
                device: self.name.to_owned(),
                volumes: self.volumes(),
                from: first.throughput >> 20,
                to: (first.throughput + MORE_THROUGHPUT) >> 20,
            },
            sets: sets.collect(),
        })
    }

    fn types(&self) -> Vec<Proposal> {
        let spots = self.spots();
        let Some(from) = spots.first().map(|spot| &spot.volume.volume_type) else {
            return Vec::new();
        };
        let others = TYPES.iter().filter(|name| **name != from.as_str());
        let proposal = |to: &&str| {
            let sets = spots.iter().flat_map(|spot| self.as_type(spot, to));
            Proposal {
                change: Change::Type {
                    device: self.name.to_owned(),
                    volumes: self.volumes(),
                    from: from.clone(),
                    to: (*to).to_owned(),
                },
                sets: sets.collect(),
            }
        };
        others.map(proposal).collect()
    }

    /// The overrides that make volumes another type, with what they have now: where IOPS come
    /// with the size, as large as that takes.
    fn as_type(&self, spot: &Spot<'_>, to: &str) -> Vec<String> {
        let now = self.now(spot.volume);
        let mut sets = as_type(spot, to, now.as_ref().map(|now| (now.iops, now.throughput)));
        let larger = now.and_then(|now| self.size_for(spot.volume, to, &now));
        sets.extend(larger.map(|size| format!("{}.size={size}", spot.path)));
        sets
    }

    /// The size from which on a type whose IOPS come with it has as many as there are now, or the
    /// most that it has; none where that is no more than the size now.
    fn size_for(&self, volume: &Volume, to: &str, now: &Now) -> Option<Size> {
        let other = Volume {
            volume_type: to.to_owned(),
            iops: None,
            throughput: None,
            ..volume.clone()
        };
        let lasting = lasting(self.scenario, self.catalog, self.device, &other)?;
        let iops = |gib: u64| lasting(Some(Size::new(gib * GIB))).map(|(iops, ..)| iops);
        let least = now.size.bytes().div_ceil(GIB);
        let largest = (0..=16).rev().map(|power| 1 << power);
        let largest = largest.filter(|&gib| gib > least);
        let (largest, most) = largest.filter_map(|gib| Some((gib, iops(gib)?))).next()?;
        let wanted = now.iops.min(most);
        if !with_size(&lasting, now.size) || iops(least)? >= wanted {
            return None;
        }
        let (mut few, mut enough) = (least, largest);
        while enough - few > 1 {
            let middle = few.midpoint(enough);
            match iops(middle).is_some_and(|iops| iops >= wanted) {
                true => enough = middle,
                false => few = middle,
            }
        }
        Some(Size::new(enough * GIB))
    }

    fn now(&self, volume: &Volume) -> Option<Now> {
        now(self.scenario, self.catalog, self.device, volume)
    }
}

/// The overrides that make the volumes of a spot another type, with so many IOPS and so much
/// throughput where the type provisions these. A latency profile goes: it is the old type's.
pub(super) fn as_type(spot: &Spot<'_>, to: &str, has: Option<(u64, u64)>) -> Vec<String> {
    let path = &spot.path;
    let mut sets = vec![format!("{path}.type={to}")];
    let mut set = |key: &str, stated: bool, value: Option<String>| match value {
        Some(value) => sets.push(format!("{path}.{key}={value}")),
        None if stated => sets.push(format!("{path}.{key}=null")),
        None => {}
    };
    let (iops, throughput) = has.unzip();
    let provisioned = iops.filter(|_| to != "gp2").map(|iops| match to {
        "gp3" => iops.max(3000),
        _ => iops.max(100),
    });
    let throughput = throughput
        .filter(|_| to == "gp3")
        .map(|it| it.max(MORE_THROUGHPUT) >> 20);
    set(
        "iops",
        spot.volume.iops.is_some(),
        provisioned.map(|it| it.to_string()),
    );
    set(
        "throughput",
        spot.volume.throughput.is_some(),
        throughput.map(|it| format!("{it}MiB/s")),
    );
    set("latency", spot.volume.latency.is_some(), None);
    sets
}

/// What a volume has now.
pub(super) struct Now {
    /// IOs a second, in the long run.
    pub(super) iops: u64,
    /// Bytes a second, in the long run.
    pub(super) throughput: u64,
    size: Size,
    /// Whether its IOPS come with its size.
    with_size: bool,
    /// The size that has so many more IOPS; none where that is more than there is.
    bigger: Option<Size>,
}

pub(super) fn now(
    scenario: &Scenario,
    catalog: &Catalog,
    device: &Device,
    volume: &Volume,
) -> Option<Now> {
    let get = lasting(scenario, catalog, device, volume)?;
    let (iops, throughput, provisioned) = get(volume.size)?;
    let with_size = provisioned.iops.is_none() && with_size(&get, provisioned.size);
    let bigger = (1..=MORE_IOPS).map(|gib| Size::new(provisioned.size.bytes() + gib * GIB));
    let has_more =
        |size: &Size| get(Some(*size)).is_some_and(|(more, ..)| more >= iops + MORE_IOPS);
    Some(Now {
        iops,
        throughput,
        size: provisioned.size,
        with_size,
        bigger: bigger.filter(|_| with_size).find(has_more),
    })
}

/// IOs and bytes a second that a volume has in the long run, and what it is provisioned with.
type Lasting = (u64, u64, Provisioned);

/// What a volume has in the long run with a size; none with one that cannot be had.
fn lasting<'a>(
    scenario: &'a Scenario,
    catalog: &'a Catalog,
    device: &Device,
    volume: &'a Volume,
) -> Option<impl Fn(Option<Size>) -> Option<Lasting> + 'a> {
    let volume_type = catalog.volume_type(&volume.volume_type).ok()?;
    let host = instance_of(scenario, device, volume);
    let host = host.and_then(|name| catalog.instance(name).ok());
    Some(move |size: Option<Size>| {
        let ask = Ask {
            size,
            iops: volume.iops,
            throughput: volume.throughput,
        };
        let limits = volume_type.limits(&ask, host, scenario.as_of).ok()?;
        let least = |counts: &str| {
            let own = limits
                .limits
                .iter()
                .filter(|limit| limit.name.contains(counts));
            own.map(|limit| limit.rate).min()
        };
        Some((least("iops")?, least("throughput")?, limits.provisioned))
    })
}

/// Whether twice the size has more IOPS.
fn with_size(get: &impl Fn(Option<Size>) -> Option<Lasting>, size: Size) -> bool {
    let iops = |size: Size| get(Some(size)).map(|(iops, ..)| iops);
    iops(Size::new(size.bytes() * 2)) > iops(size)
}

/// The instance that a device's volumes are attached to.
fn instance_of<'a>(scenario: &'a Scenario, device: &Device, volume: &Volume) -> Option<&'a str> {
    let host = match device {
        Device::Stripe(stripe) => stripe.host.as_ref(),
        Device::Linear(linear) => linear.host.as_ref(),
        Device::Mirror(_) | Device::Volume(_) => None,
    };
    let named = volume.host.as_ref().or(host);
    let host = match named {
        Some(name) => scenario.hosts.get(name),
        None => scenario
            .host
            .as_ref()
            .or_else(|| scenario.hosts.values().next()),
    };
    host.map(|host| host.instance.as_str())
}

/// The places where a device's volumes are written.
pub(super) fn spots<'a>(path: String, device: &'a Device, count: u64, found: &mut Vec<Spot<'a>>) {
    match device {
        Device::Volume(volume) => found.push(Spot {
            path,
            volume,
            count,
        }),
        Device::Stripe(stripe) => {
            let count = count * u64::from(stripe.stripe.width.get());
            spots(format!("{path}.of"), &stripe.of, count, found);
        }
        Device::Linear(linear) => {
            for (index, part) in linear.linear.iter().enumerate() {
                spots(format!("{path}.linear.{index}"), part, count, found);
            }
        }
        Device::Mirror(mirror) => {
            for (name, leg) in &mirror.mirror.legs {
                spots(format!("{path}.mirror.legs.{name}"), leg, count, found);
            }
        }
    }
}

/// The overrides that give each stripe of a device one volume more, each with how many that is.
/// What is linear or nested stays.
fn widen(path: &str, device: &Device, found: &mut Vec<(String, u64)>) {
    match device {
        Device::Stripe(stripe) if matches!(*stripe.of, Device::Volume(_)) => {
            let width = stripe.stripe.width.get() + 1;
            found.push((format!("{path}.stripe.width={width}"), 1));
        }
        Device::Volume(volume) => {
            let host = volume.host.clone();
            let volume = Volume {
                host: None,
                ..volume.clone()
            };
            let striped = Stripe {
                stripe: StripeLayout {
                    chunk: Size::new(CHUNK),
                    width: NonZeroU32::MIN.saturating_add(1),
                },
                of: Box::new(Device::Volume(volume)),
                host,
            };
            if let Ok(text) = serde_json::to_string(&striped) {
                found.push((format!("{path}={text}"), 1));
            }
        }
        Device::Mirror(mirror) => {
            for (name, leg) in &mirror.mirror.legs {
                widen(&format!("{path}.mirror.legs.{name}"), leg, found);
            }
        }
        Device::Stripe(_) | Device::Linear(_) => {}
    }
}

/// The next size of each host's instance.
fn instances(scenario: &Scenario, catalog: &Catalog) -> Vec<Proposal> {
    let named = scenario.hosts.iter().map(|(name, host)| (Some(name), host));
    let all = named.chain(scenario.host.iter().map(|host| (None, host)));
    let proposal = |(name, host): (Option<&String>, &blockyard_scenario::schema::Host)| {
        let from = catalog.instance(&host.instance).ok()?;
        let larger = catalog.instances().iter().filter(|other| {
            other.family() == from.family()
                && other.vcpu() > from.vcpu()
                && !other.name().contains("metal")
        });
        let next = larger.min_by_key(|other| other.vcpu());
        let path = name.map_or("host".to_owned(), |name| format!("hosts.{name}"));
        let set = |next: &blockyard_catalog::Instance| format!("{path}.instance={}", next.name());
        Some(Proposal {
            change: Change::Instance {
                host: name.cloned(),
                from: host.instance.clone(),
                to: next.map(|next| next.name().to_owned()),
            },
            sets: next.map(set).into_iter().collect(),
        })
    };
    all.filter_map(proposal).collect()
}
