"""What of AWS's price list Blockyard needs, and what it says of it."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from blockyard._core import FileError

_HOURS_PER_YEAR = 8760

_VOLUMES = {"gp2": "gp2", "gp3": "gp3", "piops": "io1", "io2": "io2", "st1": "st1", "sc1": "sc1"}
# The bound above which each tier's price applies.
_IOPS = {
    "gp3": ("gp3", 3000),
    "piops": ("io1", 0),
    "io2": ("io2", 0),
    "io2.tier2": ("io2", 32000),
    "io2.tier3": ("io2", 64000),
}
_TERMS = {
    "No Upfront": "no_upfront",
    "Partial Upfront": "partial_upfront",
    "All Upfront": "all_upfront",
}
# The units of each charge in lower case, and what makes them the catalog's.
_ONE = Decimal(1)
_UNITS: dict[str, dict[str, Decimal]] = {
    "capacity": {"gb-mo": _ONE, "gb-month": _ONE},
    "snapshots": {"gb-mo": _ONE, "gb-month": _ONE},
    "iops": {"iops-mo": _ONE},
    "throughput": {"gibps-mo": _ONE / 1024, "mibps-mo": _ONE},
    "requests": {"ios": Decimal(1_000_000)},
    "instance": {"hrs": _ONE},
    "ebs_optimized": {"hrs": _ONE},
}
_YEARS = {"1yr": 1, "1 yr": 1, "3yr": 3, "3 yr": 3}
# Of us-east-1 it has no prefix, of others `EU-`, `USW2-`; local zones have another, `USW2-LAX1-`.
_USAGE = re.compile(r"(?:[A-Z]+\d*-)?(EBS:|BoxUsage|EBSOptimized)(.*)")


class Product(NamedTuple):
    """Something with a price: a charge of a volume type, an instance type, snapshots."""

    # `capacity`, `iops`, `throughput`, `requests`, `snapshots`, `instance` or `ebs_optimized`.
    charge: str
    name: str
    # Of IOPS, the bound above which the price applies.
    above: int = 0


def product(attributes: Mapping[str, str]) -> Product | None:
    """What a product is, by its attributes as the JSON file names them; None for all others."""
    if attributes.get("locationType", "AWS Region") != "AWS Region":
        return None
    usage = _USAGE.fullmatch(attributes.get("usagetype", ""))
    if usage is None:
        return None
    kind, rest = usage.groups()
    if kind == "EBS:":
        return _storage(rest)
    if kind == "EBSOptimized":
        return Product("ebs_optimized", rest.removeprefix(":")) if rest else None
    plain = {
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
    }
    if any(attributes.get(key) != value for key, value in plain.items()):
        return None
    return Product("instance", attributes.get("instanceType", ""))


def _storage(usage: str) -> Product | None:
    charge, _, rest = usage.partition(".")
    if charge == "VolumeUsage":
        # One without a suffix is the first type that there was.
        return Product("capacity", _VOLUMES.get(rest, rest or "standard"))
    if charge == "VolumeP-IOPS" and rest in _IOPS:
        name, above = _IOPS[rest]
        return Product("iops", name, above)
    if charge == "VolumeP-Throughput" and rest == "gp3":
        return Product("throughput", rest)
    if usage == "VolumeIOUsage":
        return Product("requests", "standard")
    return Product("snapshots", "") if usage == "SnapshotUsage" else None


class Term(NamedTuple):
    """How long an instance is reserved, and how that is paid for."""

    # The price's key in a price file, such as `no_upfront_3y`.
    key: str
    years: int

    def hourly(self, unit: str, price: Decimal) -> Decimal:
        """What a part of its price is in an hour: one by the `Quantity` is paid once."""
        return price / (_HOURS_PER_YEAR * self.years) if unit.lower() == "quantity" else price


def term_of(what: Product, length: str, option: str, offering: str) -> Term | None:
    """The term of an instance's reservation; None for convertible ones and other products."""
    years, key = _YEARS.get(length), _TERMS.get(option)
    if what.charge != "instance" or offering.lower() != "standard":
        return None
    if years is None or key is None:
        return None
    return Term(key if years == 1 else f"{key}_3y", years)


def dollars(text: object, where: str) -> Decimal:
    """An amount of the price list. Raises FileError if it is none, or is negative."""
    try:
        amount = Decimal(str(text))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise FileError(f"{where}: price `{text}`; expected dollars")
    if amount < 0:
        raise FileError(f"{where}: price `{text}` is negative")
    return amount


def unit_price(charge: str, unit: str, price: Decimal, where: str) -> Decimal:
    """Dollars in the catalog's units. Raises FileError for a unit that the charge does not have."""
    units = _UNITS[charge]
    if unit.lower() not in units:
        raise FileError(f"{where}: {charge} by the `{unit}`; expected {' or '.join(units)}")
    return price * units[unit.lower()]


@dataclass
class Prices:
    """The prices of one region."""

    volumes: dict[str, dict[str, Decimal | dict[int, Decimal]]] = field(default_factory=dict)
    # By type and key, as `on_demand`.
    instances: dict[str, dict[str, Decimal]] = field(default_factory=dict)
    snapshots: Decimal | None = None
    # Products that were stated with two prices, of which neither is taken.
    unclear: set[Product] = field(default_factory=set)

    def state(self, what: Product, term: str, price: Decimal) -> None:
        """Note a price, in dollars and the catalog's units."""
        known: Decimal | None
        if what.charge == "instance" or what.charge == "ebs_optimized":
            key = term if what.charge == "instance" else what.charge
            of = self.instances.setdefault(what.name, {})
            known = of.setdefault(key, price)
        elif what.charge == "snapshots":
            known = self.snapshots = price if self.snapshots is None else self.snapshots
        elif what.charge == "iops":
            tiers = self.volumes.setdefault(what.name, {}).setdefault("iops", {})
            assert isinstance(tiers, dict)  # noqa: S101 - nothing else is put there
            known = tiers.setdefault(what.above, price)
        else:
            stated = self.volumes.setdefault(what.name, {}).setdefault(what.charge, price)
            known = None if isinstance(stated, dict) else stated
        if known != price:
            self.unclear.add(what)


@dataclass
class PriceList:
    """What a file of AWS's says, by region."""

    # The day on which it was published.
    published: str
    regions: dict[str, Prices] = field(default_factory=dict)
    # How many products were of no use, by why.
    skipped: Counter[str] = field(default_factory=Counter)

    def of(self, region: str) -> Prices:
        """The prices of a region, to be added to."""
        return self.regions.setdefault(region, Prices())
