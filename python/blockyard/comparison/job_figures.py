"""The figures by which jobs are judged against each other: a rate, and a latency."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from blockyard._core import GAIN
from blockyard.comparison.figures import RATES, TRANSACTION
from blockyard.types.comparison import Change, Row

Whole = Literal[
    "better",
    "worse",
    "better and worse",
    "alike",
    "not shown",
    "too little to tell",
    "not comparable",
]


@dataclass(frozen=True)
class Figure:
    """A figure of both sides."""

    name: str
    first: float
    other: float
    change: Change

    @property
    def state(self) -> Whole:
        """What is shown, without what is too small to matter."""
        verdict = self.change["verdict"]
        if verdict == "too little to tell":
            return verdict
        if verdict in ("better", "worse") and abs(self.change["relative"]) >= GAIN:
            return verdict
        return "not shown" if verdict == "no difference shown" else "alike"


@dataclass(frozen=True)
class Job:
    """A job that both sides did, with its rate and latency as far as both have them."""

    name: str
    figures: list[Figure]


@dataclass(frozen=True)
class LoneJob:
    """A job that both sides have, and only one did any IO of."""

    name: str
    # Of the rate.
    figure: str
    # IOs or transactions a second, on the side that did any.
    value: float
    # Whether that is the first side.
    first: bool

    @property
    def state(self) -> Whole:
        """What the side without IO, or the first against it, comes to."""
        return "worse" if self.first else "better"


def lone(side: int, rows: Sequence[Row], both: Mapping[str, int]) -> Iterator[LoneJob]:
    """The jobs that only one of the first side and another did; once each.

    `both` are the jobs that both sides have, with how many IOs they did on the two.
    """
    told: set[str] = set()
    for row in rows:
        if row["figure"] not in RATES or row["job"] in told:
            continue
        told.add(row["job"])
        first, other = row["values"][0], row["values"][side]
        value = other if first is None else first
        is_lone = (first is None) != (other is None)
        if is_lone and value is not None and both.get(row["job"], 0) >= _BEYOND_CHANCE:
            yield LoneJob(row["job"], row["figure"], value, first is not None)


# So many IOs on one side and none on the other are chance in fewer than one of a hundred cases if
# both do the same.
_BEYOND_CHANCE = 8


def of(side: int, rows: Sequence[Row], besides: Container[str] = ()) -> Iterator[Job]:
    """Rate and p99 of each job but those `besides`: of what comes first of it on both sides."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for row in rows:
        if row["job"] not in besides and (row["op"] != TRANSACTION or _figure(side, row)):
            found.setdefault(row["job"], (row["device"], row["op"]))
    for job, part in found.items():
        of_job = {
            row["figure"]: row
            for row in rows
            if row["job"] == job and (row["device"], row["op"]) == part
        }
        figures = {name: _figure(side, row) for name, row in of_job.items()}
        # Without percentiles, as in a file of iostat, the mean is what there is of latency.
        slower = figures.get("latency.p99") or figures.get("latency.mean")
        if kept := [
            figure for figure in (figures.get("tps", figures.get("iops")), slower) if figure
        ]:
            yield Job(job, kept)


def _figure(side: int, row: Row) -> Figure | None:
    first, other, change = row["values"][0], row["values"][side], row["changes"][side - 1]
    if first is None or other is None or change is None:
        return None
    return Figure(row["figure"], first, other, change)
