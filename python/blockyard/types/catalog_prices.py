"""The prices that are known, by region.

Made by scripts/door_types.py from schemas/catalog-prices.schema.json, the schema of the Rust type
`Vec<RegionPrices>`, which says what each key means.
"""

from typing import TypedDict

from blockyard.types.catalog_volumes import Date


class Figure(TypedDict):
    """A price, and where it stands."""

    price: float
    source: str
    observed: Date
    users: bool


class TierPrice(TypedDict):
    """A price for what lies above a bound."""

    above: float
    price: float


class VolumePrices(TypedDict):
    """What a volume type costs in a month."""

    type: str
    capacity: Figure
    iops: list[TierPrice]
    throughput: list[TierPrice]
    requests: Figure | None


class InstancePrices(TypedDict):
    """Instance types with a price from one source."""

    term: str
    types: int
    source: str
    observed: Date
    users: bool


class RegionPrices(TypedDict):
    """The prices that are known of a region."""

    region: str
    volumes: list[VolumePrices]
    instances: list[InstancePrices]
    snapshots: Figure | None
    cross_zone: Figure | None


RegionsPrices = list[RegionPrices]
