"""A sweep by combination: what its runs came to over their seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from blockyard.sweeps.sweep import Sweep


@dataclass(frozen=True)
class Point:
    """A combination: the value of each axis, and medians over its seeds."""

    combination: int
    axes: Mapping[str, Any]
    # None where nothing was measured.
    figures: Mapping[str, float | None]
    usd_per_month: float | None
    # Whether all seeds met the goals; None without goals.
    met: bool | None
    throttled_by: str | None


def points(sweep: Sweep, axes: Sequence[str]) -> list[Point]:
    """The combinations of a sweep, in their order, without those whose runs failed."""
    figures = sweep.about.figures
    by_combination: dict[int, list[dict[str, Any]]] = {}
    for row in sweep.runs.to_pylist():
        if row["error"] is None:
            by_combination.setdefault(row["combination"], []).append(row)
    return [
        Point(
            combination=combination,
            axes={axis: rows[0][axis] for axis in axes},
            figures={figure: middle([row[figure] for row in rows]) for figure in figures},
            usd_per_month=middle([row["usd_per_month"] for row in rows]),
            met=_all([row["goals_met"] for row in rows]),
            throttled_by=rows[0]["throttled_by"],
        )
        for combination, rows in by_combination.items()
    ]


def middle(values: Sequence[float | None]) -> float | None:
    """The median of what is known."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def frontier(found: Sequence[Point], figure: str) -> list[Point]:
    """The combinations to which none is both cheaper and better, the cheapest first.

    Of latencies less is better, of all else more.
    """
    sign = 1 if is_latency(figure) else -1
    priced = [
        (point.usd_per_month, sign * value, point)
        for point in found
        if point.usd_per_month is not None and (value := point.figures[figure]) is not None
    ]
    best: list[Point] = []
    least = float("inf")
    for _, value, point in sorted(priced, key=lambda one: one[:2]):
        if value < least:
            least = value
            best.append(point)
    return best


def is_latency(figure: str) -> bool:
    """Whether a column is of a time."""
    return figure.endswith(("_us", "_s"))


def _all(met: Sequence[bool | None]) -> bool | None:
    return None if met[0] is None else all(met)
