"""A run made from another program's observations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from blockyard._core import Histogram, Latencies
from blockyard.runs import tables
from blockyard.runs.run import Percentiles, Run
from blockyard.types.result import Cycle, LatencyUs, Mode, Result, Total

# The job of IO whose issuer is unknown, and the device of IO whose place is unknown.
JOB = "observed"
DEVICE = "storage"

_MIB = 1 << 20
# The columns that identify a total.
_SERIES = ["job", "device", "op"]

# Job, device and operation.
Series = tuple[str, str, str]
Latency = tuple[str, float, float, Histogram]


@dataclass(frozen=True)
class Source:
    """Where a run comes from."""

    path: Path
    mode: Mode
    # The program, and which latencies it reports.
    engine: str
    # ISO 8601; in local time unless it ends in Z; like all that follows, empty if the file does not
    # say.
    started: str = ""
    kernel: str = ""
    processor: str = ""
    processors: int = 0


@dataclass(frozen=True)
class Interval:
    """What was done in an interval."""

    start_s: float
    length_s: float
    series: Series
    ios: int
    bytes: int
    # None without IO, or where the file does not say.
    mean_us: float | None
    histogram: Histogram | None

    def row(self) -> dict[str, object]:
        """Return a row of `tables.INTERVALS`."""
        row: dict[str, object] = {
            "t_s": self.start_s,
            **dict(zip(_SERIES, self.series, strict=True)),
            "ios": self.ios,
            "bytes": self.bytes,
            "latency_mean_us": self.mean_us,
            # Little's law.
            "queue_depth": self.ios * (self.mean_us or 0.0) / 1e6 / self.length_s,
        }
        if self.histogram:
            figures = latency_of(self.histogram)
            if self.mean_us is not None:
                figures["mean"] = self.mean_us
            row |= {f"latency_{figure}_us": value for figure, value in figures.items()}
        return row


@dataclass(frozen=True)
class Observed:
    """The observations."""

    duration_s: float
    totals: Sequence[Total]
    # `tables.INTERVALS`, sorted by time.
    intervals: pa.Table = field(default_factory=lambda: tables.INTERVALS.empty_table())
    latencies: Sequence[Latency] = ()
    cycles: Sequence[Cycle] = ()
    # What went wrong, if anything did.
    reason: str | None = None
    # Of series without histograms.
    percentiles: Mapping[str, Percentiles] = field(default_factory=dict)
    # What to know of it, such as which devices were left out.
    notes: Sequence[str] = ()


def run_of(source: Source, observed: Observed) -> Run:
    """Make a run from observations."""
    result: Result = {
        "scenario": name_of(source.path),
        "seed": 0,
        "duration_s": observed.duration_s,
        "mode": source.mode,
        "status": "failed" if observed.reason else "complete",
        "reason": observed.reason,
        "machine": {
            "started": source.started,
            "kernel": source.kernel,
            "processor": source.processor,
            "processors": source.processors,
            "engine": source.engine,
            "threads": 0,
            "targets": [],
            "cpu": None,
            "verified": None,
            "steady_s": None,
        },
        "resolved": [],
        "totals": list(observed.totals),
        "steps": [],
        "cycles": list(observed.cycles),
        "open_loop": [],
        "volumes": [],
        "hosts": [],
        "limits": [],
        "goals": [],
        "notices": list(observed.notes),
    }
    return Run(
        name=name_of(source.path),
        path=source.path,
        result=result,
        scenario=None,
        intervals=observed.intervals,
        volumes=tables.VOLUMES.empty_table(),
        transactions=tables.TRANSACTIONS.empty_table(),
        latencies=Latencies.of(observed.latencies),
        percentiles=observed.percentiles,
    )


def name_of(path: Path) -> str:
    """Return the name of a run from the file or folder `path`."""
    resolved = path.resolve()
    return resolved.name if resolved.is_dir() else path.stem


def totals_of(
    intervals: pa.Table, length_s: float, duration_s: float, latencies: Sequence[Latency] = ()
) -> list[Total]:
    """Sum up intervals of `length_s` each; latencies are known where histograms are given."""
    histograms: dict[str, list[Histogram]] = {}
    for tag, _, _, histogram in latencies:
        histograms.setdefault(tag, []).append(histogram)
    sums = [("ios", "sum"), ("bytes", "sum"), ("ios", "max")]
    # One thread keeps the order of first appearance.
    grouped = intervals.group_by(_SERIES, use_threads=False).aggregate(sums)
    totals: list[Total] = []
    for row in grouped.to_pylist():
        known = histograms.get(".".join(row[part] for part in _SERIES))
        totals.append(
            {
                "job": row["job"],
                "device": row["device"],
                "op": row["op"],
                "ios": row["ios_sum"],
                "bytes": row["bytes_sum"],
                "iops": row["ios_sum"] / duration_s,
                "mib_per_s": row["bytes_sum"] / _MIB / duration_s,
                "peak_iops": row["ios_max"] / length_s,
                "errors": 0,
                "latency_us": latency_of(Histogram.merged(known)) if known else None,
            }
        )
    return totals


def intervals_of(intervals: Sequence[Interval]) -> pa.Table:
    """Return the intervals as the table `tables.INTERVALS`."""
    return pa.Table.from_pylist([part.row() for part in intervals], schema=tables.INTERVALS)


def latencies_of(intervals: Sequence[Interval]) -> list[Latency]:
    """Return the latencies of the intervals in which they are known."""
    return [
        (".".join(part.series), part.start_s, part.length_s, part.histogram)
        for part in intervals
        if part.histogram
    ]


def latency_of(histogram: Histogram) -> LatencyUs:
    """Return the figures of a histogram with at least one latency."""
    p50, p95, p99, p99_9 = histogram.quantiles_us([0.5, 0.95, 0.99, 0.999])
    return {
        "mean": histogram.mean_us,
        "p50": p50,
        "p95": p95,
        "p99": p99,
        "p99_9": p99_9,
        "max": histogram.max_us,
    }
