//! How much more fits under the limits that IO passes beside one that it waits for.

use std::collections::HashSet;

use crate::devices::Device;
use crate::id::{LimitId, Owner};
use crate::limits::Limit;
use crate::series::WaitSeries;
use crate::table::VolumeTable;
use crate::waits::LimitWaits;

/// A limit, and what was taken of it while IO waited for one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Room {
    /// The limit over the volumes whose IO it is.
    pub(crate) limit: Limit,
    /// What their IO took of it, in its unit a second.
    pub(crate) own: f64,
    /// What other volumes' took of it, as of a host's.
    pub(crate) others: f64,
    /// Whether it holds now; credits that are not used up do not.
    pub(crate) in_force: bool,
}

impl Room {
    /// How many times the IO fits under the limit.
    pub(crate) fn times(&self) -> f64 {
        match self.own {
            0.0 => f64::INFINITY,
            own => (self.limit.value - self.others) / own,
        }
    }
}

/// The room under the limit of `waits` and under those that its IO passes beside it. `over` are
/// the limits that have a value: of a device's limit over the volumes that waited, of a host's
/// over all. None if the limit is not among them.
pub(crate) fn rooms(
    waits: &LimitWaits,
    over: &[Limit],
    (devices, served): (&[Device], &Served<'_>),
    used_up: impl Fn(&LimitId) -> bool,
) -> Option<(Room, Vec<Room>)> {
    let passing = |limit: &LimitId| -> Vec<String> {
        let passing = devices.iter().filter(|device| device.passes(limit));
        passing.flat_map(|device| device.volumes.clone()).collect()
    };
    let volumes_of = |name: &str| devices.iter().find(|device| device.name == name);
    let waiting = match &waits.limit.owner {
        Owner::Host(_) => &passing(&waits.limit),
        Owner::Device(_) => &waits.volumes,
    };
    let room = |limit: &Limit| Room {
        limit: limit.clone(),
        own: match &limit.limit.owner {
            // Of what a host lets through, a device has a part, which grows with the rest.
            Owner::Device(name) if waits.limit.is_host() => served.of(
                limit,
                &volumes_of(name).map_or(Vec::new(), |own| own.volumes.clone()),
            ),
            _ => served.of(limit, waiting),
        },
        others: match limit.limit.is_host() {
            true => {
                let mut other = passing(&limit.limit);
                other.retain(|name| !waiting.contains(name));
                served.of(limit, &other)
            }
            false => 0.0,
        },
        in_force: !limit.limit.kind.credits || used_up(&limit.limit),
    };
    let passes = |limit: &&Limit| {
        let mut both = devices.iter().filter(|device| device.passes(&waits.limit));
        limit.limit != waits.limit
            && both.any(|device| device.passes(&limit.limit))
            && limit.limit.shares_requests(&waits.limit)
    };
    let own = over.iter().find(|limit| limit.limit == waits.limit)?;
    Some((room(own), over.iter().filter(passes).map(room).collect()))
}

/// What each volume served in the intervals in which IOs waited for a limit.
pub(crate) struct Served<'a> {
    /// By volume: its name, its device, IOs and bytes.
    volumes: Vec<(&'a str, Option<&'a Device>, u64, u64)>,
    seconds: f64,
}

impl<'a> Served<'a> {
    pub(crate) fn during(
        series: Option<&WaitSeries>,
        table: &'a VolumeTable,
        devices: &'a [Device],
    ) -> Self {
        // Starts come from the same column: equal ones have equal bits.
        let starts: HashSet<_> = series
            .into_iter()
            .flat_map(|series| series.t_s.iter().map(|t_s| t_s.to_bits()))
            .collect();
        let of = |name: &String| devices.iter().find(|device| device.volumes.contains(name));
        let names = table.volume.names.iter();
        let mut volumes: Vec<_> = names.map(|name| (name.as_str(), of(name), 0, 0)).collect();
        for (row, t_s) in table.t_s.iter().enumerate() {
            if starts.contains(&t_s.to_bits()) {
                let (_, _, ios, bytes) = &mut volumes[table.volume.index[row]];
                *ios += table.ios[row];
                *bytes += table.bytes[row];
            }
        }
        Self {
            volumes,
            seconds: starts.len() as f64 * table.interval_s(),
        }
    }

    /// What the IO of these volumes took of a limit, in its unit a second.
    fn of(&self, limit: &Limit, names: &[String]) -> f64 {
        let own = self.volumes.iter();
        let own = own.filter(|(name, ..)| names.iter().any(|own| own == name));
        let took = own.map(|&(_, device, ios, bytes)| match device {
            Some(device) => device.takes(&limit.limit, ios, bytes),
            None => limit.limit.counted(ios, bytes),
        });
        match took.sum() {
            0 => 0.0,
            sum => sum as f64 / limit.unit.per_s() / self.seconds,
        }
    }
}
