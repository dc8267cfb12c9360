//! Was it the drive? What a load on real storage waited for, as far as could be seen.
//!
//! Latency beyond what the storage is known for is waiting. Each slow interval of a device gets one
//! cause, and the cause that most time was waited for is the verdict. What the figures cannot tell
//! apart is not guessed at: the verdict then is that it cannot be known, and why.

mod at_limit;
mod blame;
mod cause;
mod gap;
mod known;
pub(crate) mod seen;
#[cfg(test)]
mod tests;
mod watched;

use blockyard_model::spec::StorageSpec;
use blockyard_record::thresholds::HELD_BACK;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::known::Known;
use self::seen::{Seen, SeenDevice};
use self::watched::Watched;
use crate::limits::id::LimitId;

/// What a load waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cause {
    /// Storage was as fast as it is sold, and no limit was reached: what was slow lies elsewhere.
    NotStorage,
    /// A limit of the volume.
    VolumeLimit {
        /// Which limit.
        limit: LimitId,
        /// IOs or bytes a second; none where EBS alone tells of it.
        per_s: Option<f64>,
    },
    /// A limit of the instance.
    InstanceLimit {
        /// Which limit.
        limit: LimitId,
        /// IOs or bytes a second; none where EBS alone tells of it.
        per_s: Option<f64>,
    },
    /// Burst credits were used up, which leaves the baseline.
    Credits {
        /// The baseline.
        limit: LimitId,
        /// IOs or bytes a second; none where EBS alone tells of it.
        per_s: Option<f64>,
    },
    /// The volume did nothing while it had IO to do.
    Hung {
        /// The longest time in seconds.
        longest_s: f64,
    },
    /// The volume was slow below its limits.
    Degraded {
        /// What it served of the limit that was nearest, as a share.
        served: f64,
    },
    /// Of devices with equal loads this one was slow, and held back all.
    Leg {
        /// How many times as long its IO took as that of the others.
        times: f64,
    },
    /// Flushes waited for each other.
    Flushes {
        /// How many were in flight in the mean.
        in_flight: f64,
    },
    /// The queues of this machine, before the device had the IO.
    GuestQueue {
        /// The share of the latency.
        share: f64,
    },
    /// The figures do not tell.
    Unknown {
        /// Why not.
        why: Unknown,
    },
}

/// Why it cannot be known what a load waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unknown {
    /// No IO was seen.
    NoIo,
    /// The figures have no latencies.
    NoLatency,
    /// It is not known what the volume is, and so neither its limits nor its usual latency.
    NoVolume,
    /// IO was slow below all limits, from the first to the last: the volume is degraded, or this
    /// machine queues.
    QueueOrVolume,
    /// IO was slow above a baseline, or at it: that depends on how EBS merged sequential IOs.
    Merged,
    /// IO was slow, and there are too few intervals: a limit may have been reached in part of one.
    Coarse,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// What was waited for most.
    pub cause: Cause,
    /// The device that was slow; none if none was.
    pub device: Option<String>,
    /// The share of the intervals with IO in which this was the cause.
    pub time: f64,
    /// The share of all latency of the device that was waited.
    pub waited: f64,
}

impl Verdict {
    fn without_device(cause: Cause) -> Self {
        Self {
            cause,
            device: None,
            time: 0.0,
            waited: 0.0,
        }
    }
}

/// What the load that was `seen` waited for, on a `storage` whose devices have the same names.
#[must_use]
pub fn was_it_the_drive(seen: &Seen, storage: Option<&StorageSpec>) -> Verdict {
    let unknown = |why| Verdict::without_device(Cause::Unknown { why });
    let active = |device: &&SeenDevice| device.intervals.iter().any(|own| own.ios() > 0);
    let active = seen.devices.iter().filter(active);
    let watched = active.map(|device| {
        let known = storage.and_then(|storage| Known::of(storage, seen, &device.name));
        Watched::of(seen, device, known)
    });
    let watched: Vec<_> = watched.collect();
    if watched.is_empty() {
        return unknown(Unknown::NoIo);
    }
    if !watched.iter().all(Watched::has_latencies) {
        return unknown(Unknown::NoLatency);
    }
    let found = watched.iter().enumerate().filter_map(|(place, device)| {
        let others = watched.iter().enumerate();
        let others = others.filter(|(other, _)| *other != place);
        device.verdict(&others.map(|(_, other)| other).collect::<Vec<_>>())
    });
    let worst = found.max_by(|one, other| one.1.total_cmp(&other.1));
    match worst {
        Some((verdict, _)) if verdict.waited >= HELD_BACK => verdict,
        _ if watched.iter().any(Watched::is_unsure) => unknown(Unknown::NoVolume),
        _ => Verdict::without_device(Cause::NotStorage),
    }
}
