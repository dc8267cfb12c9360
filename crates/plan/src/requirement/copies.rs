//! Which instances have a copy of the data, and what of the load goes from the first to the others.

use blockyard_text::units::Throughput;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::load::profile::Counted;
use crate::load::streams::Stream;
use crate::requirement::needs::Needs;
use crate::requirement::schema::{Availability, Requirement};

/// Nodes beside the first, such as the others of a Galera cluster or a database's standbys. Each
/// has an instance of its own with all the volumes, and could bear the whole load.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replicas {
    /// How many, from 1 to 15.
    pub count: ReplicaCount,
    /// Where they are.
    #[serde(default)]
    pub zones: ReplicaZones,
    /// Bytes of log or write sets a second that each gets; by default all bytes written, which is
    /// more than most logs.
    pub log: Option<Throughput>,
}

/// From 1 to 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "i64")]
pub struct ReplicaCount(#[schemars(range(min = 1, max = 15))] u32);

impl TryFrom<i64> for ReplicaCount {
    type Error = String;

    fn try_from(count: i64) -> Result<Self, String> {
        match u32::try_from(count) {
            Ok(count @ 1..=15) => Ok(Self(count)),
            _ => Err(format!(
                "`{count}` replicas are out of range; expected 1 to 15"
            )),
        }
    }
}

/// Where replicas are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplicaZones {
    /// In the zone of the first.
    Same,
    /// In other zones than the first.
    #[default]
    Another,
}

/// Which instances have a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copies {
    /// One.
    #[default]
    One,
    /// Two in two zones: what is written is written to both.
    Mirror,
    /// One, and others that get its log.
    Replicated(Replication),
}

/// Where a log goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replication {
    /// How many replicas.
    pub replicas: u32,
    /// Where they are.
    pub zones: ReplicaZones,
    /// Bytes a second of log; none if all that is written counts.
    pub log: Option<u64>,
}

impl Copies {
    pub(crate) fn of(it: &Requirement) -> Self {
        match (&it.replicas, it.availability) {
            (Some(replicas), _) => Self::Replicated(Replication {
                replicas: replicas.count.0,
                zones: replicas.zones,
                log: replicas.log.map(Throughput::bytes_per_s),
            }),
            (None, Availability::Mirror) => Self::Mirror,
            (None, Availability::Single) => Self::One,
        }
    }

    /// How many instances.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Mirror => 2,
            Self::Replicated(of) => 1 + of.replicas,
        }
    }

    /// How many are in another zone than the first.
    pub(crate) const fn elsewhere(self) -> u32 {
        match self {
            Self::One => 0,
            Self::Replicated(of) if matches!(of.zones, ReplicaZones::Same) => 0,
            Self::Mirror | Self::Replicated(_) => self.count() - 1,
        }
    }

    /// The same with a log of so many thousandths.
    pub(crate) fn scaled(self, permille: u64) -> Self {
        match self {
            Self::Replicated(of) => Self::Replicated(Replication {
                log: of.log.map(|log| (log * permille / 1000).max(1)),
                ..of
            }),
            other => other,
        }
    }
}

/// Bytes written a second.
fn written(mix: &[Stream]) -> u64 {
    let writes = mix.iter().filter(|it| it.write);
    writes.map(Stream::bytes).sum()
}

impl Needs {
    /// Bytes a second that a replica gets, with headroom; none without replicas.
    pub(crate) fn log(&self) -> Option<Counted> {
        let Copies::Replicated(of) = self.copies else {
            return None;
        };
        let stated = of.log.map(|log| {
            let left = 1000 - self.headroom.min(999);
            (log * 1000).div_ceil(left)
        });
        let all = self.mixes(true);
        Some(Counted::of(&all, |mix| {
            stated.unwrap_or_else(|| written(mix))
        }))
    }

    /// Bytes a second that the network of the first carries to replicas, with headroom.
    pub(crate) fn sent(&self) -> Option<Counted> {
        let replicas = u64::from(self.copies.count() - 1);
        let each = |log: u64| log.saturating_mul(replicas);
        Some(Counted(self.log()?.0.into_iter().map(each).collect()))
    }

    /// Bytes that go from zone to zone in a month.
    pub(crate) fn between_zones(&self) -> u64 {
        let elsewhere = u64::from(self.copies.elsewhere());
        let each = match self.copies {
            _ if elsewhere == 0 => return 0,
            Copies::Replicated(Replication { log: Some(log), .. }) => self.over_month(|_| log),
            _ => self.over_month(written),
        };
        each.saturating_mul(elsewhere)
    }
}
