"""The limits in force over a device, as levels and lines of a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from blockyard.pages.figure import Level, Series
from blockyard.runs.run import Run
from blockyard.text.limit_names import host, qualifier
from blockyard.types.facts import Device, InForce

Unit = Literal["IOPS", "MiB/s"]

# What a chart's unit counts, and how many IOs or bytes a second it is.
_COUNTED = {"IOPS": ("ios", 1), "MiB/s": ("bytes", 2**20)}

# Limits above this many times the highest point would flatten the chart.
_HEADROOM = 2.0


@dataclass(frozen=True)
class Limits:
    """What to draw of the limits over a device, and in words what lies beyond."""

    levels: Sequence[Level]
    series: Sequence[Series]
    beyond: str


@dataclass(frozen=True)
class _Limit:
    label: str
    # In the chart's unit: one value, or one for each interval where it changed; None while it
    # does not hold.
    values: Sequence[float | None]

    @property
    def least(self) -> float:
        return min(value for value in self.values if value is not None)


def over(run: Run, device: str, unit: Unit, highest: float, count: int) -> Limits:
    """The limits over a device whose chart's highest point is given.

    A limit that changed while the run went on is a line over the first `count` intervals.
    """
    limits = _limits(run, device, unit)
    shown = [limit for limit in limits if limit.least <= _HEADROOM * highest]
    beyond = [limit for limit in limits if limit not in shown]
    steady: dict[float, list[str]] = {}
    for limit in shown:
        if len(limit.values) == 1:
            steady.setdefault(limit.least, []).append(limit.label)
    return Limits(
        [
            Level(f"{', '.join(labels)}: {value:,.0f} {unit}", value)
            for value, labels in sorted(steady.items())
        ],
        [
            Series(f"limit of {limit.label}", limit.values[:count], None, "dashed", stepped=True)
            for limit in shown
            if len(limit.values) > 1
        ],
        ", ".join(f"{limit.label} {limit.least:,.0f} {unit}" for limit in beyond),
    )


def _limits(run: Run, device: str, unit: Unit) -> list[_Limit]:
    """The limits of a device's volumes, summed, of each leg of a mirror, and of their hosts."""
    counts, worth = _COUNTED[unit]
    return [
        _Limit(
            _label(found, in_force),
            [
                None if value is None else value / worth / _alike(found, in_force)
                for value in in_force["per_s"]
            ],
        )
        for found in (run.facts["devices"] if run.facts else [])
        if found["name"] == device
        for in_force in found["in_force"]
        if in_force["limit"]["counts"] == counts
        if any(value is not None for value in in_force["per_s"])
    ]


def _alike(device: Device, in_force: InForce) -> int:
    """How many legs have a limit each: what is written comes to both.

    One that changed may have changed on one leg alone.
    """
    limit = in_force["limit"]
    together = limit["device"] and not limit["leg"] and len(in_force["per_s"]) == 1
    return len(device["legs"]) if together else 1


def _label(device: Device, in_force: InForce) -> str:
    limit = in_force["limit"]
    volumes = sum(len(leg["volumes"]) for leg in device["legs"])
    below = "volume" if volumes == 1 else f"{volumes} volumes"
    if _alike(device, in_force) > 1:
        below = "each leg"
    own = f"leg {limit['leg']}" if limit["leg"] else below
    whose = own if limit["device"] else host(limit["host"])
    return " ".join(filter(None, (whose, qualifier(limit))))
