//! Other IOPS, sizes and throughput on the volumes that there are.

use blockyard_experiment::{Edit, Place};
use blockyard_scenario::schema::Volume;
use blockyard_scenario::units::{Size, Throughput};
use schemars::JsonSchema;
use serde::Serialize;

use super::device::Of;
use super::lasting::lasting;
use super::less::{iops_for, throughput_for};
use super::{Change, GIB, MORE_IOPS, MORE_THROUGHPUT, Proposal};

/// What there is more or less of on a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// IOs a second.
    Iops,
    /// GiB, with which IOPS or throughput come.
    Size,
    /// MiB a second.
    Throughput,
}

/// What a change makes of the volumes that are written in one place of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Part {
    /// The place, as in `linear.0`.
    pub place: String,
    /// How many volumes that is.
    pub volumes: u64,
    /// What of each there is more or less of.
    pub of: Amount,
    /// What each has.
    pub from: u64,
    /// What each would have.
    pub to: u64,
}

impl Of<'_> {
    /// More of an amount on each volume: a step, and as much as the load takes where that is
    /// known. Of volumes of several types, on those that can have more.
    pub(super) fn more(&self, of: Amount) -> Vec<Proposal> {
        let step = self.raised(|spot| self.stepped(spot, of));
        let enough = self.raised(|spot| self.enough(spot, of));
        enough.into_iter().chain(step).collect()
    }

    fn raised(&self, part: impl Fn(&Place<'_>) -> Option<Part>) -> Option<Proposal> {
        let places = self.places();
        let all: Vec<_> = places
            .iter()
            .filter_map(|spot| Some((spot, part(spot)?)))
            .collect();
        let can_be_had = |(spot, part): &&(&Place<'_>, Part)| {
            let new = part.applied(spot.volume);
            let get = lasting(self.scenario, self.catalog, self.device, &new);
            get.is_some_and(|get| get(new.size).is_some())
        };
        let some: Vec<_> = all.iter().filter(can_be_had).cloned().collect();
        // Where none can, the catalog says why.
        let chosen = if some.is_empty() { all } else { some };
        let edits = chosen.iter().map(|(spot, part)| part.edit(spot));
        let edits = edits.collect();
        let parts: Vec<_> = chosen.into_iter().map(|(_, part)| part).collect();
        let change = self.change(parts, places.len())?;
        Some(Proposal::of(change, edits))
    }

    /// What a step makes of the volumes of one place.
    fn stepped(&self, spot: &Place<'_>, of: Amount) -> Option<Part> {
        let now = self.now(spot.volume)?;
        let size = match of {
            Amount::Iops => now.for_iops,
            Amount::Throughput | Amount::Size => now.for_throughput,
        };
        let (of, from, to) = match (size, of) {
            (Some(size), _) => (Amount::Size, now.size.bytes() / GIB, size.bytes() / GIB),
            (None, Amount::Iops) => (of, now.iops, now.iops + MORE_IOPS),
            (None, _) => {
                let to = now.throughput + MORE_THROUGHPUT;
                (of, now.throughput >> 20, to >> 20)
            }
        };
        Some(self.part_of(spot, of, from, to))
    }

    /// What makes the volumes of one place let through all that is due, where they have less.
    fn enough(&self, spot: &Place<'_>, of: Amount) -> Option<Part> {
        if self.need.is_unbounded(self.name) {
            return None;
        }
        let takes = self.takes(spot, &spot.volume.volume_type)?;
        let (iops, throughput, provisioned) = self.has(spot.volume)?;
        if takes.is_held_by(iops, throughput) {
            return None;
        }
        let wanted = takes.with_headroom();
        let (now, to) = match of {
            Amount::Iops => (provisioned.iops?, iops_for(wanted)),
            Amount::Throughput => {
                let now = provisioned.throughput?.bytes_per_s() >> 20;
                (now, throughput_for(wanted))
            }
            Amount::Size => return None,
        };
        (to > now).then(|| self.part_of(spot, of, now, to))
    }

    pub(super) fn part_of(&self, spot: &Place<'_>, of: Amount, from: u64, to: u64) -> Part {
        let whole = format!("storage.{}", self.name);
        let place = spot.path.strip_prefix(&whole).unwrap_or(&spot.path);
        Part {
            place: place.trim_start_matches('.').to_owned(),
            volumes: spot.count,
            of,
            from,
            to,
        }
    }

    /// The change that these parts make, of a device with this number of places.
    pub(super) fn change(&self, parts: Vec<Part>, places: usize) -> Option<Change> {
        let first = parts.first()?;
        let same = |part: &Part| (part.of, part.from, part.to) == (first.of, first.from, first.to);
        if parts.len() < places || !parts.iter().all(same) {
            let device = self.name.to_owned();
            return Some(Change::Parts { device, parts });
        }
        let (device, volumes) = (self.name.to_owned(), self.volumes());
        let (from, to) = (first.from, first.to);
        Some(match first.of {
            Amount::Iops => Change::Iops {
                device,
                volumes,
                from,
                to,
            },
            Amount::Size => Change::Size {
                device,
                volumes,
                from,
                to,
            },
            Amount::Throughput => Change::Throughput {
                device,
                volumes,
                from,
                to,
            },
        })
    }
}

impl Part {
    /// A volume with what it would have.
    pub(super) fn applied(&self, volume: &Volume) -> Volume {
        let mut new = volume.clone();
        match self.of {
            Amount::Iops => new.iops = Some(self.to),
            Amount::Size => new.size = Some(Size::new(self.to * GIB)),
            Amount::Throughput => new.throughput = Some(Throughput::new(self.to << 20)),
        }
        new
    }

    /// The override that makes it.
    pub(super) fn edit(&self, spot: &Place<'_>) -> Edit {
        let (path, to) = (&spot.path, self.to);
        match self.of {
            Amount::Iops => Edit::set(format!("{path}.iops"), to),
            Amount::Size => Edit::set(format!("{path}.size"), format!("{to}GiB")),
            Amount::Throughput => {
                Edit::set(format!("{path}.throughput"), Throughput::new(to << 20))
            }
        }
    }
}
