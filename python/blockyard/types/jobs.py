"""The jobs of a scenario.

Made by scripts/door_types.py from schemas/jobs.schema.json, the schema of the Rust type `Vec<Job>`,
which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

# What makes a job issue IO.
Loop = Literal["closed", "open", "timed"]


# How the gaps of an open loop are drawn.
Arrivals = Literal["poisson", "even"]


class Load(TypedDict):
    """How much a job does when.

    What is left out is not said of jobs that are more than IOs of one size, or of the other kind of
    loop.
    """

    kind: Loop
    steps: list[tuple[int, int]]
    outstanding: NotRequired[int | None]
    arrivals: NotRequired[Arrivals | None]
    max_outstanding: NotRequired[int | None]
    latency_limit: NotRequired[int | None]


class ZipfSkew(TypedDict):
    """Each by its rank, as in Zipf's law."""

    kind: Literal["zipf"]
    permille: int
    scatter: bool


class HotSkew(TypedDict):
    """Some more than all others."""

    kind: Literal["hot"]
    ios_permille: int
    blocks_permille: int
    scatter: bool


# Which blocks are preferred.
Skew = ZipfSkew | HotSkew


class Job(TypedDict):
    """A job of a scenario: sizes in bytes, times in nanoseconds, shares in 1/1000."""

    name: str
    load: Load
    device: NotRequired[str]
    offset: NotRequired[int]
    size: NotRequired[int]
    block: NotRequired[int]
    read_permille: NotRequired[int]
    random_permille: NotRequired[int]
    skew: NotRequired[Skew | None]
    think: NotRequired[int]
    amount: NotRequired[int | None]


Jobs = list[Job]
