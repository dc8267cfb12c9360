"""What `result.json` says of transactions.

Made by scripts/door_types.py from schemas/result.schema.json, the schema of the Rust type
`RunResult`, which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

from blockyard.types.result.shared import LatencyUs

# Purpose of an engine's IO.
EngineIoUse = Literal["page_read", "page_write", "log", "copy"]


class StoppedEngine(TypedDict):
    """An engine that stopped, in order of time."""

    t_s: float
    host: NotRequired[str | None]
    failed_io: NotRequired[EngineIoUse | None]
    back_s: NotRequired[float | None]


class TransactionKindTotal(TypedDict):
    """Transactions of one kind, in the scenario's order; none with one kind only."""

    kind: str
    count: int
    tps: float
    latency_us: NotRequired[LatencyUs | None]


class TransactionStep(TypedDict):
    """Transactions of one load step."""

    step: int
    from_s: float
    to_s: float
    threads: NotRequired[int | None]
    rate: NotRequired[int | None]
    count: int
    tps: float
    latency_us: NotRequired[LatencyUs | None]


# What a transaction's time is spent on.
SpentOn = Literal[
    "thread",
    "core",
    "pause",
    "cpu",
    "free_page",
    "page_read",
    "log_space",
    "commit",
    "replication",
    "flow_control",
]


class TimeSpent(TypedDict):
    """A part of the transactions' time."""

    on: SpentOn
    ms: float
    share: float


class ThrottledBy(TypedDict):
    """A limit that throttled an engine's IO, the tightest first."""

    owner: str
    limit: str
    share: float


class EngineIoTotal(TypedDict):
    """An engine's IO for one purpose, with the limits that throttled it."""

    purpose: EngineIoUse
    ios: int
    mean_us: float
    throttled: NotRequired[list[ThrottledBy]]
    in_events: NotRequired[float]
    on_links: NotRequired[float]


class Quartiles(TypedDict):
    """A box plot's five figures."""

    min: float
    q1: float
    median: float
    q3: float
    max: float


class Spread(TypedDict):
    """Variation over intervals of five seconds; none without a whole one."""

    count: int
    tps: Quartiles
    p99_us: Quartiles


class EngineHalf(TypedDict):
    """The same for each half of the time after the warm-up, to show whether the engine had settled.

    None if the run did not finish both.
    """

    tps: float
    hit_ratio: float
    peak_dirty_pages: int
    peak_checkpoint_age: int


class EngineTotal(TypedDict):
    """Work of an engine with a buffer pool; none if the run is too short to tell."""

    hit_ratio: float
    accesses_per_transaction: NotRequired[float]
    reads_per_transaction: float
    writes_per_transaction: float
    bytes_per_transaction: float
    doublewrite_bytes_per_transaction: float
    log_bytes_per_transaction: float
    binlog_bytes_per_transaction: float
    checkpoints: int
    peak_dirty_pages: int
    peak_checkpoint_age: int
    halves: NotRequired[list[EngineHalf]]


class LagTotal(TypedDict):
    """A standby's lag behind the log that its primary has sent; none for other nodes."""

    most_unflushed_bytes: int
    unflushed_bytes: int
    most_unreplayed: int
    unreplayed: int


class NodeTotal(TypedDict):
    """Another node of the group, which applies write sets, or a standby, which replays the log."""

    host: str
    applied: int
    longest_queue: int
    queued: int
    stopped_s: float
    lag: NotRequired[LagTotal | None]
    reads_per_write_set: float
    writes_per_write_set: float
    time: list[TimeSpent]
    io: NotRequired[list[EngineIoTotal]]


class ReplicationTotal(TypedDict):
    """Replication of a group, in write sets or in transactions of a log.

    None for an engine alone.
    """

    write_sets: int
    bytes_per_write_set: float
    pauses: int
    paused_s: float
    silent_s: NotRequired[float]
    without_quorum_s: NotRequired[float]
    binary_log: NotRequired[bool]
    asynchronous_s: NotRequired[float]
    unacknowledged: NotRequired[int]
    nodes: list[NodeTotal]


class TransactionTotal(TypedDict):
    """The transactions of an `oltp` job, without the warm-up."""

    job: str
    count: int
    tps: float
    latency_us: NotRequired[LatencyUs | None]
    waiting: NotRequired[int]
    held: NotRequired[int]
    failed: NotRequired[int]
    refused: NotRequired[int]
    outage_s: NotRequired[float]
    lost: NotRequired[int]
    stopped: NotRequired[list[StoppedEngine]]
    kinds: NotRequired[list[TransactionKindTotal]]
    steps: list[TransactionStep]
    time: list[TimeSpent]
    io: NotRequired[list[EngineIoTotal]]
    by_5s: NotRequired[Spread | None]
    engine: NotRequired[EngineTotal | None]
    replication: NotRequired[ReplicationTotal | None]
