"""An interval of a run, as displays show it."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blockyard._core import Interval


@dataclass(frozen=True)
class Series:
    """What a job did on a device with one operation."""

    job: str
    device: str
    op: str
    length_s: float
    iops: float
    mib_per_s: float
    # None if nothing completed; of counters only the mean is known.
    mean_us: float | None
    p99_us: float | None
    depth: float

    @property
    def name(self) -> str:
        """Its name in displays."""
        return f"{self.job} {self.op} {self.device}"


def series(interval: Interval) -> Iterator[Series]:
    """What each job did in an interval; flushes move no data and are left out."""
    import pyarrow as pa

    for row in pa.record_batch(interval.rows()).to_pylist():
        length_s = interval.done_s - row["t_s"]
        if row["op"] == "flush" or length_s <= 0:
            continue
        yield Series(
            job=row["job"],
            device=row["device"],
            op=row["op"],
            length_s=length_s,
            iops=row["ios"] / length_s,
            mib_per_s=row["bytes"] / length_s / 2**20,
            mean_us=row["latency_mean_us"],
            p99_us=row["latency_p99_us"],
            depth=row["queue_depth"],
        )


def step(starts_s: Sequence[float], at_s: float) -> str:
    """The current load step, followed by a comma; empty if there is only one."""
    return f"step {bisect(starts_s, at_s)} of {len(starts_s)}, " if len(starts_s) > 1 else ""
