"""What the Rust crate `fit` gives, which has the meaning of each figure."""

from typing import Literal, TypedDict

Verdict = Literal["measured", "bounded", "kept", "unknown"]


class Figure(TypedDict):
    """A figure and what it rests on; with a confidence of 95 % it lies from low to high."""

    value: float | None
    low: float | None
    high: float | None
    verdict: Verdict
    ios: int
    why: str


class Quantile(TypedDict):
    """A row of a table of latencies, in nanoseconds."""

    # `min`, `p99_9`, `max`.
    name: str
    probability: float
    figure: Figure


class Slope(TypedDict):
    """Nanoseconds for each KiB beyond the size that the tables are for."""

    read: Figure
    write: Figure


class SlowState(TypedDict):
    """Times in which all latencies are longer."""

    times: float
    within: tuple[float, float]
    normal_s: float
    slow_s: float
    visits: int


class Limit(TypedDict):
    """A limit that was seen to bind."""

    # `either` where all IOs had one size.
    counts: Literal["ios", "bytes", "either"]
    applies: Literal["both", "reads", "writes"]
    # Tokens a second, and tokens.
    rate: Figure
    depth: Figure
    io_bytes: float


class LeftOut(TypedDict):
    """IOs whose latencies were not taken."""

    limited: int
    slow: int
    loaded: int
    unlike: int


class Fitted(TypedDict):
    """All figures."""

    base_size: Figure
    read: list[Quantile]
    write: list[Quantile]
    per_kib: Slope
    slow: Figure
    slow_state: SlowState | None
    slow_states: list[tuple[float, float]]
    limits: list[Limit]
    used: int
    left_out: LeftOut
    seconds: float
