//! How much more fits under a limit, and under the others that the same IO passes.

use std::collections::HashSet;

use crate::limits::Limit;
use crate::limits::id::{LimitId, Owner};
use crate::storage::devices::{Device, Leg, leg_of};
use crate::storage::table::VolumeTable;
use crate::waits::LimitWaits;
use crate::waits::series::WaitSeries;

/// A limit, and what was taken of it while IO waited for one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Headroom {
    /// The limit over the volumes whose IO it is.
    pub(crate) limit: Limit,
    /// What their IO took of it, in its unit a second.
    pub(crate) own: f64,
    /// What other volumes' took of it, as of a host's.
    pub(crate) others: f64,
    /// Whether it holds now; credits that are not used up do not.
    pub(crate) in_force: bool,
}

impl Headroom {
    /// How many times the IO fits under the limit.
    pub(crate) fn times(&self) -> f64 {
        match self.own {
            0.0 => f64::INFINITY,
            own => (self.limit.value - self.others) / own,
        }
    }
}

/// The headroom under the limit of `waits` and under those that its IO passes beside it. `over` are
/// the limits that have a value: of a device's limit over the volumes that waited, of a host's
/// over all. None if the limit is not among them.
pub(crate) fn headrooms(
    waits: &LimitWaits,
    over: &[Limit],
    devices: &[Device],
    served: &Served<'_>,
    used_up: impl Fn(&LimitId) -> bool,
) -> Option<(Headroom, Vec<Headroom>)> {
    let behind = |limit: &LimitId| -> Vec<&str> {
        let each = devices.iter();
        each.flat_map(|device| device.volumes_behind(limit))
            .collect()
    };
    let waiting: Vec<&str> = match &waits.limit.owner {
        Owner::Host(_) => behind(&waits.limit),
        _ => waits.volumes.iter().map(String::as_str).collect(),
    };
    let mut growing = waiting.clone();
    growing.extend(other_legs(devices, &waiting));
    let headroom = |limit: &Limit| {
        let behind = behind(&limit.limit);
        let (own, others): (Vec<_>, Vec<_>) = match &limit.limit.owner {
            Owner::Host(_) => behind.iter().partition(|name| growing.contains(name)),
            owner if *owner == waits.limit.owner => (waiting.clone(), Vec::new()),
            // Of what a host lets through, a device has a part, which grows with the rest; so
            // does what the other leg of a mirror has.
            _ => (behind, Vec::new()),
        };
        Headroom {
            limit: limit.clone(),
            own: served.of(limit, &own),
            others: served.of(limit, &others),
            in_force: !limit.limit.kind.credits || used_up(&limit.limit),
        }
    };
    let passes = |limit: &&Limit| {
        let mut both = devices.iter().filter(|device| device.passes(&waits.limit));
        limit.limit != waits.limit
            && both.any(|device| device.passes(&limit.limit))
            && limit.limit.shares_requests(&waits.limit)
    };
    let own = over.iter().find(|limit| limit.limit == waits.limit)?;
    let beside = over.iter().filter(passes).map(headroom);
    // The other leg of a mirror may have none of it.
    Some((
        headroom(own),
        beside.filter(|headroom| headroom.own > 0.0).collect(),
    ))
}

/// The volumes of the legs beside those that `volumes` are of: whatever is written goes to both.
pub(crate) fn other_legs<'a>(devices: &'a [Device], volumes: &[&str]) -> Vec<&'a str> {
    let is_of = |leg: &Leg| leg.volumes.iter().any(|name| volumes.contains(&&**name));
    let mirrors = devices
        .iter()
        .filter(|device| device.legs.iter().any(is_of));
    let others = mirrors.flat_map(|device| device.legs.iter().filter(|leg| !is_of(leg)));
    others
        .flat_map(|leg| leg.volumes.iter().map(String::as_str))
        .collect()
}

/// What each volume served in the intervals in which IOs waited for a limit.
pub(crate) struct Served<'a> {
    /// By volume: its name, its leg, IOs and bytes.
    volumes: Vec<(&'a str, Option<&'a Leg>, u64, u64)>,
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
        let names = table.volume.names.iter();
        let mut volumes: Vec<_> = names
            .map(|name| (name.as_str(), leg_of(devices, name), 0, 0))
            .collect();
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
    fn of(&self, limit: &Limit, names: &[&str]) -> f64 {
        let own = self.volumes.iter();
        let own = own.filter(|(name, ..)| names.contains(name));
        let took = own.map(|&(_, leg, ios, bytes)| match leg {
            Some(leg) => leg.takes(&limit.limit, ios, bytes),
            None => limit.limit.counted(ios, bytes),
        });
        match took.sum() {
            0 => 0.0,
            sum => sum as f64 / limit.unit.per_s() / self.seconds,
        }
    }
}
