"""A layout that was planned, and what it holds.

Made by scripts/door_types.py from schemas/plan.schema.json, the schema of the Rust type `Answer`,
which says what each key means.
"""

from typing import Literal, TypedDict

from blockyard.types.capacity import MetInSeeds
from blockyard.types.result import ExpectedRange

# What bounds a copy.
CopyBound = Literal["donor_reads", "network", "replica_writes"]


class FullCopy(TypedDict):
    """A copy of all data to a replica that is new, or has missed too much (SST, base backup)."""

    bytes: int
    usd: float | None
    seconds: float | None
    bound: CopyBound
    rates: list[int]


class Replicas(TypedDict):
    """Nodes beside the first, and what goes to them."""

    count: int
    other_zones: bool
    log: int
    log_assumed: bool
    full_copy: FullCopy


class Volumes(TypedDict):
    """Equal volumes, striped where they are several."""

    type: str
    count: int
    size: int
    iops: int | None
    throughput: int | None
    local: bool
    chunk: int


class Item(TypedDict):
    """A line of the bill."""

    what: str
    count: int
    usd_per_month: float
    assumed: str | None


class Outgrown(TypedDict):
    """When a layout is outgrown, if the load grows as the data does."""

    data_years: float
    load_years: float | None
    limit: tuple[str, str] | None


class Use(TypedDict):
    """What a load takes of a limit.

    Of an instance or volume whose baseline sustains a load without end, the higher limit of its
    bursts is left out.
    """

    owner: str
    limit: str
    unit: str
    used: int
    has: int
    credits_last_s: float | None
    left: float


class Estimate(TypedDict):
    """The estimate of a latency."""

    of: str
    p50_us: float
    p99_us: float


class Simulated(TypedDict):
    """The outcome of a job of the load in the simulation."""

    job: str
    iops: float
    p50_us: float
    p50_expected_us: ExpectedRange | None
    p99_us: float
    p99_expected_us: ExpectedRange | None


class Layout(TypedDict):
    """An instance with volumes that meets a requirement, or several."""

    instance: str
    architecture: str
    burstable: bool
    vcpu: int
    memory_mib: int
    zones: tuple[list[str], int] | None
    copies: int
    replicas: Replicas | None
    data: Volumes
    journal: Volumes | None
    bill: list[Item]
    usd_per_month: float
    yearly_loss: float | None
    outgrown: Outgrown | None
    limits: list[Use]
    latency: list[Estimate]
    simulated: list[Simulated] | None
    held: MetInSeeds | None
    hottest: float | None
