"""What CloudWatch reports of volumes that run into limits, and from when on it is an alarm.

Metrics, their dimensions and where they exist are of "Amazon CloudWatch metrics for Amazon EBS" in
the EBS user guide (https://docs.aws.amazon.com/ebs/latest/userguide/using_cloudwatch_ebs.html).
"""

import re

from blockyard.formats.provisioning.layout import Layout

#: Whether a volume takes any IO, 0 or 1 each minute.
STALLED = "VolumeStalledIOCheck"

#: By volume and instance, 0 or 1 each minute: the minutes in a row after which it is an alarm. A
#: volume is at its limit now and then in good health, which five minutes are not; IO that
#: stalls for two is an outage. None exist on Xen; of shared and of magnetic volumes only the last.
VOLUME_CHECKS = {
    "VolumeIOPSExceededCheck": 5,
    "VolumeThroughputExceededCheck": 5,
    STALLED: 2,
}

#: Likewise by instance, on Nitro but not on bare metal.
INSTANCE_CHECKS = {
    "InstanceEBSIOPSExceededCheck": 5,
    "InstanceEBSThroughputExceededCheck": 5,
}

#: By volume: the percentage of a burst balance that is left.
BALANCE = "BurstBalance"

#: A fifth of a full balance: a gp2 volume at 3,000 IOPS uses that up in 6 minutes or more.
BALANCE_LEFT = 20

_WITH_BALANCE = ("gp2", "st1", "sc1")

#: The tag that Data Lifecycle Manager finds instances by, whose value is the scenario's name.
SNAPSHOT_TAG = "Scenario"

#: How many hours may lie between two snapshots of a policy.
SNAPSHOT_HOURS = (1, 2, 3, 4, 6, 8, 12, 24)


def with_balance(layout: Layout) -> list[str]:
    """Give the types of volume in a layout that have a burst balance."""
    used = {volume.type for volume in layout.volumes if not volume.local}
    return [kind for kind in _WITH_BALANCE if kind in used]


def policy_description(layout: Layout) -> str:
    """What a policy is for, in the letters that Data Lifecycle Manager takes."""
    return "Volumes of " + (re.sub("[^0-9A-Za-z _-]+", "_", layout.name)[:400] or "_")
