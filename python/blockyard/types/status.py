"""What a running service says of itself: `steer status`, as JSON.

Named as in Rust (`crates/emulate/src/status.rs` and what that uses).
"""

from typing import Any, Literal, TypedDict

from blockyard.types.facts import Counted
from blockyard.types.result import Event, LatencyUs


class Limit(TypedDict):
    """A limit over a volume's IO, with the rate that it has now."""

    # By which `steer set` changes it.
    name: str
    # The volume or the host whose it is.
    owner: str
    # The device of the volume; None of a host.
    device: str | None
    # The host; None of a volume.
    host: str | None
    counts: Counted
    applies: Literal["both", "reads", "writes"]
    # Whether it is the rate at which burst credits flow in, all that is left without them.
    credits: bool
    # Whether it is the host's network, over which links go too.
    network: bool
    rate: float
    unit: Literal["IOPS", "MiB/s"]


class Volume(TypedDict):
    """A volume, as of the last interval."""

    name: str
    # The scenario's device that it belongs to.
    device: str
    iops: float
    mib_per_s: float
    # Percent of its burst credits; None if it has none.
    balance_pct: float | None
    paused: bool
    # It fails everything.
    failed: bool
    # Its host's and its own.
    limits: list[Limit]
    # The name of the limit that throttled IOs longest, if any did.
    throttled_by: str | None


class Mirror(TypedDict):
    """How a mirror is."""

    state: Literal["in sync", "degraded", "resyncing"]
    # What has been acknowledged and is not on the second leg.
    at_risk_bytes: int


class Link(TypedDict):
    """A link between hosts."""

    name: str
    # Whether anything goes over it.
    up: bool


class Device(TypedDict):
    """A served device, since the service began."""

    # None if it is no mirror.
    mirror: Mirror | None

    # The scenario's device, or a volume that is served alone.
    name: str
    size_bytes: int
    # Where clients find it: a URI or a path.
    at: str
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


class State(TypedDict):
    """The state of a service."""

    uptime_s: float
    devices: list[Device]
    volumes: list[Volume]
    links: list[Link]
    # How much later than the model's time replies went out; None before the first.
    lateness_us: LatencyUs | None
    # Each with its kind, target and end, and with the figures of its kind.
    faults: list[dict[str, Any]]
    # The latest of what was changed or injected.
    events: list[Event]
    # How its devices are served, in a few words.
    serving: str
    # What went wrong with the backing.
    warnings: list[str]
