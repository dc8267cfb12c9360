"""What a run's figures say of its limits.

Made by scripts/door_types.py from schemas/facts.schema.json, the schema of the Rust type `Facts`,
which says what each key means.
"""

from typing import TypedDict

from blockyard.types.facts.behind import Also, Behind, Takes
from blockyard.types.facts.devices import Acknowledge, Device, InForce, Leg, Mirroring
from blockyard.types.facts.loads import (
    ClosedLoad,
    DatabaseLoad,
    JobLoad,
    Load,
    OpenLoad,
    TransactionsLoad,
)
from blockyard.types.facts.network import EventHold, JobHeld, LinkHold
from blockyard.types.facts.shared import (
    AppliesTo,
    Bottleneck,
    Counted,
    EventBottleneck,
    InFlightBottleneck,
    LimitBottleneck,
    LimitId,
    LinkBottleneck,
    OtherBottleneck,
    RateUnit,
)
from blockyard.types.facts.transactions import Bound, BoundPart, Settling, Short, Unsettled
from blockyard.types.facts.waits import (
    AtOnceNext,
    Held,
    InIos,
    JobWait,
    LimitWaits,
    Next,
    NothingNext,
    Raising,
    Taker,
    UpToNext,
    Waited,
    WaitSeries,
)

__all__ = [
    "Acknowledge",
    "Also",
    "AppliesTo",
    "AtOnceNext",
    "Behind",
    "Bottleneck",
    "Bound",
    "BoundPart",
    "Carrier",
    "ClosedLoad",
    "ClosedLoop",
    "Counted",
    "Credits",
    "DatabaseLoad",
    "Device",
    "EventBottleneck",
    "EventHold",
    "Facts",
    "Held",
    "InFlightBottleneck",
    "InForce",
    "InIos",
    "JobHeld",
    "JobLoad",
    "JobWait",
    "Leg",
    "Limit",
    "LimitBottleneck",
    "LimitId",
    "LimitWaits",
    "LinkBottleneck",
    "LinkHold",
    "Load",
    "Mirroring",
    "Modelled",
    "Next",
    "NothingNext",
    "OpenLoad",
    "OtherBottleneck",
    "Raising",
    "RateUnit",
    "Reach",
    "Settling",
    "Short",
    "Taker",
    "Takes",
    "TransactionsLoad",
    "Unsettled",
    "UpToNext",
    "Usage",
    "UsedUp",
    "WaitSeries",
    "Waited",
    "WriteDaemons",
]


class Usage(TypedDict):
    """What IO took of a limit, in the limit's unit, without the warm-up.

    Divided by the limit's value it is the share that was used; short bursts may exceed 1, as
    buckets save up.
    """

    mean: float
    peak: float | None


class Limit(TypedDict):
    """A limit with its value: of a device or a leg of one, over its volumes together."""

    limit: LimitId
    value: float
    unit: RateUnit
    used: Usage | None


class WriteDaemons(TypedDict):
    """The write-daemon cycles of a job."""

    job: str
    every_s: float
    alert_s: float
    cycles: int
    over: int
    longest_s: float


class Carrier(TypedDict):
    """Volumes in place of each of a device's own."""

    type: str
    volumes: int
    gib: int | None
    iops: int | None
    mib_per_s: int | None


class Credits(TypedDict):
    """The credits of a volume, of the equal volumes of a stripe, or of a host."""

    limit: LimitId
    volumes: list[str]
    left_pct: float
    last_s: float | None
    then: tuple[float, RateUnit] | None
    back_s: float | None
    carried_by: list[Carrier]


class UsedUp(TypedDict):
    """A device of which a volume had used up its credits, or a host."""

    device: str | None
    leg: str | None
    host: str | None
    by_s: float


class Reach(TypedDict):
    """How a job that is alone would reach a limit (Little's law)."""

    processes: int
    limit: LimitId
    value: tuple[float, RateUnit]


class ClosedLoop(TypedDict):
    """A job whose IO hardly waited: an IO takes its time, whatever is bought."""

    job: str
    mean_s: float
    waited: float
    reach: Reach | None


class Modelled(TypedDict):
    """What limits did in a run on modelled storage."""

    waited: float
    held: list[Held]
    waits: list[LimitWaits]
    series: list[WaitSeries]
    idle: list[int]
    nearest: int | None
    credits: list[Credits]
    used_up: list[UsedUp]
    links: list[LinkHold]
    events: list[EventHold]
    closed_loops: list[ClosedLoop]
    transactions: list[Bound]


class Facts(TypedDict):
    """What a run's figures say of its limits."""

    loads: list[JobLoad]
    limits: list[Limit]
    devices: list[Device]
    write_daemons: list[WriteDaemons]
    behind: list[Behind]
    modelled: Modelled | None
