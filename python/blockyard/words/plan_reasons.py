"""Why layouts, volume types and families of instances were rejected, in words."""

import math

from blockyard.text.formatting import duration, number, quantity
from blockyard.types.plan import Answer, Layout, Reason
from blockyard.types.plan.reason import (
    InstanceIopsReason,
    InstanceThroughputReason,
    QuotaReason,
    StorageQuotaReason,
    VolumeIopsReason,
    VolumeThroughputReason,
)

# A reason's kind in a word or two.
_NAMES = {
    "volume_iops": "volume IOPS",
    "volume_throughput": "volume throughput",
    "instance_iops": "instance IOPS",
    "instance_throughput": "instance throughput",
    "burst_exhausted": "burst",
    "attachments": "attachments",
    "quota": "quota",
    "storage_quota": "quota",
    "volumes": "volumes",
    "spare_attachments": "attachments",
    "free_space": "free space",
    "previous_generation": "previous generation",
    "purpose": "purpose",
    "latency": "latency",
    "size": "size",
    "durability": "durability",
    "ephemeral": "durability",
    "price_unknown": "price unknown",
    "unavailable": "not available",
    "unpublished": "no published limits",
    "simulated": "simulation",
    "excluded": "left out",
}

_EPHEMERAL = (
    "what is on disks of the instance is lost when it stops; `durability: ephemeral` allows that"
)

# What an instance is that is made for something else than a database.
_PURPOSES = {
    "burstable": "is burstable, and slows down once its CPU credits are used up",
    "HPC": "is made for high-performance computing",
    "macOS": "runs macOS",
}

# Kind and sentence.
Said = tuple[str, str]


def rejected(answer: Answer) -> list[tuple[str, list[Said]]]:
    """All reasons of a plan, by what they are of.

    That is a layout that was dropped, a volume type, a family of instances, or `today`.
    """
    reasons = [(layout(one["layout"]), one["reasons"]) for one in answer["dropped"]]
    reasons += [(one["type"], one["reasons"]) for one in answer["rejected"]]
    reasons += [(one["family"], one["reasons"]) for one in answer["families"]]
    if answer["current"] is not None:
        reasons.append(("today", answer["current"]["missed"]))
    return [(name, [(kind(one), text(one)) for one in of]) for name, of in reasons if of]


def layout(of: Layout) -> str:
    """A layout that was dropped: its volumes and its instance."""
    return f"{of['data']['count']} x {of['data']['type']} on {of['instance']}"


def kind(reason: Reason) -> str:
    """The kind of a reason in a word or two, `instance IOPS`."""
    return _NAMES[reason["kind"]]


def text(reason: Reason) -> str:
    """A reason with its figures, in one line."""
    return _of_limits(reason) or _of_preferences(reason) or _of_others(reason)


def _of_limits(reason: Reason) -> str:
    if reason["kind"] in ("volume_iops", "volume_throughput"):
        return f"{_short(reason)} on {_volumes(reason['volumes'])}"
    if reason["kind"] in ("instance_iops", "instance_throughput"):
        return f"{_short(reason)} on {reason['instance']}"
    if reason["kind"] == "burst_exhausted":
        lasts = reason["lasts_s"]
        load = "is sustained" if lasts is None else f"lasts {duration(lasts)}"
        spent = f"{reason['limit']} of {reason['owner']}"
        return f"{spent} last {duration(reason['after_s'])}, the load {load}"
    if reason["kind"] == "attachments":
        can = f"{reason['has']} can be attached to {reason['instance']}"
        return f"{reason['needed']} volumes with the root's and spare attachments, {can}"
    return ""


def _of_preferences(reason: Reason) -> str:
    if reason["kind"] == "quota":
        needed = f"{reason['needed']:,} provisioned IOPS"
        return _over_quota(reason, "quotas", needed, f"{reason['has']:,}")
    if reason["kind"] == "storage_quota":
        return _over_quota(reason, "storage_quotas", _gib(reason["needed"]), _gib(reason["has"]))
    if reason["kind"] == "volumes":
        return f"{_volumes(reason['needed'])}, {reason['has']} at most"
    if reason["kind"] == "spare_attachments":
        return f"of {reason['instance']} {reason['has']} stay free, {reason['needed']} wanted"
    if reason["kind"] == "free_space":
        return f"a file system of {_gib(reason['has'])}, {_gib(reason['needed'])} with free space"
    if reason["kind"] == "previous_generation":
        return f"{reason['instance']} is of a previous generation"
    if reason["kind"] == "purpose":
        accelerated = f"pays for an accelerator ({reason['purpose']})"
        return f"{reason['instance']} {_PURPOSES.get(reason['purpose'], accelerated)}"
    return ""


def _of_others(reason: Reason) -> str:
    if reason["kind"] == "latency":
        estimate, goal = (
            quantity(us / 1e3, "ms") for us in (reason["estimate_us"], reason["goal_us"])
        )
        of = f"{reason['quantile']} of {reason['of']}"
        return f"{of} is {estimate} without any queue, the goal {goal}"
    if reason["kind"] == "size":
        return f"{_gib(reason['needed'])} needed, {_gib(reason['has'])} at most"
    if reason["kind"] == "durability":
        if reason["expected"] is None:
            return "no durability is published"
        return f"{reason['expected']} of a million lost in a year, {reason['allowed']} allowed"
    if reason["kind"] == "unpublished":
        return f"no limits over the volumes of {reason['instance']} are published"
    if reason["kind"] == "simulated":
        seeds = f"holds in {reason['met']} of {reason['seeds']} seeds"
        return f"{reason['goal']}: {seeds}, missed with {reason['measured']}"
    if reason["kind"] == "excluded":
        return f"left out by {reason['by']}"
    # A price that is not known, and what the catalog does not offer, say themselves why.
    if reason["kind"] in ("price_unknown", "unavailable"):
        return reason["message"]
    return _EPHEMERAL


def _short(
    of: VolumeIopsReason | VolumeThroughputReason | InstanceIopsReason | InstanceThroughputReason,
) -> str:
    """What is needed and what there is, of IOPS or throughput."""
    if of["kind"] in ("volume_iops", "instance_iops"):
        return f"{of['needed']:,} IOPS needed, {of['has']:,}"
    return f"{_mib(of['needed'])} needed, {_mib(of['has'])}"


def _over_quota(of: QuotaReason | StorageQuotaReason, key: str, needed: str, has: str) -> str:
    """What is above a quota of an account; `key` of the requirement states another."""
    name = of["volume_type"]
    return f"{needed} of {name} needed, the quota is {has}; `{key}: {{{name}: …}}` states yours"


def _volumes(count: int) -> str:
    return "1 volume" if count == 1 else f"{count} volumes"


def _mib(bytes_per_s: int) -> str:
    """`593.8 MiB/s`: rounded up to a tenth, so that too little never looks like enough."""
    return f"{number(math.ceil(bytes_per_s * 10 / (1 << 20)) / 10, 5)} MiB/s"


def _gib(size: int) -> str:
    return f"{-(-size // (1 << 30)):,} GiB"
