"""What stands in a bill.

Made by scripts/door_types.py from schemas/bill.schema.json, the schema of the Rust type `Bill`,
which says what each key means.
"""

from typing import Literal, NotRequired, TypedDict

# Who named the region.
RegionFrom = Literal["asked", "scenario", "zones", "assumed"]


# What is charged.
Item = Literal[
    "instance",
    "ebs_optimized",
    "capacity",
    "iops",
    "throughput",
    "requests",
    "cross_zone",
    "snapshots",
]


class BillLine(TypedDict):
    """A line of a bill: an amount of something at one price."""

    of: str
    item: Item
    what: str
    count: int
    amount: float
    unit: str
    above: float
    price: float
    price_unit: str
    per_hour: float
    per_month: float
    source: str
    observed: str
    users: bool
    discount: str | None
    assumed: list[str]


class Work(TypedDict):
    """A run's work at its pace after the warm-up."""

    iops: float
    per_1000_iops: float | None
    tps: float | None
    per_tps: float | None
    per_million_transactions: float | None


# Who needs a copy of all data.
CopyKind = Literal["state_transfer", "base_backup", "replica", "resync"]


class FullCopy(TypedDict):
    """One copy of all data from zone to zone."""

    of: str
    kind: CopyKind
    gib: float
    price: float
    each: float
    source: str
    observed: str
    users: bool


class Bill(TypedDict):
    """Cost of a scenario's hosts and storage."""

    schema: str
    scenario: str
    region: str
    region_from: RegionFrom
    as_of: str | None
    term: str
    hours_per_month: int
    lines: list[BillLine]
    per_hour: float
    per_month: float
    work: Work | None
    copies: NotRequired[list[FullCopy]]
    notes: list[str]
