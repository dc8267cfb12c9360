"""What the series of a run did over time.

Counts are summed into bins and only then divided by time: a mean of means would take
idle seconds for busy ones.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.pages.charts.series import SeriesKey, series
from blockyard.runs.run import Run

# A last bin shorter than this part of the others gives no rate worth showing.
_SHORTEST = 0.5
# Starts such as 0.3 are not exact; no interval is a millionth of a bin.
HAIR = 1e-6


# How the summed table calls the fields of a bin, in their order.
_FIGURES = ("ios_sum", "bytes_sum", "queue_depth_mean", "timed_sum", "latency_sum")


class Bin(NamedTuple):
    """What a series did in one bin; the queue depth is a mean over the bin."""

    ios: int
    bytes: int
    queue_depth: float
    # The IOs whose latency is known, and their latencies summed.
    timed_ios: int
    latency_us: float


@dataclass(frozen=True)
class History:
    """Bins of equal width; of each series what it did in them, None where no row says."""

    # In seconds; the last bin may be shorter.
    at: Sequence[float]
    lengths_s: Sequence[float]
    series: dict[SeriesKey, list[Bin | None]]

    def sums(self, of: Iterable[SeriesKey], count: Callable[[Bin], float]) -> list[float | None]:
        """In each bin, the sum over series of what is counted of each."""
        bins = zip(*(self.series[key] for key in of), strict=True)
        known = ([count(found) for found in column if found is not None] for column in bins)
        return [sum(counts) if counts else None for counts in known]

    def rates(self, of: Iterable[SeriesKey], count: Callable[[Bin], float]) -> list[float | None]:
        """The sums, for each second."""
        return [
            None if total is None else total / length
            for total, length in zip(self.sums(of, count), self.lengths_s, strict=True)
        ]


def history(run: Run, bin_s: float) -> History:
    """The history of a run in bins of a width in seconds, at least that of its intervals."""
    width = max(bin_s, run.interval_s)
    rows = _summed(run.intervals, width)
    last = max((row["bin"] for row in rows), default=-1)
    end = run.result["duration_s"]
    if end <= last * width:
        end = (last + 1) * width
    lengths = [min(width, end - number * width) for number in range(last + 1)]
    if last > 0 and lengths[-1] < _SHORTEST * width:
        lengths.pop()
    found: dict[SeriesKey, list[Bin | None]] = {key: [None] * len(lengths) for key in series(run)}
    for row in rows:
        bins = found.get(SeriesKey(row["job"], row["device"], row["op"]))
        if bins is not None and row["bin"] < len(bins):
            bins[row["bin"]] = Bin(*(row[figure] for figure in _FIGURES))
    return History([number * width for number in range(len(lengths))], lengths, found)


def _summed(intervals: pa.Table, width: float) -> list[dict[str, Any]]:
    """A row for each series and number of a bin."""
    number = pc.cast(pc.floor(pc.add(pc.divide(intervals["t_s"], width), HAIR)), pa.int64())
    mean = intervals["latency_mean_us"]
    latency = pc.fill_null(pc.multiply(mean, intervals["ios"]), 0.0)
    table = intervals.select(["job", "device", "op", "ios", "bytes", "queue_depth"])
    table = table.append_column("bin", number).append_column("latency", latency)
    table = table.append_column("timed", pc.if_else(pc.is_valid(mean), table["ios"], 0))
    sums = table.group_by(["job", "device", "op", "bin"]).aggregate(
        [
            ("ios", "sum"),
            ("bytes", "sum"),
            ("queue_depth", "mean"),
            ("timed", "sum"),
            ("latency", "sum"),
        ]
    )
    rows: list[dict[str, Any]] = sums.to_pylist()
    return rows
