"""What limits would do to a measured load.

Made by scripts/door_types.py from schemas/under-demand.schema.json, the schema of the Rust type
`UnderDemand`, which says what each key means.
"""

from typing import TypedDict

from blockyard.types.facts import LimitId


class CreditsOverTime(TypedDict):
    """What becomes of credits."""

    dry_s: int | None
    dry: int
    lowest_pct: float
    lowest_s: int
    balance_pct: list[float]


class LimitUnderDemand(TypedDict):
    """A limit, over the volumes of a device together or over those of a host."""

    limit: LimitId
    value: int
    mean: float
    busiest: float
    busiest_s: int
    reached: int
    credits: CreditsOverTime | None


class UnderDemand(TypedDict):
    """What limits would do to a measured load."""

    interval_s: int
    intervals: int
    limits: list[LimitUnderDemand]
