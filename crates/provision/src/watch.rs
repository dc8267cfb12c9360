//! What CloudWatch reports of volumes that run into limits, and from when on it is an alarm.
//!
//! Metrics, their dimensions and where they exist are of "Amazon CloudWatch metrics for Amazon EBS"
//! in the EBS user guide
//! (<https://docs.aws.amazon.com/ebs/latest/userguide/using_cloudwatch_ebs.html>).

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use crate::layout::Layout;

/// Whether a volume takes any IO, 0 or 1 each minute.
pub(crate) const STALLED: &str = "VolumeStalledIOCheck";

/// By volume and instance, 0 or 1 each minute: the minutes in a row after which it is an alarm. A
/// volume is at its limit now and then in good health, which five minutes are not; IO that
/// stalls for two is an outage. None exist on Xen; of shared and of magnetic volumes only the last.
pub(crate) const VOLUME_CHECKS: [(&str, u32); 3] = [
    ("VolumeIOPSExceededCheck", 5),
    ("VolumeThroughputExceededCheck", 5),
    (STALLED, 2),
];

/// Likewise by instance, on Nitro but not on bare metal.
pub(crate) const INSTANCE_CHECKS: [(&str, u32); 2] = [
    ("InstanceEBSIOPSExceededCheck", 5),
    ("InstanceEBSThroughputExceededCheck", 5),
];

/// By volume: the percentage of a burst balance that is left.
pub(crate) const BALANCE: &str = "BurstBalance";

/// A fifth of a full balance: a gp2 volume at 3,000 IOPS uses that up in 6 minutes or more.
pub(crate) const BALANCE_LEFT: u32 = 20;

/// The types of volume that have one.
const WITH_BALANCE: [&str; 3] = ["gp2", "st1", "sc1"];

/// The tag that Data Lifecycle Manager finds instances by, whose value is the scenario's name.
pub(crate) const SNAPSHOT_TAG: &str = "Scenario";

/// How many hours may lie between two snapshots of a policy.
pub(crate) const SNAPSHOT_HOURS: [u32; 8] = [1, 2, 3, 4, 6, 8, 12, 24];

/// What is watched of a layout, and how its policy of snapshots is called.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Watch {
    /// Checks by volume and instance: the minutes in a row for which one must fail.
    volume_checks: IndexMap<&'static str, u32>,
    /// Checks by instance, likewise.
    instance_checks: IndexMap<&'static str, u32>,
    /// Of the checks by volume, the one that exists of all volumes.
    stalled: &'static str,
    /// The metric of a burst balance.
    balance: &'static str,
    /// The percentage below which that is an alarm.
    balance_left: u32,
    /// The types of the layout's volumes that have a burst balance.
    with_balance: Vec<&'static str>,
    /// The tag of instances that are snapshotted.
    snapshot_tag: &'static str,
    /// How many hours may lie between two snapshots.
    snapshot_hours: Vec<u32>,
    /// What the policy is for.
    policy_description: String,
}

impl Watch {
    pub(crate) fn of(layout: &Layout) -> Self {
        Self {
            volume_checks: VOLUME_CHECKS.into(),
            instance_checks: INSTANCE_CHECKS.into(),
            stalled: STALLED,
            balance: BALANCE,
            balance_left: BALANCE_LEFT,
            with_balance: with_balance(layout),
            snapshot_tag: SNAPSHOT_TAG,
            snapshot_hours: SNAPSHOT_HOURS.into(),
            policy_description: policy_description(layout),
        }
    }
}

/// The types of volume in a layout that have a burst balance.
pub(crate) fn with_balance(layout: &Layout) -> Vec<&'static str> {
    let bought = layout.volumes.iter().filter(|volume| !volume.local);
    let is_used = |kind: &&str| bought.clone().any(|volume| volume.volume_type == *kind);
    WITH_BALANCE.into_iter().filter(is_used).collect()
}

/// What a policy is for, in the letters that Data Lifecycle Manager takes; `_` for any others.
pub(crate) fn policy_description(layout: &Layout) -> String {
    let is_taken = |letter: char| letter.is_ascii_alphanumeric() || " _-".contains(letter);
    let mut description = "Volumes of ".to_owned();
    let mut replaced = false;
    for letter in layout.name.chars() {
        if is_taken(letter) {
            description.push(letter);
        } else if !replaced {
            description.push('_');
        }
        replaced = !is_taken(letter);
    }
    description
}
