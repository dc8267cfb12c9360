"""Reads AWS's bulk price list, in bounded memory: a region's file has 300 MB and more."""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from blockyard._core import FileError
from blockyard.formats.price_list.offers import PriceList

_GZIP = b"\x1f\x8b"


def read(path: Path) -> PriceList:
    """Read an offer file of EC2, JSON or CSV, gzipped or not.

    Raises FileError, in one line, for what is no such file, is not whole or has a wrong price, and
    OSError if it cannot be read.
    """
    from blockyard.formats.price_list import bulk_csv, bulk_json

    with opened(path) as file:
        start = file.read(1).lstrip(b"\xef\xbb\xbf") or file.read(1)
    try:
        found = bulk_json.read(path) if start == b"{" else bulk_csv.read(path)
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: not UTF-8 text; {EXPECTED}") from error
    if not any(prices.volumes or prices.instances for prices in found.regions.values()):
        raise FileError(f"{path}: no price of a volume or an instance; {EXPECTED}")
    return found


EXPECTED = "expected AWS's price list of EC2, `index.json` or `index.csv`"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if it is gzipped. Raises FileError if that ends too early."""
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
        file.seek(0)
        try:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileError(f"{path}: not a whole gzip file: {error}") from error


def text_of(file: BinaryIO) -> io.TextIOWrapper:
    """A file as text."""
    return io.TextIOWrapper(file, encoding="utf-8-sig", newline="")


def day(published: str, path: Path) -> str:
    """The day of a time such as `2026-10-06T17:24:54Z`. Raises FileError if there is none."""
    found = re.match(r"\d{4}-\d\d-\d\d", published)
    if found is None:
        raise FileError(f"{path}: published `{published}`; expected a day; {EXPECTED}")
    return found[0]
