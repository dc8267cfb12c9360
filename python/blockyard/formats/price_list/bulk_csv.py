"""The CSV form of AWS's price list: five lines about it, a header, and a row for each price."""

import csv
from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

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
from blockyard.formats.price_list.reading import EXPECTED, day, opened, text_of

if TYPE_CHECKING:
    from _csv import Reader

# The columns that stand for the attributes of the JSON form.
_ATTRIBUTES = {
    "usageType": "usagetype",
    "Location Type": "locationType",
    "Operating System": "operatingSystem",
    "Tenancy": "tenancy",
    "Pre Installed S/W": "preInstalledSw",
    "CapacityStatus": "capacitystatus",
    "Instance Type": "instanceType",
}
_NEEDED = [
    *_ATTRIBUTES,
    "SKU",
    "OfferTermCode",
    "TermType",
    "Unit",
    "PricePerUnit",
    "Currency",
    "LeaseContractLength",
    "PurchaseOption",
    "OfferingClass",
    "Region Code",
]
# Characters of a line, at most: a device such as /dev/zero is one without an end.
_LONGEST = 1 << 20
# The most lines before the header.
_ABOUT = 10


def read(path: Path) -> PriceList:
    """Read the file, row by row."""
    with opened(path) as file, text_of(file) as text:
        rows = csv.reader(_lines(path, text), strict=True)
        try:
            return _read(path, rows)
        except csv.Error as error:
            raise FileError(f"{path}:{rows.line_num}: {error}; {EXPECTED}") from error


def _lines(path: Path, text: TextIO) -> Iterator[str]:
    for number in count(1):
        line = text.readline(_LONGEST)
        if len(line) == _LONGEST:
            long = f"a line of {_LONGEST:,} characters or more"
            raise FileError(f"{path}:{number}: {long}; {EXPECTED}")
        if not line:
            return
        yield line


def _read(path: Path, rows: "Reader") -> PriceList:
    about, header = _head(path, rows)
    if about.get("OfferCode") != "AmazonEC2":
        raise FileError(f"{path}: OfferCode `{about.get('OfferCode', '')}`; {EXPECTED}")
    found = PriceList(day(about.get("Publication Date", ""), path))
    # What a reservation costs in an hour: a row states what is paid by the hour, one the rest.
    hours: dict[tuple[str, str], tuple[Prices, Product, str, dict[str, Decimal]]] = {}
    for row in _whole(path, rows, header):
        what = product({key: row[name] for name, key in _ATTRIBUTES.items()})
        where = f"{path}:{rows.line_num}"
        if what is None or not row["Region Code"]:
            found.skipped["not needed"] += 1
            continue
        if row["Currency"] not in ("USD", ""):
            raise FileError(f"{where}: priced in {row['Currency']}; expected USD")
        prices, price = found.of(row["Region Code"]), dollars(row["PricePerUnit"], where)
        if row["TermType"] == "OnDemand":
            prices.state(what, "on_demand", unit_price(what.charge, row["Unit"], price, where))
            continue
        length, option = row["LeaseContractLength"], row["PurchaseOption"]
        term = term_of(what, length, option, row["OfferingClass"])
        if term is None:
            continue
        unit, offer = row["Unit"].lower(), (row["SKU"], row["OfferTermCode"])
        parts = hours.setdefault(offer, (prices, what, term.key, {}))[3]
        parts[unit] = term.hourly(unit, price)
    for prices, what, key, parts in hours.values():
        prices.state(what, key, sum(parts.values(), Decimal(0)))
    return found


def _head(path: Path, rows: "Reader") -> tuple[dict[str, str], list[str]]:
    """What the first lines say of the list, and the header. Raises FileError if it has none."""
    about: dict[str, str] = {}
    for row, _ in zip(rows, range(_ABOUT), strict=False):
        if "SKU" in row:
            missing = [name for name in _NEEDED if name not in row]
            if missing:
                named = ", ".join(f"`{name}`" for name in missing)
                raise FileError(f"{path}:{rows.line_num}: no column {named}; {EXPECTED}")
            return about, row
        if len(row) > 1:
            about[row[0]] = row[1]
    raise FileError(f"{path}: no header with `SKU` in its first {_ABOUT} lines; {EXPECTED}")


def _whole(path: Path, rows: "Reader", header: list[str]) -> Iterator[dict[str, str]]:
    """The rows by column. Raises FileError at one that lacks some, as where the file was cut."""
    for row in rows:
        if len(row) != len(header):
            said = f"{len(row)} cells; expected {len(header)}, one for each column"
            raise FileError(f"{path}:{rows.line_num}: {said}; is the file whole?")
        yield dict(zip(header, row, strict=True))
