"""Errors over many rows: medians and 90th percentiles by quantity."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from validation.measured.compare import Compared

Key = TypeVar("Key")

# The error of what the model has no answer to.
REFUSED = 1.0

# What is wanted on the rows that the model may be fitted to: of rates and ends for each row,
# of latencies for the median.
WANTED = {"iops": 0.02, "mib_per_s": 0.02, "mean": 0.15, "p99": 0.30}


@dataclass(frozen=True)
class Spread:
    """How far off the model is in some rows."""

    rows: int
    # Of the absolute errors: the median, and the 90th percentile as the nearest rank.
    median: float
    high: float
    # The median of the errors with their signs.
    bias: float
    # Rows within what is wanted.
    within: int

    @staticmethod
    def of(errors: Iterable[float], wanted: float | None = None) -> "Spread":
        """The spread of at least one error."""
        signed = list(errors)
        absolute = sorted(abs(error) for error in signed)
        high = absolute[-(-9 * len(absolute) // 10) - 1]
        within = sum(error <= wanted for error in absolute) if wanted else 0
        return Spread(len(signed), median(absolute), high, median(signed), within)


def by(compared: Iterable[Compared], key: Callable[[Compared], Key]) -> Mapping[Key, list[float]]:
    """Errors by a key.

    A row counts once for each operation: of several parts of it, such as the cells of a map,
    the median.
    """
    parts: dict[tuple[Key, str, str], list[float]] = {}
    for one in filter(lambda each: each.counts, compared):
        parts.setdefault((key(one), one.row, one.figure.op), []).append(one.error)
    found: dict[Key, list[float]] = {}
    for (name, _, _), errors in parts.items():
        found.setdefault(name, []).append(median(errors))
    return found
