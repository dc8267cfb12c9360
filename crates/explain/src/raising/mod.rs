//! What raising a limit would bring: which limit would be reached next.

pub(crate) mod headroom;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::id::LimitId;
use crate::limits::{Limit, RateUnit};
use crate::raising::headroom::Headroom;
use crate::storage::devices::Device;
use crate::waits::LimitWaits;

/// Limits that differ by less are reached together.
const SAME: f64 = 1.02;
/// A job that takes fewer of the tokens is no cause of others' waiting.
const TAKES: f64 = 0.2;

/// What raising a limit would bring to the jobs that wait for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Raising {
    /// The jobs that wait.
    pub helps: Vec<String>,
    /// How far that goes, as long as there are burst credits.
    pub next: Next,
    /// Credits that are not used up, of whose rate less is left than of all other limits: what
    /// lasts.
    pub lasts: Option<InIos>,
    /// Jobs that make others wait by taking much of what there is.
    pub takers: Vec<Taker>,
}

/// What comes after a limit that is raised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Next {
    /// There is no other limit.
    Nothing,
    /// Another limit, further up.
    UpTo(InIos),
    /// Another limit is reached as soon.
    AtOnce(InIos),
}

/// A limit of bytes, also in IOs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InIos {
    /// Which limit.
    pub limit: LimitId,
    /// Its value over the volumes that waited, with its unit.
    pub value: (f64, RateUnit),
    /// IOs a second, and the bytes of each; none for a limit of IOs, and where the size is not
    /// known.
    pub ios: Option<(f64, f64)>,
}

/// A job that takes tokens that others wait for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Taker {
    /// The job.
    pub job: String,
    /// Its share of the tokens that IOs waited for.
    pub took: f64,
    /// The jobs that wait besides it.
    pub others: Vec<String>,
}

/// What raising the limit of `waits` would bring, with the headroom under it and `others`.
pub(crate) fn raising(
    waits: &LimitWaits,
    own: &Headroom,
    others: &[Headroom],
    devices: &[Device],
) -> Raising {
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
    let least = |in_force: bool| {
        let headrooms = others
            .iter()
            .filter(|headroom| headroom.in_force == in_force);
        headrooms.min_by(|a, b| a.times().total_cmp(&b.times()))
    };
    let next = least(true);
    let reached = |headroom: &Headroom| InIos::of(&headroom.limit, devices);
    Raising {
        helps: waiting(""),
        lasts: least(false)
            .filter(|headroom| next.is_none_or(|next| headroom.times() < next.times()))
            .map(reached),
        next: match next {
            None => Next::Nothing,
            Some(headroom) if headroom.times() > SAME * own.times() => {
                Next::UpTo(reached(headroom))
            }
            Some(headroom) => Next::AtOnce(reached(headroom)),
        },
        takers: takers
            .map(taker)
            .filter(|taker| !taker.others.is_empty())
            .collect(),
    }
}

impl InIos {
    /// A limit; in IOs of its device's mean size if it is a device's own.
    pub(crate) fn of(limit: &Limit, devices: &[Device]) -> Self {
        let mut devices = devices.iter();
        let own = devices.find(|device| limit.limit.is_of(&device.name));
        let own = own.filter(|_| limit.unit != RateUnit::Iops);
        Self {
            limit: limit.limit.clone(),
            value: (limit.value, limit.unit),
            ios: own.and_then(|device| device.ios_of(limit)),
        }
    }
}

#[cfg(test)]
mod tests;
