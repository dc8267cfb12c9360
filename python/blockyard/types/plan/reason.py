"""Why a layout, a volume type or an instance type does not do.

Made by scripts/door_types.py from schemas/plan.schema.json, the schema of the Rust type `Answer`,
which says what each key means.
"""

from typing import Literal, TypedDict


class VolumeIopsReason(TypedDict):
    """The volumes' IOPS, all together, as they count them."""

    kind: Literal["volume_iops"]
    needed: int
    has: int
    volumes: int


class VolumeThroughputReason(TypedDict):
    """The volumes' throughput, all together."""

    kind: Literal["volume_throughput"]
    needed: int
    has: int
    volumes: int


class InstanceIopsReason(TypedDict):
    """The instance's IOPS over all its volumes."""

    kind: Literal["instance_iops"]
    instance: str
    needed: int
    has: int


class InstanceThroughputReason(TypedDict):
    """The instance's throughput over all its volumes."""

    kind: Literal["instance_throughput"]
    instance: str
    needed: int
    has: int


class InstanceNetworkReason(TypedDict):
    """The instance's network, which carries the log to replicas."""

    kind: Literal["instance_network"]
    instance: str
    needed: int
    has: int


class BurstExhaustedReason(TypedDict):
    """Burst credits end before the load does."""

    kind: Literal["burst_exhausted"]
    owner: str
    limit: str
    after_s: float
    lasts_s: float | None
    baseline: int


class AttachmentsReason(TypedDict):
    """More volumes than can be attached."""

    kind: Literal["attachments"]
    instance: str
    needed: int
    has: int


class QuotaReason(TypedDict):
    """More provisioned IOPS than the account may have."""

    kind: Literal["quota"]
    volume_type: str
    needed: int
    has: int


class StorageQuotaReason(TypedDict):
    """More storage than the account may have."""

    kind: Literal["storage_quota"]
    volume_type: str
    needed: int
    has: int


class VolumesReason(TypedDict):
    """More volumes than are wanted."""

    kind: Literal["volumes"]
    needed: int
    has: int


class SpareAttachmentsReason(TypedDict):
    """Fewer attachments stay free than are wanted."""

    kind: Literal["spare_attachments"]
    instance: str
    needed: int
    has: int


class FreeSpaceReason(TypedDict):
    """Less of the file system stays free than is wanted."""

    kind: Literal["free_space"]
    needed: int
    has: int


class PreviousGenerationReason(TypedDict):
    """The instance type is of a previous generation."""

    kind: Literal["previous_generation"]
    instance: str


class PurposeReason(TypedDict):
    """The instance type is made for something else than a database."""

    kind: Literal["purpose"]
    instance: str
    purpose: str


class LatencyReason(TypedDict):
    """A latency goal is missed even without any queue."""

    kind: Literal["latency"]
    of: str
    quantile: str
    goal_us: float
    estimate_us: float


class SizeReason(TypedDict):
    """The data does not fit."""

    kind: Literal["size"]
    needed: int
    has: int


class DurabilityReason(TypedDict):
    """Volumes of the type fail too often."""

    kind: Literal["durability"]
    allowed: int
    expected: int | None


class EphemeralReason(TypedDict):
    """What is on disks of the instance is lost when it stops.

    The requirement does not allow that.
    """

    kind: Literal["ephemeral"]


class PriceUnknownReason(TypedDict):
    """A price is not known."""

    kind: Literal["price_unknown"]
    message: str


class UnavailableReason(TypedDict):
    """The catalog does not offer it on that day behind that instance."""

    kind: Literal["unavailable"]
    message: str


class UnpublishedReason(TypedDict):
    """The instance has no published limits over its volumes."""

    kind: Literal["unpublished"]
    instance: str


class SimulatedReason(TypedDict):
    """The simulations missed the goals with too many seeds."""

    kind: Literal["simulated"]
    goal: str
    measured: str
    seeds: int
    met: int


class ExcludedReason(TypedDict):
    """The requirement itself leaves it out."""

    kind: Literal["excluded"]
    by: str


# Why a layout, a volume type or an instance type does not meet a requirement.
Reason = (
    VolumeIopsReason
    | VolumeThroughputReason
    | InstanceIopsReason
    | InstanceThroughputReason
    | InstanceNetworkReason
    | BurstExhaustedReason
    | AttachmentsReason
    | QuotaReason
    | StorageQuotaReason
    | VolumesReason
    | SpareAttachmentsReason
    | FreeSpaceReason
    | PreviousGenerationReason
    | PurposeReason
    | LatencyReason
    | SizeReason
    | DurabilityReason
    | EphemeralReason
    | PriceUnknownReason
    | UnavailableReason
    | UnpublishedReason
    | SimulatedReason
    | ExcludedReason
)
