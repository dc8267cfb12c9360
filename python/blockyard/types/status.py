"""What a running service says of itself.

Made by scripts/door_types.py from schemas/status.schema.json, the schema of the Rust type `Status`,
which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

from blockyard.types.facts import AppliesTo, Counted
from blockyard.types.result import Event, LatencyUs

State = Literal["in sync", "degraded", "resyncing", "frozen", "split brain"]


class MirrorStatus(TypedDict):
    """A mirror."""

    state: State
    at_risk_bytes: int


class DeviceStatus(TypedDict):
    """A device that is served."""

    in_flight: int
    reads: int
    writes: int
    flushes: int
    trims: int
    read_bytes: int
    write_bytes: int
    read_time_s: float
    write_time_s: float
    errors: int
    mirror: MirrorStatus | None
    name: str
    size_bytes: int
    at: str


Unit = Literal["IOPS", "MiB/s"]


class LimitStatus(TypedDict):
    """A limit, with the rate that it has now."""

    name: str
    owner: str
    device: str | None
    host: str | None
    counts: Counted
    applies: AppliesTo
    credits: bool
    network: bool
    rate: float
    unit: Unit


class VolumeStatus(TypedDict):
    """A volume, as of the last interval."""

    name: str
    device: str
    iops: float
    mib_per_s: float
    balance_pct: float | None
    paused: bool
    failed: bool
    limits: list[LimitStatus]
    throttled_by: str | None


class LinkStatus(TypedDict):
    """A link between hosts."""

    name: str
    up: bool


class FaultStatus(TypedDict):
    """A fault that goes on, as the status shows it."""

    kind: str
    on: str | None
    until_s: float | None
    read_pct: NotRequired[float | None]
    write_pct: NotRequired[float | None]
    flush_pct: NotRequired[float | None]
    latency_ms: NotRequired[float | None]
    share_pct: NotRequired[float | None]


class Status(TypedDict):
    """The state of a service."""

    uptime_s: float
    devices: list[DeviceStatus]
    volumes: list[VolumeStatus]
    links: list[LinkStatus]
    lateness_us: LatencyUs | None
    faults: list[FaultStatus]
    events: list[Event]
    serving: str
    warnings: list[str]
