//! What the limits of a storage would do to a load that somebody measured by the minute.
//!
//! No IO is simulated: an interval has only amounts, so its IO is taken as even. That bounds what
//! limits do: within a minute, peaks are higher than its mean.

mod over_time;

use std::collections::BTreeMap;

use blockyard_model::spec::{Applies, Layout, LimitSpec, StorageSpec, Unit, VolumeSpec};
use blockyard_model::streams::SMALLEST_MERGED;
use blockyard_model::units::{Bytes, Nanos, SECOND};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::demand::over_time::over_time;
use crate::limits::id::{LimitId, Owner};

pub use over_time::CreditsOverTime;

/// No IO has less.
const SECTOR: Bytes = 512;

/// A measured load: what was asked of each device in each interval.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// The length of an interval in seconds.
    pub interval_s: u32,
    /// The devices that did IO, by name.
    pub devices: BTreeMap<String, Flows>,
}

/// What was asked of a device, interval by interval; all four have the same length.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flows {
    /// Reads.
    pub reads: Vec<u64>,
    /// Writes.
    pub writes: Vec<u64>,
    /// Bytes read.
    pub read_bytes: Vec<u64>,
    /// Bytes written.
    pub write_bytes: Vec<u64>,
}

/// What limits would do to a measured load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnderDemand {
    /// The length of an interval in seconds.
    pub interval_s: u32,
    /// How many intervals there are.
    pub intervals: usize,
    /// Each device's limits, then the hosts'.
    pub limits: Vec<LimitUnderDemand>,
}

/// A limit, over the volumes of a device together or over those of a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitUnderDemand {
    /// Which limit.
    pub limit: LimitId,
    /// What it sustains, in IOs or bytes a second.
    pub value: u64,
    /// What the load asks of it a second, as the mean of all intervals.
    pub mean: f64,
    /// The highest mean of an interval.
    pub busiest: f64,
    /// When that interval begins, in seconds.
    pub busiest_s: u64,
    /// How many intervals ask for at least 95 % of what the limit sustains.
    pub reached: usize,
    /// What becomes of its credits; none where it has none.
    pub credits: Option<CreditsOverTime>,
}

/// Limits of one owner: what they count of the load, and over how many equal volumes they are.
struct Owned<'a> {
    owner: Owner,
    limits: &'a [LimitSpec],
    volumes: u64,
    counted: Vec<Counted>,
}

/// What limits count in an interval.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    /// Units of IO and bytes, of reads and of writes.
    reads: (u64, u64),
    writes: (u64, u64),
}

