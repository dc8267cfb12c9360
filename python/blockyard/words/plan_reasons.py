"""Why layouts, volume types and families of instances were rejected, in words."""

import math
from collections.abc import Iterator
from fractions import Fraction

from blockyard.types.plan import Answer, Layout, Reason

# A reason's kind in a word or two.
_NAMES = {
    "volume_iops": "volume IOPS",
    "volume_throughput": "volume throughput",
    "instance_iops": "instance IOPS",
    "instance_throughput": "instance throughput",
    "burst_exhausted": "burst",
    "attachments": "attachments",
    "quota": "quota",
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

# As requirements and scenarios write sizes and times, largest unit first.
_SIZES = (("TiB", 1 << 40), ("GiB", 1 << 30), ("B", 1))
_TIMES = (("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1))
_NO_TIME = "0s"

# How long credits and loads last, and from which number on tenths are left out.
_LONG = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
_NO_TENTHS = 100

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
    return _of_limits(reason) or _of_others(reason)


def _of_limits(reason: Reason) -> str:
    if reason["kind"] == "volume_iops":
        return f"{_iops(reason['needed'], reason['has'])} on {_volumes(reason['volumes'])}"
    if reason["kind"] == "volume_throughput":
        return f"{_throughput(reason['needed'], reason['has'])} on {_volumes(reason['volumes'])}"
    if reason["kind"] == "instance_iops":
        return f"{_iops(reason['needed'], reason['has'])} on {reason['instance']}"
    if reason["kind"] == "instance_throughput":
        return f"{_throughput(reason['needed'], reason['has'])} on {reason['instance']}"
    if reason["kind"] == "burst_exhausted":
        lasts = reason["lasts_s"]
        load = "is sustained" if lasts is None else f"lasts {_lasting(lasts)}"
        spent = f"{reason['limit']} of {reason['owner']}"
        return f"{spent} last {_lasting(reason['after_s'])}, the load {load}"
    if reason["kind"] == "attachments":
        can = f"{reason['has']} can be attached to {reason['instance']}"
        return f"{reason['needed']} volumes with the root's, {can}"
    if reason["kind"] == "quota":
        needed = f"{reason['needed']:,} provisioned IOPS of {reason['volume_type']} needed"
        return f"{needed}, the quota is {reason['has']:,}"
    return ""


def _of_others(reason: Reason) -> str:
    if reason["kind"] == "latency":
        estimate, goal = _micros(reason["estimate_us"]), _micros(reason["goal_us"])
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
        return f"{reason['goal']}: {reason['measured']}"
    if reason["kind"] == "excluded":
        return f"left out by {reason['by']}"
    # A price that is not known, and what the catalog does not offer, say themselves why.
    if reason["kind"] in ("price_unknown", "unavailable"):
        return reason["message"]
    return _EPHEMERAL


def _iops(needed: int, has: int) -> str:
    return f"{needed:,} IOPS needed, {has:,}"


def _throughput(needed: int, has: int) -> str:
    return f"{_mib(needed)} needed, {_mib(has)}"


def _volumes(count: int) -> str:
    return "1 volume" if count == 1 else f"{count} volumes"


def _mib(bytes_per_s: int) -> str:
    """`593.8MiB/s`: rounded up to a tenth."""
    whole, tenth = divmod(-(-bytes_per_s * 10 // (1 << 20)), 10)
    return f"{whole:,}.{tenth}MiB/s" if tenth else f"{whole:,}MiB/s"


def _gib(size: int) -> str:
    return _shortest(-(-size // (1 << 30)) << 30, _SIZES)


def _micros(us: float) -> str:
    return _shortest(_rounded(us), _TIMES) if _rounded(us) else _NO_TIME


def _lasting(seconds: float) -> str:
    """In the largest unit of which there is one, to tenths below 100: `30m`, `23.5h`, `30.2d`."""
    unit, long = next((it for it in _LONG if seconds >= it[1]), _LONG[-1])
    count = seconds / long
    rounded = _rounded(count * 10) / 10 if count < _NO_TENTHS else _rounded(count)
    return f"{rounded:.1f}".removesuffix(".0") + unit


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)


def _shortest(value: int, units: tuple[tuple[str, int], ...]) -> str:
    """The shortest exact form with at least one of a unit; of equally short ones the largest."""
    forms = (f"{exact}{unit}" for unit, one in units for exact in _exact(value, one))
    return min(forms, key=len, default=f"0{units[-1][0]}")


def _exact(value: int, one: int) -> Iterator[str]:
    """In decimals, if there is at least one and they end."""
    if value < one:
        return
    parts = Fraction(value, one)
    places = next((it for it in range(20) if 10**it % parts.denominator == 0), None)
    if places is not None:
        digits = str(parts.numerator * (10**places // parts.denominator))
        yield f"{digits[:-places]}.{digits[-places:]}" if places else digits
