"""What `result.json` says of an observation.

Made by scripts/door_types.py from schemas/result.schema.json, the schema of the Rust type
`RunResult`, which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

from blockyard.types.result.shared import LatencyUs, Op

# Source of the figures.
Source = Literal["counters", "tracepoints", "trace"]


class ObservedOp(TypedDict):
    """An operation that a device did."""

    op: Op
    ios: int
    merged: int
    mean_bytes: float
    mean_us: float
    seen: NotRequired[int | None]
    queue_us: NotRequired[LatencyUs | None]
    device_us: NotRequired[LatencyUs | None]


class EbsOp(TypedDict):
    """An operation, as the volume counted it."""

    op: Op
    ios: int
    p50_within_us: int
    p99_within_us: int


class EbsStatistics(TypedDict):
    """What EBS itself counted of a volume."""

    volume_iops_exceeded_s: float
    volume_throughput_exceeded_s: float
    instance_iops_exceeded_s: float
    instance_throughput_exceeded_s: float
    ops: list[EbsOp]


class Places(TypedDict):
    """Blocks in which reads or writes began."""

    block_bytes: int
    touched: int
    hottest_1_pct: NotRequired[float | None]
    hottest_10_pct: NotRequired[float | None]
    from_byte: int
    part_bytes: int
    reads: list[int]
    writes: list[int]


class Issuers(TypedDict):
    """Threads of a name."""

    name: str
    threads: int
    reads: int
    read_bytes: int
    writes: int
    write_bytes: int
    flushes: int
    background_bytes: int


class HeavyWrites(TypedDict):
    """Time in which threads that hardly read wrote at least twice their mean, and 1 MiB/s."""

    from_s: float
    to_s: float
    bytes: int
    by: dict[str, int]


class ObservedLoad(TypedDict):
    """Order, places and issuers of a device's IOs; none of counters."""

    sequential_reads: NotRequired[float | None]
    sequential_writes: NotRequired[float | None]
    places: Places
    issuers: list[Issuers]
    heavy_writes: NotRequired[list[HeavyWrites]]


class ObservedDevice(TypedDict):
    """A block device: those that had IO, and those that were named."""

    name: str
    utilisation: float
    busy_s: float
    queue_depth: float
    in_driver: NotRequired[float | None]
    ops: list[ObservedOp]
    ebs: NotRequired[EbsStatistics | None]
    load: NotRequired[ObservedLoad | None]


class ObservedProcess(TypedDict):
    """A process that read or wrote, most bytes first."""

    pid: int
    name: str
    read_bytes: int
    write_bytes: int
    ended: bool


class IoPressure(TypedDict):
    """Share of the time in which tasks of this machine waited for IO."""

    some: float
    full: float


class LostEvents(TypedDict):
    """Events of tracepoints that were lost in a stretch of time."""

    from_s: float
    to_s: float
    events: int


class CallKind(TypedDict):
    """A kind of call."""

    call: str
    calls: int
    failed: int
    bytes: int
    latency_us: LatencyUs
    with_io: int
    ios: int
    io_us: NotRequired[LatencyUs | None]


class Caller(TypedDict):
    """Threads of a name."""

    name: str
    threads: int
    calls: int
    waits: int
    waiting_s: float
    think_us: NotRequired[LatencyUs | None]
    ios: int
    left: int


class CallingThread(TypedDict):
    """A thread."""

    thread: int
    pid: int
    name: str
    calls: int
    waits: int
    waiting_s: float
    think_mean_us: NotRequired[float | None]


class ObservedCalls(TypedDict):
    """Calls by which the processes used their files.

    A thread waits in a call that makes data durable, and in one in which an IO that it asked for
    began and ended.
    """

    kinds: list[CallKind]
    callers: list[Caller]
    threads: list[CallingThread]
    at_once: list[float]
    lost: NotRequired[list[LostEvents]]


class Observed(TypedDict):
    """Observation: how it was made, the devices, who used them; none of other modes."""

    source: Source
    interval_s: float
    devices: list[ObservedDevice]
    processes: list[ObservedProcess]
    pressure: NotRequired[IoPressure | None]
    events: NotRequired[int | None]
    lost: NotRequired[list[LostEvents]]
    calls: NotRequired[ObservedCalls | None]
