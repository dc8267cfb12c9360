"""What changes of a layout would bring.

Made by scripts/door_types.py from schemas/what-if.schema.json, the schema of the Rust type
`Alternatives`, which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

from blockyard.types.bill import Bill
from blockyard.types.capacity import Measure, Service
from blockyard.types.facts import Facts, LimitId, RateUnit
from blockyard.types.result import LatencyUs, Result
from blockyard.types.what_if.change import (
    Amount,
    Change,
    InstanceChange,
    IopsChange,
    JournalChange,
    NodeChange,
    Part,
    PartsChange,
    SettingChange,
    SizeChange,
    ThroughputChange,
    TypeChange,
    VolumesChange,
)

__all__ = [
    "Alternatives",
    "Amount",
    "ArchitectureGivesUp",
    "Brought",
    "Change",
    "CopyGivesUp",
    "DurabilityGivesUp",
    "Gained",
    "GivesUp",
    "Headroom",
    "InstanceChange",
    "IopsChange",
    "JournalChange",
    "LatencyGivesUp",
    "MemoryGivesUp",
    "NodeChange",
    "Now",
    "OfGoal",
    "OfJob",
    "Part",
    "PartsChange",
    "PromiseGivesUp",
    "Row",
    "ServiceGivesUp",
    "SettingChange",
    "SizeChange",
    "ThroughputChange",
    "TypeChange",
    "VcpuGivesUp",
    "VolumesChange",
    "Worth",
]


class OfJob(TypedDict):
    """A job of the layout as it is."""

    job: str
    transactions: bool
    per_s: float
    of: tuple[str, str] | None
    latency_us: LatencyUs | None
    mean_us: NotRequired[float | None]
    service: NotRequired[Service | None]
    measure: Measure
    chance: tuple[float, float] | None


class OfGoal(TypedDict):
    """A goal, what was measured of it and with how many seeds it is met."""

    goal: str
    met: bool
    measured: str
    seeds_met: int


class Now(TypedDict):
    """A layout as it is."""

    leads: str
    jobs: list[OfJob]
    goals: list[OfGoal]
    seeds: int
    lasts_s: float | None
    ready_s: float | None
    bill: Bill | None
    no_price: str | None


# What a change is worth, in the order in which changes are listed.
Worth = Literal[
    "meets",
    "cheaper",
    "trades",
    "pays",
    "unpriced",
    "nothing",
    "mixed",
    "saves",
    "worse",
    "refused",
    "untried",
]


class Gained(TypedDict):
    """What a change does to a job."""

    job: str
    transactions: bool
    per_s: float
    of: tuple[str, str] | None
    latency_us: LatencyUs | None
    mean_us: NotRequired[float | None]
    service: NotRequired[Service | None]
    measure: Measure
    gain: float
    chance: bool
    service_moves: bool


class Headroom(TypedDict):
    """The limit of which least is free in the busiest second."""

    limit: LimitId
    value: float
    unit: RateUnit
    used: float


class Brought(TypedDict):
    """What a change brings."""

    job: str
    gain: float
    jobs: list[Gained]
    goals: list[OfGoal]
    headroom: Headroom | None
    seeds: int
    lasts_s: float | None


class DurabilityGivesUp(TypedDict):
    """More of such layouts lose data in a year, by the durability that volume types are sold with.

    Shares, at most.
    """

    kind: Literal["durability"]
    before: float
    after: float


class LatencyGivesUp(TypedDict):
    """The 99th percentile of a job's latency is higher."""

    kind: Literal["latency"]
    job: str
    before: float
    after: float


class ServiceGivesUp(TypedDict):
    """A replicated job's users go without more of something.

    Time, transactions that fail or are refused, or acknowledged ones that are lost.
    """

    kind: Literal["service"]
    job: str
    before: Service
    after: Service


class PromiseGivesUp(TypedDict):
    """Fewer other hosts must have a transaction, or a write, before it is acknowledged."""

    kind: Literal["promise"]
    job: str


class VcpuGivesUp(TypedDict):
    """The instance has fewer vCPUs."""

    kind: Literal["vcpu"]
    before: int
    after: int


class MemoryGivesUp(TypedDict):
    """The instance has less memory."""

    kind: Literal["memory"]
    before: int
    after: int


class ArchitectureGivesUp(TypedDict):
    """The instance runs programs of another architecture."""

    kind: Literal["architecture"]
    before: str
    after: str


class CopyGivesUp(TypedDict):
    """A volume cannot shrink nor leave a stripe in place: new volumes, and a copy of all data."""

    kind: Literal["copy"]
    device: str


# Something that is less, or worse, with a change.
GivesUp = (
    DurabilityGivesUp
    | LatencyGivesUp
    | ServiceGivesUp
    | PromiseGivesUp
    | VcpuGivesUp
    | MemoryGivesUp
    | ArchitectureGivesUp
    | CopyGivesUp
)


class Row(TypedDict):
    """A change and its outcome."""

    change: Change
    also: list[Change]
    sets: list[str]
    worth: Worth
    came: Brought | None
    refused: str | None
    dollars: float | None
    no_price: str | None
    per_dollar: float | None
    gives_up: list[GivesUp]


class Alternatives(TypedDict):
    """What changes of a layout would bring."""

    scenario: str
    seed: int
    now: Now
    sustained_sets: list[str]
    changes: list[Row]
    tried: int
    tried_together: int
    result: Result
    facts: Facts
    ios: int
