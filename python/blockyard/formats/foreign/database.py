"""Another program's SQLite database, opened read-only."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Protocol, Self
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from blockyard.formats.foreign import clock
from blockyard.formats.foreign.error import ForeignError, unexpected
from blockyard.formats.foreign.timeline import Timeline, timeline_of

Row = tuple[object, ...]

# The time of a row, and the report that it came with, which not every table has.
_STAMP, _REPORT = "datetime", "html name"
# Larger integers are not exact as floating-point numbers.
_MOST = 2.0**53
# Rows to read at once.
_ROWS = 1 << 16


class Tables(Protocol):
    """Tables whose rows have times."""

    @property
    def path(self) -> Path:
        """Where they are."""

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[list[Row]]:
        """Return columns of a table, some rows at a time."""

    def distinct(self, table: str, columns: Sequence[str]) -> list[Row]:
        """Return the distinct rows of these columns, in any order."""


class Database:
    """A database. Every method raises ForeignError if SQLite cannot read it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        uri = f"file:{quote(str(path.resolve()))}?mode=ro"
        with self._reading():
            self._connection = sqlite3.connect(uri, uri=True)
        self._connection.text_factory = lambda text: text.decode(errors="replace")

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._path

    def __enter__(self) -> Self:
        """Return the open database."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self._connection.close()

    def tables(self) -> dict[str, list[str]]:
        """Return the tables with their columns."""
        names = self._all("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {
            str(name): [
                str(column)
                for (column,) in self._all("SELECT name FROM pragma_table_info(?)", str(name))
            ]
            for (name,) in names
        }

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[list[Row]]:
        """Return columns of a table in the order of insertion, some rows at a time."""
        return self._pieces(f"{_listed(columns)} FROM [{table}] ORDER BY rowid")

    def distinct(self, table: str, columns: Sequence[str]) -> list[Row]:
        """Return the distinct rows of these columns, in any order."""
        pieces = self._pieces(f"DISTINCT {_listed(columns)} FROM [{table}]")
        return [row for rows in pieces for row in rows]

    def _pieces(self, selected: str) -> Iterator[list[Row]]:
        with self._reading():
            # All names come from this package.
            cursor = self._connection.execute(f"SELECT {selected}")
            while rows := cursor.fetchmany(_ROWS):
                yield rows

    def _all(self, query: str, *values: str) -> list[Row]:
        with self._reading():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # The text of an error can be as corrupt as the file.
            said = " ".join(str(error).split())
            raise ForeignError(self.path, f"SQLite: {said}") from error


def _listed(columns: Sequence[str]) -> str:
    """Quote columns in brackets: in quotation marks a missing column would count as text."""
    return ", ".join(f"[{column}]" for column in columns)


def timeline_of_table(
    database: Tables, table: str, columns: Sequence[str], *, first: bool
) -> tuple[Timeline, dict[str, float]]:
    """Return the timeline of a table's rows, and the start of each stamp's interval.

    Without `first` the first stamp of each report is left out. Raises ForeignError if stamps are
    missing, invalid, or too few.
    """
    if _STAMP not in columns:
        raise ForeignError(f"{database.path}: {table}", f"no column {_STAMP}; no times")
    has_reports = _REPORT in columns
    stamps: dict[str, datetime] = {}
    firsts: dict[object, str] = {}
    for given, report in database.distinct(table, [_STAMP, _REPORT if has_reports else _STAMP]):
        stamp = str(given)
        moment = clock.moment(stamp)
        if moment is None:
            place = f"{database.path}: {table}: {_STAMP}"
            raise unexpected(place, given, "a date and a time")
        stamps[stamp] = moment
        key = report if has_reports else None
        if moment < stamps[firsts.setdefault(key, stamp)]:
            firsts[key] = stamp
    left_out = set() if first else set(firsts.values())
    ordered = sorted(stamps, key=lambda stamp: stamps[stamp])
    moments = [stamps[stamp] for stamp in ordered]
    seconds = [(moment - moments[0]).total_seconds() for moment in moments]
    timeline = timeline_of(moments, seconds, [stamp not in left_out for stamp in ordered])
    if timeline is None:
        raise ForeignError(f"{database.path}: {table}", "rows of fewer than two times")
    kept = (stamp for stamp in ordered if stamp not in left_out)
    return timeline, dict(zip(kept, timeline.starts_s, strict=True))


def numbers(place: str, values: Sequence[object]) -> pa.Array:
    """Return numbers of at least 0; missing ones become 0.

    Raises ForeignError for anything else.
    """
    try:
        found = pc.fill_null(pa.array(values, pa.float64()), 0.0)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        found = None
    if found is None or pc.any(pc.invert(_counts(found))).as_py():
        wrong = next(value for value in values if not _is_count(value))
        raise unexpected(place, wrong, "a number of at least 0")
    return found


def _counts(numbers: pa.Array) -> pa.Array:
    return pc.and_(pc.less(numbers, _MOST), pc.greater_equal(numbers, 0.0))


def _is_count(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and 0 <= value < _MOST)
