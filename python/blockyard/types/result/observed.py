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


class ObservedDevice(TypedDict):
    """A block device: those that had IO, and those that were named."""

    name: str
    utilisation: float
    busy_s: float
    queue_depth: float
    ops: list[ObservedOp]
    ebs: NotRequired[EbsStatistics | None]


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


class Observed(TypedDict):
    """Observation: how it was made, the devices, who used them; none of other modes."""

    source: Source
    interval_s: float
    devices: list[ObservedDevice]
    processes: list[ObservedProcess]
    pressure: NotRequired[IoPressure | None]
    events: NotRequired[int | None]
    lost: NotRequired[list[LostEvents]]
