"""Price lists as price files in the catalog's schema."""

import json
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal

from blockyard import _core
from blockyard.formats.price_list.offers import PriceList, Prices

_MILLIONTH = Decimal("0.000001")
# The name of each term, by its key.
_TERMS = {
    "on_demand": "on-demand",
    "no_upfront": "1y-no-upfront",
    "partial_upfront": "1y-partial-upfront",
    "all_upfront": "1y-all-upfront",
    "no_upfront_3y": "3y-no-upfront",
    "partial_upfront_3y": "3y-partial-upfront",
    "all_upfront_3y": "3y-all-upfront",
}
_THROUGHPUT_INCLUDED = "125MiB/s"


def known(found: PriceList) -> None:
    """Leave out what the catalog does not know or the list has two prices of, and count it."""
    instances = {row["type"] for row in json.loads(_core.catalog_instances())}
    volumes = {row["type"] for row in json.loads(_core.catalog_volumes())}
    regions = set(_core.regions())
    for region in [name for name in found.regions if name not in regions]:
        del found.regions[region]
        found.skipped["regions"] += 1
    for prices in found.regions.values():
        for what in prices.unclear:
            kind = prices.instances if what.charge == "instance" else prices.volumes
            kind.pop(what.name, None)
            found.skipped["products with two prices"] += 1
        for name in prices.instances.keys() - instances:
            del prices.instances[name]
            found.skipped["instance types"] += 1
        for name in prices.volumes.keys() - volumes:
            del prices.volumes[name]
            found.skipped["volume types"] += 1


def text(region: str, prices: Prices, published: str, discount: str | None = None) -> str:
    """The price file of a region."""
    sheet = [
        "prices:",
        f"  - region: {region}",
        f"    observed: {published}",
        f"    source: AWS's price list of {region}",
    ]
    if discount is not None:
        sheet.append(f"    discount: {json.dumps(discount)}")
    if prices.snapshots is not None:
        sheet.append(f"    snapshots: {_price(prices.snapshots)}")
    volumes = [_volume(name, of) for name, of in sorted(prices.volumes.items())]
    instances = [_instance(name, of) for name, of in sorted(prices.instances.items())]
    for key, rows in (("volumes", volumes), ("instances", instances)):
        rows = [row for row in rows if row]
        sheet.extend([f"    {key}:", *(f"      - {{{row}}}" for row in rows)] if rows else [])
    return "\n".join(sheet) + "\n"


def covered(prices: Prices) -> str:
    """What it has prices of: `7 volume types, snapshots, instances: 2 on-demand`."""
    terms = Counter(term for of in prices.instances.values() for term in of)
    instances = [f"{terms[key]:,} {name}" for key, name in _TERMS.items() if terms[key]]
    parts = [f"{len(prices.volumes)} volume types"]
    parts += ["snapshots"] if prices.snapshots is not None else []
    parts += [f"instances: {', '.join(instances)}"] if instances else []
    return ", ".join(parts)


def _volume(name: str, of: dict[str, Decimal | dict[int, Decimal]]) -> str:
    parts = []
    for charge, price in of.items():
        if isinstance(price, dict):
            tiers = sorted(price.items())
            rows = [f"{{above: {above}, price: {_price(each)}}}" for above, each in tiers]
            parts.append(f"{charge}: [{', '.join(rows)}]")
        elif charge == "throughput":
            parts.append(f"throughput: [{{above: {_THROUGHPUT_INCLUDED}, price: {_price(price)}}}]")
        else:
            parts.append(f"{charge}: {_price(price)}")
    return ", ".join([f"type: {name}", *parts]) if parts else ""


def _instance(name: str, of: dict[str, Decimal]) -> str:
    # An instance that costs nothing by the hour is not sold that way.
    parts = [f"{key}: {_price(price)}" for key, price in sorted(of.items()) if price > 0]
    return ", ".join([f"type: {name}", *parts]) if parts else ""


def _price(price: Decimal) -> str:
    """Dollars to the millionth, without trailing zeros."""
    rounded = f"{price.quantize(_MILLIONTH, ROUND_HALF_UP):f}"
    return rounded.rstrip("0").rstrip(".")
