"""A run from another program's transactions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from blockyard._core import Histogram, Latencies
from blockyard.formats.foreign.observations import Observed, Source, latency_of, run_of
from blockyard.runs import tables
from blockyard.runs.run import Percentiles, Run
from blockyard.types.result.transactions import TransactionTotal

# What tags their latencies, after the job.
TRANSACTION = "transaction"


@dataclass(frozen=True)
class Interval:
    """Transactions that ended in an interval. Latencies are None where the file does not say."""

    start_s: float
    length_s: float
    count: int
    mean_us: float | None = None
    histogram: Histogram | None = None

    def row(self, job: str) -> dict[str, object]:
        """Return a row of `tables.TRANSACTIONS`."""
        row: dict[str, object] = {
            "t_s": self.start_s,
            "job": job,
            "count": self.count,
            "tps": self.count / self.length_s,
            "latency_mean_us": self.mean_us,
        }
        if self.histogram:
            figures = latency_of(self.histogram)
            row |= {f"latency_{figure}_us": value for figure, value in figures.items()}
        return row


@dataclass(frozen=True)
class Transactions:
    """What a program says of its transactions."""

    job: str
    duration_s: float
    count: int
    intervals: Sequence[Interval]
    # Of all; for a file without histograms.
    percentiles: Percentiles = ()
    failed: int = 0
    notes: Sequence[str] = ()


def run_with(source: Source, done: Transactions) -> Run:
    """Make a run without IO from transactions."""
    tag = f"{done.job}.{TRANSACTION}"
    known = [
        (tag, part.start_s, part.length_s, part.histogram)
        for part in done.intervals
        if part.histogram
    ]
    whole = Histogram.merged([histogram for _, _, _, histogram in known]) if known else None
    total: TransactionTotal = {
        "job": done.job,
        "count": done.count,
        "tps": done.count / done.duration_s,
        "latency_us": latency_of(whole) if whole else None,
        "failed": done.failed,
        "steps": [],
        "time": [],
    }
    run = run_of(source, Observed(done.duration_s, [], latencies=known, notes=done.notes))
    rows = [part.row(done.job) for part in done.intervals]
    return replace(
        run,
        result={**run.result, "transactions": [total]},
        transactions=pa.Table.from_pylist(rows, schema=tables.TRANSACTIONS),
        latencies=Latencies.of(known),
        percentiles={tag: done.percentiles} if done.percentiles else {},
    )
