"""The limits in force over a device, as levels and lines of a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.limit_names import HOST, qualifier
from blockyard.report.figure import Level, Series
from blockyard.report.limits import WORTH, behind_host, volumes_of
from blockyard.run import Run

Unit = Literal["IOPS", "MiB/s"]

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
    # In the chart's unit: one value, or one for each interval where it changed.
    values: Sequence[float]


def over(run: Run, device: str, unit: Unit, highest: float, count: int) -> Limits:
    """The limits over a device whose chart's highest point is given.

    A limit that changed while the run went on is a line over the first `count` intervals.
    """
    limits = _limits(run, device, unit)
    shown = [limit for limit in limits if min(limit.values) <= _HEADROOM * highest]
    beyond = [limit for limit in limits if limit not in shown]
    steady: dict[float, list[str]] = {}
    for limit in shown:
        if len(limit.values) == 1:
            steady.setdefault(limit.values[0], []).append(limit.label)
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
        ", ".join(f"{limit.label} {min(limit.values):,.0f} {unit}" for limit in beyond),
    )


def _limits(run: Run, device: str, unit: Unit) -> list[_Limit]:
    """The limits of a device's volumes, summed, and of the host above them."""
    volumes = volumes_of(run, device)
    below = "volume" if len(volumes) == 1 else f"{len(volumes)} volumes"
    return [
        *_of(run, volumes, volumes, "", below, unit),
        *(
            _of(run, [HOST], volumes[:1], f"{HOST}.", "instance", unit)
            if behind_host(run, device)
            else ()
        ),
    ]


def _of(
    run: Run, owners: list[str], volumes: list[str], prefix: str, label: str, unit: Unit
) -> list[_Limit]:
    """Limits of owners, which `volumes` have in their rows under the prefix."""
    resolved = {
        limit["limit"]: WORTH[limit["unit"]]
        for limit in run.result["resolved"]
        if limit["owner"] in owners and (limit["unit"] == "IOPS") == (unit == "IOPS")
    }
    limits = []
    for name, worth in resolved.items():
        if run.volumes.num_rows:
            values = _in_force(run.volumes, volumes, prefix + name)
        else:
            values = _as_resolved(run, owners, name, worth)
        shown = " ".join(filter(None, (label, qualifier(name))))
        if values:
            limits.append(_Limit(shown, [value / WORTH[unit] for value in values]))
    return limits


def _in_force(table: pa.Table, volumes: list[str], key: str) -> list[float]:
    """The sum over the volumes that have a limit, by interval if it changed."""
    columns = []
    for volume in volumes:
        rows = table.filter(pc.equal(table["volume"], volume))
        column = pc.map_lookup(rows["limits"], key, "first").drop_null()
        if len(column):
            columns.append(column)
    if columns and all(len(pc.unique(column)) == 1 for column in columns):
        return [float(sum(column[0].as_py() for column in columns))]
    return [float(sum(rates)) for rates in zip(*(c.to_pylist() for c in columns), strict=False)]


def _as_resolved(run: Run, owners: list[str], name: str, worth: int) -> list[float]:
    """The sum over owners as the result states it; nothing where none is published."""
    values = [
        limit["value"]
        for limit in run.result["resolved"]
        if limit["owner"] in owners and limit["limit"] == name and limit["value"] is not None
    ]
    return [worth * sum(values)] if values else []
