"""What CloudWatch's console saves as CSV: lines that say what each column is, then its values.

A line's first cell names what it says of the columns, such as `Period`; a line that begins with a
time has their values. Words differ between the console's versions, so a column is told by the id,
the metric and the statistic that stand anywhere above its values.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from blockyard.formats.aws import cloudwatch, moments
from blockyard.formats.aws.account import STATISTICS, Account
from blockyard.formats.foreign.error import ForeignError, unexpected

_ID = re.compile(r"\b(vol|i)-[0-9a-f]{8,17}\b")
_DATABASE = re.compile(r"DBInstanceIdentifier\W+([\w-]+)")
_TIME = re.compile(r"\d{4}[-/]\d\d[-/]\d\d[ T]\d")
_LENGTH = re.compile(r"(\d+)\s*(second|sec|s|minute|min|m|hour|h)?s?\b", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "h": 3600}

# More lines than these above the values are no header.
_MOST_ABOVE = 40

# What a spreadsheet makes of the file: other separators, and times in the form of its locale.
_SEPARATED = re.compile(r"[;\t]")
_OTHER_TIME = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}[:.]\d\d")
_AGAIN = "a spreadsheet saved it: download it again, and do not open it there"

_EXPECTED = "expected CloudWatch's CSV: lines of what its columns are, then lines with a time"


@dataclass
class _Column:
    """A metric, and where its values stand."""

    of: str
    metric: str
    period_s: int | None
    points: dict[int, float] = field(default_factory=dict)


def read(path: Path, account: Account) -> None:
    """Add the values of a file. Raises ForeignError and OSError."""
    above: list[list[str]] = []
    columns: dict[int, _Column] | None = None
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            lines = csv.reader(file, strict=True)
            for cells in lines:
                place = f"{path}:{lines.line_num}"
                if not any(map(str.strip, cells)):
                    continue
                if _TIME.match(cells[0].strip()):
                    if columns is None:
                        columns = _columns(path, above, account)
                    _add(place, cells, columns)
                elif columns is not None:
                    raise unexpected(place, cells[0], "a time, as in the lines before")
                elif len(cells) == 1 and _SEPARATED.search(cells[0]):
                    raise ForeignError(place, f"cells without commas between them; {_AGAIN}")
                elif _OTHER_TIME.match(cells[0]):
                    form = f"2026/11/16 00:00:00, as CloudWatch writes times; {_AGAIN}"
                    raise unexpected(place, cells[0], form)
                elif len(above) == _MOST_ABOVE:
                    raise ForeignError(place, f"no time so far; {_EXPECTED}")
                else:
                    above.append(cells)
        except csv.Error as error:
            raise ForeignError(path, f"{error}; {_EXPECTED}") from error
        except UnicodeDecodeError as error:
            raise ForeignError(path, f"not UTF-8 text; {_EXPECTED}") from error
    if columns is None:
        raise ForeignError(path, f"no line begins with a time; {_EXPECTED}")
    for column in columns.values():
        period = column.period_s or moments.period(column.points)
        account.add(column.of, column.metric, period, column.points)


def _columns(path: Path, above: Sequence[Sequence[str]], account: Account) -> dict[int, _Column]:
    """The columns that are used, by their places."""
    found = {}
    for place in range(1, max(map(len, above), default=0)):
        said = [(row[0].strip().lower(), row[place].strip()) for row in above if place < len(row)]
        cells = " ".join(cell for _, cell in said)
        metric = next((name for name in STATISTICS if _has(name, cells)), None)
        if metric is None:
            if cells.strip():
                account.note(f"{path}: not used: {cells.strip()[:40]}")
            continue
        stated = next((cell for key, cell in said if key.startswith("stat")), "")
        statistic = next(
            (
                name
                for name in ("Sum", "Average", "Minimum", "Maximum")
                if _has(name, stated or cells)
            ),
            None,
        )
        if statistic is None:
            wanted = STATISTICS[metric][0]
            raise ForeignError(
                f"{path}:1", f"{metric} without its statistic; expected a line `Statistic,{wanted}`"
            )
        cloudwatch.check_statistic(f"{path}:1", metric, statistic)
        database = _DATABASE.search(cells)
        known = _ID.search(cells)
        of = known[0] if known else database[1] if database else None
        of = of or next((name for name in account.databases if _has(name, cells)), None)
        length = next((cell for key, cell in said if key.startswith("period")), "")
        found[place] = _Column(of or cloudwatch.resource(path, metric, account), metric, _s(length))
    if not found:
        names = "VolumeReadOps, VolumeWriteOps and the like"
        raise ForeignError(path, f"no column of a metric that is known; expected {names}")
    return found


def _has(word: str, cells: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", cells) is not None


def _s(length: str) -> int | None:
    """The seconds of a period such as `300` or `5 minutes`."""
    stated = _LENGTH.search(length)
    if not stated:
        return None
    seconds = int(stated[1][:9]) * _SECONDS[(stated[2] or "s")[0].lower()]
    return seconds if 0 < seconds <= 86_400 else None


def _add(place: str, cells: Sequence[str], columns: dict[int, _Column]) -> None:
    time = moments.moment(cells[0], place)
    for at, column in columns.items():
        value = cells[at].strip() if at < len(cells) else ""
        if not value:
            continue
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number < 2**53:
            raise unexpected(place, value, f"a number of at least 0, of {column.metric}")
        column.points[time] = number
