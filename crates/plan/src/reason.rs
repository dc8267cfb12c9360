//! Why something does not meet a requirement, with the numbers. Their words are
//! `blockyard-report`'s (`plan/reasons.rs`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a layout, a volume type or an instance type does not meet a requirement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// The volumes' IOPS, all together, as they count them.
    VolumeIops {
        /// IOs a second that the load needs of them, headroom included.
        needed: u64,
        /// What as many volumes as are allowed have at most.
        has: u64,
        /// How many volumes.
        volumes: u32,
    },
    /// The volumes' throughput, all together.
    VolumeThroughput {
        /// Bytes a second that the load needs of them, headroom included.
        needed: u64,
        /// What as many volumes as are allowed have at most.
        has: u64,
        /// How many volumes.
        volumes: u32,
    },
    /// The instance's IOPS over all its volumes.
    InstanceIops {
        /// The instance type.
        instance: String,
        /// IOs a second that the load needs of it, headroom included.
        needed: u64,
        /// What it has: its maximum.
        has: u64,
    },
    /// The instance's throughput over all its volumes.
    InstanceThroughput {
        /// The instance type.
        instance: String,
        /// Bytes a second that the load needs of it, headroom included.
        needed: u64,
        /// What it has: its maximum.
        has: u64,
    },
    /// The instance's network, which carries the log to replicas.
    InstanceNetwork {
        /// The instance type.
        instance: String,
        /// Bytes a second that the log to all replicas needs of it, headroom included.
        needed: u64,
        /// What it has at any time.
        has: u64,
    },
    /// Burst credits end before the load does.
    BurstExhausted {
        /// Whose: an instance type or a volume type.
        owner: String,
        /// Of which limit.
        limit: String,
        /// For how long they last under this load, in seconds.
        after_s: f64,
        /// How long the load lasts, in seconds; none if it never ends.
        lasts_s: Option<f64>,
        /// What comes in without credits, in IOs or bytes a second.
        baseline: u64,
    },
    /// More volumes than can be attached.
    Attachments {
        /// The instance type.
        instance: String,
        /// The fewest volumes that would do, the root volume and those that stay free included.
        needed: u64,
        /// How many can be attached.
        has: u64,
    },
    /// More provisioned IOPS than the account may have.
    Quota {
        /// The volume type.
        volume_type: String,
        /// Provisioned IOPS that would be needed.
        needed: u64,
        /// What the account may have.
        has: u64,
    },
    /// More storage than the account may have.
    StorageQuota {
        /// The volume type.
        volume_type: String,
        /// Bytes that would be needed.
        needed: u64,
        /// Bytes that the account may have.
        has: u64,
    },
    /// More volumes than are wanted.
    Volumes {
        /// How many there are.
        needed: u64,
        /// How many there are to be at most.
        has: u64,
    },
    /// Fewer attachments stay free than are wanted.
    SpareAttachments {
        /// The instance type.
        instance: String,
        /// How many are to stay free.
        needed: u64,
        /// How many do.
        has: u64,
    },
    /// Less of the file system stays free than is wanted.
    FreeSpace {
        /// Bytes of the file system that would leave so much free.
        needed: u64,
        /// Bytes that it has.
        has: u64,
    },
    /// The instance type is of a previous generation.
    PreviousGeneration {
        /// The instance type.
        instance: String,
    },
    /// The instance type is made for something else than a database.
    Purpose {
        /// The instance type.
        instance: String,
        /// For what: `burstable`, `GPU`, `inference`, `training`, `FPGA`, `media`, `HPC` or
        /// `macOS`.
        purpose: String,
    },
    /// A latency goal is missed even without any queue.
    Latency {
        /// `read`, `write` or `journal`.
        of: String,
        /// Which quantile, `p99`.
        quantile: String,
        /// The goal, in microseconds.
        goal_us: f64,
        /// What the profile of the volume type gives, in microseconds.
        estimate_us: f64,
    },
    /// The data does not fit.
    Size {
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that as many volumes as are allowed have at most.
        has: u64,
    },
    /// Volumes of the type fail too often.
    Durability {
        /// Failures a year that are allowed, of a million.
        allowed: u64,
        /// Failures a year of the fewest volumes that would do, of a million; none if nothing is
        /// published.
        expected: Option<u64>,
    },
    /// What is on disks of the instance is lost when it stops; the requirement does not allow that.
    Ephemeral,
    /// A price is not known.
    PriceUnknown {
        /// Which, and how to supply it.
        message: String,
    },
    /// The catalog does not offer it on that day behind that instance.
    Unavailable {
        /// Why.
        message: String,
    },
    /// The instance has no published limits over its volumes.
    Unpublished {
        /// The instance type.
        instance: String,
    },
    /// The simulations missed the goals with too many seeds.
    Simulated {
        /// The goal, `reads.latency.p99 < 2ms`.
        goal: String,
        /// What was measured with the first seed that missed it, and how far off that is.
        measured: String,
        /// How many seeds were simulated.
        seeds: u64,
        /// In how many of them the goal holds.
        met: u64,
    },
    /// The requirement itself leaves it out.
    Excluded {
        /// By what.
        by: String,
    },
}