impl UnderDemand {
    /// What the limits of `storage` do to `demand`.
    ///
    /// # Errors
    /// A line that names the device, if it is not one of the storage, no volume and no stripe of
    /// equal volumes, or if its lists differ in length.
    pub fn of(storage: &StorageSpec, demand: &Demand) -> Result<Self, String> {
        let lengths = demand.devices.values().map(|flows| flows.reads.len());
        let intervals = lengths.max().unwrap_or(0);
        if demand.interval_s == 0 || intervals == 0 {
            return Err("demand: no interval; expected at least one of at least a second".into());
        }
        let mut hosts: Vec<Vec<Counted>> = vec![Vec::new(); storage.hosts.len()];
        let mut owned = Vec::new();
        for (name, flows) in &demand.devices {
            let volumes = volumes_of(storage, name)?;
            let first = volumes[0];
            let counted = flows
                .counted(first, intervals)
                .map_err(|error| format!("{name}: {error}"))?;
            if first.behind_host {
                add(&mut hosts[first.host], &counted);
            }
            owned.push(Owned {
                owner: Owner::Device(name.clone()),
                limits: &first.limits,
                volumes: volumes.len() as u64,
                counted,
            });
        }
        let of_hosts = storage.hosts.iter().zip(hosts);
        owned.extend(of_hosts.map(|(host, counted)| Owned {
            owner: Owner::Host(host.name.clone()),
            limits: &host.limits,
            volumes: 1,
            counted,
        }));
        let interval = Nanos::from(demand.interval_s) * SECOND;
        let limits = owned.iter().filter(|own| !own.counted.is_empty());
        let limits = limits.flat_map(|own| own.limits.iter().map(move |limit| (own, limit)));
        Ok(Self {
            interval_s: demand.interval_s,
            intervals,
            limits: limits
                .map(|(own, limit)| over_time(own, limit, interval))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Flows {
    /// What a volume's limits count of them: an IO counts once for each unit that it has, so that
    /// the mean size gives the least number.
    fn counted(&self, volume: &VolumeSpec, intervals: usize) -> Result<Vec<Counted>, String> {
        let lists = [
            &self.reads,
            &self.writes,
            &self.read_bytes,
            &self.write_bytes,
        ];
        if let Some(other) = lists.iter().find(|list| list.len() != intervals) {
            return Err(format!("{} intervals; expected {intervals}", other.len()));
        }
        let each = |at: usize| {
            let reads = (self.reads[at], self.read_bytes[at]);
            Counted::by(volume, reads, (self.writes[at], self.write_bytes[at]))
        };
        Ok((0..intervals).map(each).collect())
    }
}

impl Counted {
    /// What a volume counts of IOs and bytes.
    pub(crate) fn by(volume: &VolumeSpec, reads: (u64, u64), writes: (u64, u64)) -> Self {
        let units = |(ios, bytes): (u64, u64)| (ios.max(bytes.div_ceil(volume.io_unit)), bytes);
        Self {
            reads: units(reads),
            writes: units(writes),
        }
    }

    /// The least that it counts of them: volumes merge sequential IOs of some size, of which there
    /// are at most as many as the bytes suffice for.
    pub(crate) fn merged(volume: &VolumeSpec, reads: (u64, u64), writes: (u64, u64)) -> Self {
        let units = |(ios, bytes): (u64, u64)| {
            let beyond = bytes.saturating_sub(ios * SECTOR);
            let large = ios.min(beyond / (SMALLEST_MERGED - SECTOR));
            let bytes_of_large = match large == ios {
                true => bytes,
                false => large * SMALLEST_MERGED,
            };
            ios - large + bytes_of_large.div_ceil(volume.io_unit)
        };
        let all = Self::by(volume, reads, writes);
        Self {
            reads: (units(reads).min(all.reads.0), reads.1),
            writes: (units(writes).min(all.writes.0), writes.1),
        }
    }

    /// What a limit counts of it.
    pub(crate) fn of(&self, limit: &LimitSpec) -> u64 {
        let amount = |(units, bytes): (u64, u64)| match limit.unit {
            Unit::Io => units,
            Unit::Byte => bytes,
        };
        match limit.applies {
            Applies::Both => amount(self.reads).saturating_add(amount(self.writes)),
            Applies::Reads => amount(self.reads),
            Applies::Writes => amount(self.writes),
        }
    }
}

/// The volumes of a device, which are equal.
pub(crate) fn volumes_of<'a>(
    storage: &'a StorageSpec,
    name: &str,
) -> Result<Vec<&'a VolumeSpec>, String> {
    let device = storage.devices.iter().find(|device| device.name == name);
    let device = device.ok_or_else(|| format!("no device is called `{name}`"))?;
    let mut found = Vec::new();
    device
        .layout
        .volumes(&mut |volume| found.push(&storage.volumes[volume]));
    let plain = !matches!(device.layout, Layout::Linear { .. } | Layout::Mirror(_));
    match found.iter().all(|own| own.limits == found[0].limits) && plain && !found.is_empty() {
        true => Ok(found),
        false => Err(format!(
            "{name}: expected a volume, or a stripe of equal volumes"
        )),
    }
}

fn add(sum: &mut Vec<Counted>, counted: &[Counted]) {
    sum.resize(counted.len(), Counted::default());
    for (to, one) in sum.iter_mut().zip(counted) {
        for (to, one) in [(&mut to.reads, one.reads), (&mut to.writes, one.writes)] {
            *to = (to.0.saturating_add(one.0), to.1.saturating_add(one.1));
        }
    }
}

#[cfg(test)]
mod tests;
