"""How measured latencies lie to predicted ones, by what a simulation knows of its IO."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log
from statistics import median

from validation.measured.compare import Compared
from validation.measured.rows import Row

FIGURES = ("mean", "p50", "p99", "p99_9")
# IOs that limits keep for more of their time are at a limit; crates/record counts alike.
AT_LIMIT = 0.10
# What volumes with a profile have in common. HDDs have too few rows.
FAMILIES = {
    "gp2": "network volumes", "gp3": "network volumes", "io1": "network volumes",
    "io2": "network volumes", "io2-block-express": "network volumes",
    "instance-store": "local disks",
}  # fmt: skip


@dataclass(frozen=True)
class Class:
    """IOs whose latencies are told alike; None is any."""

    # A profile, or a family.
    kind: str
    op: str | None
    at_limit: bool | None
    figure: str

    @property
    def called(self) -> str:
        """What it is of, as sentences put it."""
        if self.at_limit is None:
            return f"{self.kind} under any load"
        if self.op is None:
            return self.kind
        ops = f"{self.op}s"
        return f"{self.kind} {ops}" if self.kind in FAMILIES else f"{ops} of {self.kind}"


@cache
def wider(of: Class) -> tuple[Class, ...]:
    """A class, and what stands for it where few have measured it, the nearest first."""
    family = FAMILIES[of.kind]
    return (
        of,
        Class(family, of.op, of.at_limit, of.figure),
        Class(family, None, of.at_limit, of.figure),
        Class(family, None, None, of.figure),
    )


@dataclass(frozen=True)
class Residual:
    """The logarithm of measured over predicted, of a row's figure."""

    source: str
    of: Class
    value: float


def residuals(compared: Iterable[Compared], rows: Mapping[str, Row]) -> list[Residual]:
    """Those of reads and writes; of several parts of a row the median.

    A write with its sync is a write, as it is several in turn.
    """
    parts: dict[tuple[str, Class], list[float]] = {}
    for one in compared:
        figure, kind = one.figure, rows[one.row].volume.type
        if one.counts and figure.quantity in FIGURES and kind in FAMILIES:
            op = "write" if figure.op == "sync" else figure.op
            of = Class(kind, op, one.throttled > AT_LIMIT, figure.quantity)
            parts.setdefault((one.row, of), []).append(log(figure.measured / one.predicted))
    return [Residual(rows[row].prefix, of, median(values)) for (row, of), values in parts.items()]


def pool(of: Class, known: Sequence[Residual], fewest: int) -> tuple[Class, list[Residual]] | None:
    """What is known of a class, or of the next wider one with enough sources; None of none."""
    for standing in wider(of):
        found = [one for one in known if standing in wider(one.of)]
        if len({one.source for one in found}) >= fewest:
            return standing, found
    return None
