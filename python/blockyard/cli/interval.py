"""An interval of a run as displays show it."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from blockyard.benching import Row
from blockyard.tables import INTERVALS

_COLUMNS = INTERVALS.names


@dataclass(frozen=True)
class Series:
    """What a job did on a device with one operation."""

    job: str
    device: str
    op: str
    length_s: float
    iops: float
    mib_per_s: float
    # None if nothing completed.
    p99_us: float | None
    depth: float

    @property
    def name(self) -> str:
        """How displays call it."""
        return f"{self.job} {self.op} {self.device}"


def series(job_rows: Sequence[Row], done_s: float) -> Iterator[Series]:
    """The rows of the interval that ended at `done_s`; flushes move nothing and are left out."""
    for row in job_rows:
        values = dict(zip(_COLUMNS, row, strict=True))
        length_s = done_s - float(str(values["t_s"]))
        if values["op"] == "flush" or length_s <= 0:
            continue
        p99 = values["latency_p99_us"]
        yield Series(
            job=str(values["job"]),
            device=str(values["device"]),
            op=str(values["op"]),
            length_s=length_s,
            iops=int(str(values["ios"])) / length_s,
            mib_per_s=int(str(values["bytes"])) / length_s / 2**20,
            p99_us=None if p99 is None else float(str(p99)),
            depth=float(str(values["queue_depth"])),
        )


def step(starts_s: Sequence[float], at_s: float) -> str:
    """Which load step runs, ended by a comma; nothing where there is only one."""
    return f"step {bisect(starts_s, at_s)} of {len(starts_s)}, " if len(starts_s) > 1 else ""
