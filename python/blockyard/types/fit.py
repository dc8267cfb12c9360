"""What was fitted to measurements.

Made by scripts/door_types.py from schemas/fit.schema.json, the schema of the Rust type `Fitted`,
which says what each key means.
"""

from typing import Literal, TypedDict

# What a figure rests on.
Verdict = Literal["measured", "bounded", "kept", "unknown"]


class Figure(TypedDict):
    """A figure with what it rests on."""

    value: float | None
    low: float | None
    high: float | None
    verdict: Verdict
    ios: int
    why: str


class Quantile(TypedDict):
    """A row of a table of latencies."""

    name: str
    probability: float
    figure: Figure


class Slope(TypedDict):
    """Nanoseconds for each KiB beyond the size that the tables are for."""

    read: Figure
    write: Figure


class SlowFit(TypedDict):
    """A slow state that was found."""

    times: float
    within: tuple[float, float]
    normal_s: float
    slow_s: float
    visits: int


class Family(TypedDict):
    """Median latencies as multiples of those of the profile to start from."""

    read: Figure
    write: Figure
    host: Figure


# What a limit counts.
Counts = Literal["ios", "bytes", "either"]


# Which IOs a limit is for.
Applies = Literal["both", "reads", "writes"]


class LimitFit(TypedDict):
    """A limit that bound."""

    counts: Counts
    applies: Applies
    rate: Figure
    depth: Figure
    credits: bool
    io_bytes: float


class LeftOut(TypedDict):
    """IOs whose latencies say nothing of a profile."""

    limited: int
    slow: int
    loaded: int
    unlike: int


class Fitted(TypedDict):
    """A profile and limits that were made from measurements."""

    base_size: Figure
    read: list[Quantile]
    write: list[Quantile]
    per_kib: Slope
    slow: Figure
    slow_state: SlowFit | None
    slow_states: list[tuple[float, float]]
    family: Family
    limits: list[LimitFit]
    used: int
    left_out: LeftOut
    seconds: float
