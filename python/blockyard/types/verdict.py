"""What a load on observed storage waited for.

Made by scripts/door_types.py from schemas/verdict.schema.json, the schema of the Rust type
`Verdict`, which says what each key means.
"""

from typing import Literal, TypedDict

from blockyard.types.facts import LimitId


class NotStorageCause(TypedDict):
    """Storage was as fast as it is sold, and no limit was reached: what was slow lies elsewhere."""

    kind: Literal["not_storage"]


class VolumeLimitCause(TypedDict):
    """A limit of the volume."""

    kind: Literal["volume_limit"]
    limit: LimitId
    per_s: float | None


class InstanceLimitCause(TypedDict):
    """A limit of the instance."""

    kind: Literal["instance_limit"]
    limit: LimitId
    per_s: float | None


class CreditsCause(TypedDict):
    """Burst credits were used up, which leaves the baseline."""

    kind: Literal["credits"]
    limit: LimitId
    per_s: float | None


class HungCause(TypedDict):
    """The volume did nothing while it had IO to do."""

    kind: Literal["hung"]
    longest_s: float


class DegradedCause(TypedDict):
    """The volume was slow below its limits."""

    kind: Literal["degraded"]
    served: float


class LegCause(TypedDict):
    """Of devices with equal loads this one was slow, and held back all."""

    kind: Literal["leg"]
    times: float


class FlushesCause(TypedDict):
    """Flushes waited for each other."""

    kind: Literal["flushes"]
    in_flight: float


class GuestQueueCause(TypedDict):
    """The queues of this machine, before the device had the IO."""

    kind: Literal["guest_queue"]
    share: float


# Why it cannot be known what a load waited for.
Unknown = Literal["no_io", "no_latency", "no_volume", "queue_or_volume", "merged", "coarse"]


class UnknownCause(TypedDict):
    """The figures do not tell."""

    kind: Literal["unknown"]
    why: Unknown


# What a load waited for.
Cause = (
    NotStorageCause
    | VolumeLimitCause
    | InstanceLimitCause
    | CreditsCause
    | HungCause
    | DegradedCause
    | LegCause
    | FlushesCause
    | GuestQueueCause
    | UnknownCause
)


class Verdict(TypedDict):
    """What was found."""

    cause: Cause
    device: str | None
    time: float
    waited: float
