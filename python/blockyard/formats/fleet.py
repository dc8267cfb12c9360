"""A fleet as a CSV file: a row a database, with columns named as in a requirement.

    name,size,reads.iops,writes.iops,from.host.instance,from.storage.data.type,from.storage.data.size
    orders,500GiB,12000,4000,r5.2xlarge,gp2,3334GiB

A column is the path of a value in a requirement; what an empty cell would say is not said. Today's
layout is a scenario's file in the column `from`, or values of a scenario in columns `from.PATH`, or
both; `workload` is a file or a run whose load is taken. Their places count from the CSV's folder.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blockyard._core import FileError

# More databases than this are a mistake rather than a fleet, as would be a table of measurements.
MOST = 10_000

_TODAY = "from"
_WORKLOAD = "workload"


@dataclass(frozen=True)
class Database:
    """A row: what a database must have, and what it has today."""

    # Where it stands, `fleet.csv:7`.
    place: str
    name: str
    # Values of its requirement by their paths.
    wanted: dict[str, str]
    # The file of today's layout, and values of it by their paths.
    today: Path | None
    of_today: dict[str, str]
    workload: Path | None


def read(path: Path) -> list[Database]:
    """The databases of a fleet, as they stand in the file.

    Raises FileError with the line for a table that is not one of databases with names of their
    own, UnicodeDecodeError, and OSError if it cannot be read.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        # So Excel writes where the comma stands in numbers.
        separator = ";" if ";" in first and "," not in first else ","
        try:
            return list(_rows(path, csv.reader(file, delimiter=separator, strict=True)))
        except csv.Error as error:
            raise FileError(f"{path}: {error}; expected a table in CSV") from error


def _rows(path: Path, lines: Iterator[list[str]]) -> Iterator[Database]:
    header = [cell.strip() for cell in next(lines, [])]
    _check(path, header)
    names: dict[str, str] = {}
    # The reader's own count is of lines in the file, of which a quoted cell may have several.
    for cells in lines:
        place = f"{path}:{lines.line_num}"  # type: ignore[attr-defined]
        if not any(map(str.strip, cells)):
            continue
        if len(cells) != len(header):
            raise FileError(f"{place}: cells: {len(cells)}; expected {len(header)}, as in line 1")
        if len(names) == MOST:
            raise FileError(f"{place}: more than {MOST:,} databases; expected at most that")
        values = {
            column: cell.strip() for column, cell in zip(header, cells, strict=True) if cell.strip()
        }
        name = values.get("name")
        if name is None:
            raise FileError(f"{place}: name: empty; expected the database's own")
        if name in names:
            raise FileError(f"{place}: name: `{name}` stands in {names[name]} already")
        names[name] = place
        yield _database(place, name, values, path.parent)
    if not names:
        raise FileError(f"{path}: no databases; expected a row for each below the line of columns")


def _check(path: Path, header: Sequence[str]) -> None:
    if "name" not in header:
        raise FileError(
            f"{path}:1: no column `name`; expected it beside values of a requirement, such as "
            "`size`, `reads.iops` and `latency.read.p99`"
        )
    for number, column in enumerate(header, 1):
        if not column:
            raise FileError(f"{path}:1: column {number}: no name")
        if column in header[: number - 1]:
            raise FileError(f"{path}:1: column `{column}`: stands there twice")


def _database(place: str, name: str, values: dict[str, str], folder: Path) -> Database:
    prefix = f"{_TODAY}."
    of_today = {
        column.removeprefix(prefix): value
        for column, value in values.items()
        if column.startswith(prefix)
    }
    own = {
        column: value
        for column, value in values.items()
        if column not in (_TODAY, _WORKLOAD) and not column.startswith(prefix)
    }
    today, workload = values.get(_TODAY), values.get(_WORKLOAD)
    return Database(
        place=place,
        name=name,
        wanted=own,
        today=folder / today if today else None,
        of_today=of_today,
        workload=folder / workload if workload else None,
    )
