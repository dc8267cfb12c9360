"""What a plan says.

Made by scripts/door_types.py from schemas/plan.schema.json, the schema of the Rust type `Answer`,
which says what each key means.
"""

from typing import TypedDict

from blockyard.types.plan.layout import (
    CopyBound,
    Estimate,
    FullCopy,
    Item,
    Layout,
    Outgrown,
    Replicas,
    Simulated,
    Use,
    Volumes,
)
from blockyard.types.plan.reason import (
    AttachmentsReason,
    BurstExhaustedReason,
    DurabilityReason,
    EphemeralReason,
    ExcludedReason,
    FreeSpaceReason,
    InstanceIopsReason,
    InstanceNetworkReason,
    InstanceThroughputReason,
    LatencyReason,
    PreviousGenerationReason,
    PriceUnknownReason,
    PurposeReason,
    QuotaReason,
    Reason,
    SimulatedReason,
    SizeReason,
    SpareAttachmentsReason,
    StorageQuotaReason,
    UnavailableReason,
    UnpublishedReason,
    VolumeIopsReason,
    VolumesReason,
    VolumeThroughputReason,
)

__all__ = [
    "Answer",
    "AttachmentsReason",
    "BurstExhaustedReason",
    "ByInterval",
    "CheapestPossible",
    "CopyBound",
    "Current",
    "Dropped",
    "DurabilityReason",
    "EphemeralReason",
    "Estimate",
    "ExcludedReason",
    "Family",
    "FreeSpaceReason",
    "FullCopy",
    "InstanceIopsReason",
    "InstanceNetworkReason",
    "InstanceThroughputReason",
    "Item",
    "LatencyReason",
    "Layout",
    "LeastRegret",
    "Load",
    "Managed",
    "Nearest",
    "Outgrown",
    "Point",
    "PreviousGenerationReason",
    "PriceUnknownReason",
    "PurposeReason",
    "QuotaReason",
    "Reason",
    "Regretted",
    "Rejected",
    "Replicas",
    "Simulated",
    "SimulatedReason",
    "SizeReason",
    "SpareAttachmentsReason",
    "StorageQuotaReason",
    "UnavailableReason",
    "UnpublishedReason",
    "Use",
    "VolumeIopsReason",
    "VolumeThroughputReason",
    "Volumes",
    "VolumesReason",
]


class ByInterval(TypedDict):
    """A load by interval in figures."""

    every_s: float
    mean_iops: float


class Load(TypedDict):
    """The load in figures."""

    size: int
    size_at_horizon: int
    horizon_years: float | None
    free_space: float
    at_most: int | None
    streams: list[tuple[str, int, int]]
    highest: float
    lasts_s: float | None
    by_interval: ByInterval | None
    headroom: float
    probability: float
    skewed: list[str]


class Point(TypedDict):
    """A layout on the plane of cost and latency."""

    type: str
    name: str
    usd_per_month: float
    p99_us: float
    on_frontier: bool


class Rejected(TypedDict):
    """A volume type that no layout has its data on."""

    type: str
    reasons: list[Reason]


class Family(TypedDict):
    """How a family of instances does."""

    family: str
    instance: str
    architecture: str
    usd_per_month: float | None
    yearly_loss: float | None
    reasons: list[Reason]


class Nearest(TypedDict):
    """The most of a load that can be met."""

    permille: int
    layout: Layout | None


class Dropped(TypedDict):
    """A layout that missed a goal in the simulation."""

    layout: Layout
    reasons: list[Reason]


class Regretted(TypedDict):
    """A layout and how it does over all samples."""

    layout: Layout
    regret_usd: float
    suffices: float


class LeastRegret(TypedDict):
    """The layout with the least mean regret over all samples."""

    samples: int
    seed: int
    factor: float
    impossible: int
    layout: Layout | None
    regret_usd: float
    suffices: float
    others: list[Regretted]
    usd_per_month: list[float]


class CheapestPossible(TypedDict):
    """What would be bought without preferences."""

    layout: Layout
    breaks: list[Reason]


class Managed(TypedDict):
    """What a service charges for the storage of the database, instances apart."""

    service: str
    usd_per_month: float


class Current(TypedDict):
    """What somebody has."""

    layout: Layout
    holds: float
    room: float
    missed: list[Reason]


class Answer(TypedDict):
    """A plan, and what it is for.

    Money is in US dollars a month of 730 hours, sizes and throughputs in bytes.
    """

    schema: str
    name: str
    region: str
    region_assumed: bool
    term: str
    architecture: str | None
    instance_sized: bool
    instance_kept: tuple[str, int, int] | None
    wanted: Load
    best: Layout | None
    others: list[Layout]
    fewest: Layout | None
    pareto_frontier: list[Point]
    rejected: list[Rejected]
    families: list[Family]
    instances: int
    avoided: dict[str, int]
    unpriced: int
    nearest: Nearest | None
    dropped: list[Dropped]
    uncertain: LeastRegret | None
    cheapest_possible: CheapestPossible | None
    managed: list[Managed]
    current: Current | None
    scenario: str | None
    notes: list[str]
