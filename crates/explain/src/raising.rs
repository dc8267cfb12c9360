//! What raising a limit would bring: which limit would be reached next.

use std::collections::HashSet;

use blockyard_model::spec::Unit;
use serde::Serialize;

use crate::devices::Device;
use crate::id::LimitId;
use crate::limits::{Limit, RateUnit};
use crate::series::WaitSeries;
use crate::table::VolumeTable;
use crate::waits::LimitWaits;

/// Limits that differ by less are reached together.
const SAME: f64 = 1.02;
/// A job that takes fewer of the tokens is no cause of others' waiting.
const TAKES: f64 = 0.2;

/// What raising a limit would bring to the jobs that wait for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Raising {
    /// The jobs that wait.
    pub helps: Vec<String>,
    /// How far that goes.
    pub next: Next,
    /// Jobs that make others wait by taking much of what there is.
    pub takers: Vec<Taker>,
}

/// What comes after a limit that is raised.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Next {
    /// It is a host's: it takes another instance.
    OtherHost {
        /// The limit's value.
        value: (f64, RateUnit),
    },
    /// There is no other limit.
    Nothing,
    /// Another limit, further up.
    UpTo(InIos),
    /// Another limit is reached as soon.
    AtOnce(InIos),
    /// Credits would be used up sooner; what lasts is their rate.
    Credits(InIos),
}

/// A limit of bytes, also in IOs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InIos {
    /// Which limit.
    pub limit: LimitId,
    /// Its value over the volumes that waited, with its unit.
    pub value: (f64, RateUnit),
    /// (IOs a second, of so many bytes each); none for one of IOs, and where the size is
    /// not known.
    pub ios: Option<(f64, f64)>,
}

/// A job that takes tokens that others wait for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Taker {
    /// The job.
    pub job: String,
    /// Its share of the tokens that IOs waited for.
    pub took: f64,
    /// The jobs that wait besides it.
    pub others: Vec<String>,
}

/// What raising the limit of `waits` would bring. `over` are the limits that have a value,
/// over the volumes that waited; none if this one is not among them.
pub(crate) fn raising(
    waits: &LimitWaits,
    over: &[Limit],
    devices: &[Device],
    served: &Served,
) -> Option<Raising> {
    let limit = over.iter().find(|limit| limit.limit == waits.limit)?;
    let waiting = |but: &str| -> Vec<String> {
        let others = waits
            .jobs
            .iter()
            .filter(|job| job.waited_s > 0.0 && job.job != but);
        others.map(|job| job.job.clone()).collect()
    };
    let takers = waits.jobs.iter().filter(|job| job.took >= TAKES);
    let taker = |job: &crate::waits::JobWait| Taker {
        job: job.job.clone(),
        took: job.took,
        others: waiting(&job.job),
    };
    Some(Raising {
        helps: waiting(""),
        next: next(waits, limit, over, devices, served),
        takers: takers
            .map(taker)
            .filter(|taker| !taker.others.is_empty())
            .collect(),
    })
}

fn next(
    waits: &LimitWaits,
    limit: &Limit,
    over: &[Limit],
    devices: &[Device],
    served: &Served,
) -> Next {
    let Some(device) = devices
        .iter()
        .find(|device| limit.limit.is_of(&device.name))
    else {
        let value = (limit.value, limit.unit);
        return Next::OtherHost { value };
    };
    let room = |other: &Limit| served.room(other, &waits.volumes);
    let others = over.iter().filter(|other| {
        other.limit != limit.limit
            && device.passes(&other.limit)
            && other.limit.shares_requests(&limit.limit)
    });
    let Some(following) = others.min_by(|a, b| room(a).total_cmp(&room(b))) else {
        return Next::Nothing;
    };
    let reached = InIos::of(following, device);
    if room(following) > SAME * room(limit) {
        Next::UpTo(reached)
    } else if following.limit.kind.credits {
        Next::Credits(reached)
    } else {
        Next::AtOnce(reached)
    }
}

impl InIos {
    /// A limit over a device; in IOs of the device's mean size if it is the device's own.
    pub(crate) fn of(limit: &Limit, device: &Device) -> Self {
        let size = device
            .io_bytes
            .filter(|_| !limit.limit.is_host() && limit.unit != RateUnit::Iops);
        Self {
            limit: limit.limit.clone(),
            value: (limit.value, limit.unit),
            ios: size.map(|size| (limit.in_iops(size), size)),
        }
    }
}

/// What each volume served in the intervals in which IOs waited for a limit.
pub(crate) struct Served {
    /// By volume: its name, the host that its IO passes, if it does, IOs and bytes.
    volumes: Vec<(String, Option<String>, u64, u64)>,
    seconds: f64,
}

impl Served {
    pub(crate) fn during(
        series: Option<&WaitSeries>,
        table: &VolumeTable,
        devices: &[Device],
    ) -> Self {
        // Starts come from the same column: equal ones have equal bits.
        let starts: HashSet<_> = series
            .into_iter()
            .flat_map(|series| series.t_s.iter().map(|t_s| t_s.to_bits()))
            .collect();
        let behind = |name: &String| {
            let mut devices = devices.iter().filter(|device| device.behind_host);
            let device = devices.find(|device| device.volumes.contains(name))?;
            Some(device.host.clone())
        };
        let names = table.volume.names.iter();
        let mut volumes: Vec<_> = names
            .map(|name| (name.clone(), behind(name), 0, 0))
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

    /// How many times the IO of the volumes `own` fits under a limit. Of what a host
    /// lets through, what its other volumes served is taken off.
    fn room(&self, limit: &Limit, own: &[String]) -> f64 {
        let served = |counts: &dyn Fn(&String, Option<&str>) -> bool| {
            let volumes = self.volumes.iter();
            let counted = volumes.filter(|(name, behind, _, _)| counts(name, behind.as_deref()));
            let sum: u64 = counted
                .map(|(_, _, ios, bytes)| match limit.limit.kind.counts {
                    Unit::Io => *ios,
                    Unit::Byte => *bytes,
                })
                .sum();
            match sum {
                0 => 0.0,
                sum => sum as f64 / limit.unit.per_s() / self.seconds,
            }
        };
        let others = match limit.limit.host() {
            Some(host) => served(&|name, behind| behind == Some(host) && !own.contains(name)),
            None => 0.0,
        };
        match served(&|name, _| own.contains(name)) {
            0.0 => f64::INFINITY,
            own => (limit.value - others) / own,
        }
    }
}

#[cfg(test)]
mod tests;
