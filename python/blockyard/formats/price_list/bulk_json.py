"""The JSON form of AWS's price list: products by SKU, then terms by SKU."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

from blockyard._core import FileError
from blockyard.formats.price_list.offers import (
    PriceList,
    Prices,
    Product,
    dollars,
    product,
    term_of,
    unit_price,
)
from blockyard.formats.price_list.reading import EXPECTED, day, opened

# What is wanted of the products, by SKU: the region's prices, and what it is.
_Wanted = dict[str, tuple[Prices, Product]]


def read(path: Path) -> PriceList:
    """Read the file, once for its products and once for each kind of terms."""
    found = PriceList(_published(path))
    wanted: _Wanted = {}
    for sku, offer in _items(path, "products"):
        attributes = offer.get("attributes") if isinstance(offer, dict) else None
        if not isinstance(attributes, dict):
            raise FileError(f"{path}: products.{sku} has no attributes; {EXPECTED}")
        what, region = product(attributes), attributes.get("regionCode")
        if what is None or not isinstance(region, str):
            found.skipped["not needed"] += 1
        else:
            wanted[sku] = found.of(region), what
    for sku, terms in _items(path, "terms.OnDemand"):
        if sku in wanted:
            for term in terms.values():
                _on_demand(term, wanted[sku], f"{path}: {sku}")
    for sku, terms in _items(path, "terms.Reserved"):
        if sku in wanted:
            for term in terms.values():
                _reserved(term, wanted[sku], f"{path}: {sku}")
    return found


def _published(path: Path) -> str:
    """The day of the list; what it is stands before the products."""
    import ijson

    head: dict[str, object] = {}
    with _parsed(path) as file:
        for prefix, _, value in ijson.parse(file, use_float=True):
            if prefix == "products":
                break
            head[prefix] = value
    if head.get("offerCode") != "AmazonEC2":
        raise FileError(f"{path}: offerCode `{head.get('offerCode', '')}`; {EXPECTED}")
    return day(str(head.get("publicationDate", "")), path)


def _items(path: Path, prefix: str) -> Iterator[tuple[str, Any]]:
    import ijson

    with _parsed(path) as file:
        yield from ijson.kvitems(file, prefix, use_float=True)


@contextmanager
def _parsed(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file for the parser, whose errors are said in one line."""
    import ijson

    with opened(path) as file:
        try:
            yield file
        except ijson.JSONError as error:
            why = " ".join(str(error).split())[:100]
            cut = re.search("premature|incomplete", why, re.IGNORECASE)
            what = "ends too early" if cut else "is wrong"
            raise FileError(f"{path}: its JSON {what} ({why}); {EXPECTED}") from error


def _dimensions(term: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any]]:
    """Unit and price of each dimension of a term that is not free for the first units."""
    dimensions = term.get("priceDimensions")
    if not isinstance(dimensions, dict):
        raise FileError(f"{where}: no priceDimensions; {EXPECTED}")
    for dimension in dimensions.values():
        price = dimension.get("pricePerUnit", {})
        if "USD" not in price:
            raise FileError(f"{where}: priced in {', '.join(price) or 'nothing'}; expected USD")
        yield str(dimension.get("unit", "")), dollars(price["USD"], where)


def _on_demand(term: Mapping[str, Any], wanted: tuple[Prices, Product], where: str) -> None:
    prices, what = wanted
    for unit, price in _dimensions(term, where):
        prices.state(what, "on_demand", unit_price(what.charge, unit, price, where))


def _reserved(offer: Mapping[str, Any], wanted: tuple[Prices, Product], where: str) -> None:
    prices, what = wanted
    about = offer.get("termAttributes", {})
    term = term_of(
        what,
        about.get("LeaseContractLength", ""),
        about.get("PurchaseOption", ""),
        about.get("OfferingClass", ""),
    )
    if term is None:
        return
    parts = (term.hourly(unit, price) for unit, price in _dimensions(offer, where))
    prices.state(what, term.key, sum(parts, Decimal(0)))