impl Reason {
    /// Without how long credits last where another limit is exceeded even with them: at the rate
    /// that would spend them so fast nothing is served.
    pub(crate) fn without_idle_credits(mut reasons: Vec<Self>) -> Vec<Self> {
        let burst = |it: &Self| matches!(it, Self::BurstExhausted { .. });
        if !reasons.iter().all(burst) {
            reasons.retain(|it| !burst(it));
        }
        reasons
    }

    /// What of an instance type a requirement avoids: its purpose, or `previous generation`.
    pub(crate) fn avoids(&self) -> &str {
        match self {
            Self::Purpose { purpose, .. } => purpose,
            _ => "previous generation",
        }
    }

    /// How much of what is needed there is: 1 if all is, 0 if nothing is or it cannot be said.
    #[must_use]
    pub fn share(&self) -> f64 {
        let share = |has: u64, needed: u64| has as f64 / needed.max(1) as f64;
        match self {
            Self::VolumeIops { needed, has, .. }
            | Self::VolumeThroughput { needed, has, .. }
            | Self::InstanceIops { needed, has, .. }
            | Self::InstanceThroughput { needed, has, .. }
            | Self::InstanceNetwork { needed, has, .. }
            | Self::Attachments { needed, has, .. }
            | Self::Quota { needed, has, .. }
            | Self::StorageQuota { needed, has, .. }
            | Self::Volumes { needed, has }
            | Self::SpareAttachments { needed, has, .. }
            | Self::FreeSpace { needed, has }
            | Self::Size { needed, has } => share(*has, *needed),
            Self::BurstExhausted {
                after_s, lasts_s, ..
            } => lasts_s.map_or(0.0, |lasts| after_s / lasts),
            Self::Latency {
                goal_us,
                estimate_us,
                ..
            } => goal_us / estimate_us,
            Self::Durability { allowed, expected } => {
                expected.map_or(0.0, |expected| share(*allowed, expected))
            }
            Self::PriceUnknown { .. }
            | Self::Unavailable { .. }
            | Self::Unpublished { .. }
            | Self::Simulated { .. }
            | Self::Ephemeral
            | Self::PreviousGeneration { .. }
            | Self::Purpose { .. }
            | Self::Excluded { .. } => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_that_cannot_be_spent_so_fast_are_no_reason() {
        let burst = Reason::BurstExhausted {
            owner: "sc1".to_owned(),
            limit: "throughput_credits".to_owned(),
            after_s: 24.2,
            lasts_s: None,
            baseline: 96 << 20,
        };
        let alone = vec![burst.clone()];
        assert_eq!(Reason::without_idle_credits(alone.clone()), alone);
        let whole = Reason::VolumeThroughput {
            needed: 5_000_000 << 20,
            has: 2_000 << 20,
            volumes: 8,
        };
        let left = Reason::without_idle_credits(vec![burst, whole.clone()]);
        assert_eq!(left, [whole]);
    }
}
