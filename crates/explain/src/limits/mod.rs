//! The limits over each device, its volumes together, or those of each leg.

pub(crate) mod credits;
pub(crate) mod id;
pub(crate) mod in_force;
pub(crate) mod owners;
pub(crate) mod usage;

use blockyard_scenario::ResolvedLimit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::id::{LimitId, Owner};
use crate::limits::owners::Owners;
use crate::limits::usage::Usage;

/// What a limit's value counts, as its provider states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RateUnit {
    /// IOs a second.
    #[serde(rename = "IOPS")]
    Iops,
    /// 2^20 bytes a second.
    #[serde(rename = "MiB/s")]
    MibPerS,
    /// 10^6 bytes a second.
    #[serde(rename = "MB/s")]
    MbPerS,
}

impl RateUnit {
    fn named(name: &str) -> Result<Self, String> {
        match name {
            "IOPS" => Ok(Self::Iops),
            "MiB/s" => Ok(Self::MibPerS),
            "MB/s" => Ok(Self::MbPerS),
            _ => Err(format!("`{name}`; expected IOPS, MiB/s or MB/s")),
        }
    }

    /// How many IOs or bytes a second one is.
    pub(crate) fn per_s(self) -> f64 {
        match self {
            Self::Iops => 1.0,
            Self::MibPerS => f64::from(1 << 20),
            Self::MbPerS => 1e6,
        }
    }
}

/// A limit with its value: of a device or a leg of one, over its volumes together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// Which limit.
    pub limit: LimitId,
    /// What it sustains, in `unit`.
    pub value: f64,
    /// The unit of `value` and of `used`.
    pub unit: RateUnit,
    /// How much of it was used; none where that is not recorded.
    pub used: Option<Usage>,
}

/// The limits that have a value, device by device, then those of hosts; of a device or a leg,
/// summed over those of its volumes that `counts` holds of. How much was used is not known yet.
///
/// # Errors
/// A line that names the limit that cannot be read.
pub(crate) fn limits(
    resolved: &[ResolvedLimit],
    owners: &Owners,
    counts: impl Fn(&str) -> bool,
) -> Result<Vec<Limit>, String> {
    let mut found: Vec<Limit> = Vec::new();
    for (index, limit) in resolved.iter().enumerate() {
        let owner = owners.named(&limit.owner);
        let wanted = matches!(owner, Owner::Host(_)) || counts(&limit.owner);
        let (Some(value), true) = (limit.value, wanted) else {
            continue;
        };
        let place = |field, error| format!("resolved[{index}].{field}: {error}");
        let id = LimitId::of(owner, &limit.limit).map_err(|error| place("limit", error))?;
        match found.iter_mut().find(|known| known.limit == id) {
            Some(known) => known.value += value,
            None => found.push(Limit {
                limit: id,
                value,
                unit: RateUnit::named(&limit.unit).map_err(|error| place("unit", error))?,
                used: None,
            }),
        }
    }
    found.sort_by_key(|limit| limit.limit.is_host());
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{owners, resolved};

    fn values(limits: &[Limit]) -> Vec<(bool, f64, RateUnit)> {
        let value = |found: &Limit| (found.limit.is_host(), found.value, found.unit);
        limits.iter().map(value).collect()
    }

    #[test]
    fn volumes_of_a_device_count_together_and_the_host_comes_last() {
        let all = [
            resolved("host", "throughput", 594.0, "MB/s"),
            resolved("data.0", "iops", 3000.0, "IOPS"),
            resolved("data.1", "iops", 3000.0, "IOPS"),
            resolved("wij", "throughput", 125.0, "MiB/s"),
        ];
        assert_eq!(
            values(&limits(&all, &owners(), |_| true).unwrap()),
            [
                (false, 6000.0, RateUnit::Iops),
                (false, 125.0, RateUnit::MibPerS),
                (true, 594.0, RateUnit::MbPerS)
            ]
        );
        let one = limits(&all, &owners(), |volume| volume == "data.1").unwrap();
        assert_eq!(
            values(&one),
            [
                (false, 3000.0, RateUnit::Iops),
                (true, 594.0, RateUnit::MbPerS)
            ]
        );
    }

    #[test]
    fn what_has_no_published_value_is_no_limit() {
        let mut unpublished = resolved("host", "iops and throughput", 0.0, "");
        unpublished.value = None;
        assert_eq!(limits(&[unpublished], &owners(), |_| true).unwrap(), []);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let wrong =
            |limit, unit| limits(&[resolved("data", limit, 1.0, unit)], &owners(), |_| true);
        assert_eq!(
            wrong("iops", "KB/s").unwrap_err(),
            "resolved[0].unit: `KB/s`; expected IOPS, MiB/s or MB/s"
        );
        assert!(
            wrong("speed", "IOPS")
                .unwrap_err()
                .starts_with("resolved[0].limit: `speed` is no limit")
        );
    }
}
