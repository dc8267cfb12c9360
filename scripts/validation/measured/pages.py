"""The tables about measurements: of docs/validation.md, and of the site's page of every row."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

from validation.markdown import table
from validation.measured.cells import (
    column_of,
    load_of,
    pair,
    percent,
    short,
    storage_of,
)
from validation.measured.compare import Compared, Outcome
from validation.measured.errors import Spread, by
from validation.measured.figures import LATENCIES
from validation.measured.rows import Row

Key = TypeVar("Key")
# What is shown of a measurement's figures with one operation: by column, in text.
Cells = dict[str, str]


class Pages:
    """Tables of an outcome."""

    def __init__(self, rows: Sequence[Row], outcome: Outcome) -> None:
        self._rows = {row.id: row for row in rows}
        self._outcome = outcome

    def every_type(self) -> str:
        """The median of errors with their signs, by volume type, operation and load."""
        columns = ["rate", "mean", "p50", "p95", "p99", "p99_9"]
        head = ["volumes", "operation", "load", "rows", *map(short, columns)]

        def key(one: Compared) -> tuple[str, str, bool]:
            kind = self._rows[one.row].volume.type
            return kind, one.figure.op, one.figure.at_limit

        def cells(name: tuple[str, str, bool]) -> list[str]:
            kind, op, at_limit = name
            return [kind, op, "at a limit" if at_limit else "below it"]

        return table(head, self._medians(key, cells, columns))

    def by_source(self) -> str:
        """The median of errors with their signs, by source, of those that have any."""
        columns = ["rate", "mean", "p50", "p99", "p99_9"]
        head = ["rows", "source", "all", "compared", *map(short, columns)]
        sources = {row.prefix: row.source for row in self._rows.values()}
        known = Counter(row.prefix for row in self._rows.values())

        def key(one: Compared) -> str:
            return self._rows[one.row].prefix

        def cells(name: str) -> list[str]:
            return [f"{name}-", sources[name], str(known[name])]

        return table(head, self._medians(key, cells, columns))

    def every_row(self) -> str:
        """Measured, predicted and error of every row that is compared."""
        columns = ("rate", "excess_s", *LATENCIES)
        head = ["row", "storage", "load", "", *map(short, columns)]
        return table(
            head,
            (
                [
                    f"{row} {part}".strip(),
                    storage_of(self._rows[row]),
                    f"{op}, {load_of(self._rows[row].workload)}",
                    "limit" if at_limit else "",
                    *(cells.get(column, "") for column in columns),
                ]
                for (row, part, op, at_limit), cells in self._lines().items()
            ),
        )

    def every_other(self) -> str:
        """The rows that are not compared, each with why."""
        left = sorted(self._outcome.left.items())
        return table(
            ["row", "why"],
            ([row, ": ".join(filter(None, (why.reason.value, why.said)))] for row, why in left),
        )

    def digests(self) -> str:
        """A line for each source: how many rows are compared, how many not, and a digest of them.

        The digest is of figures as they are shown and of reasons, not of other words.
        """
        shown: dict[str, list[str]] = {row.prefix: [] for row in self._rows.values()}
        for (row, *of), cells in self._lines().items():
            shown[self._rows[row].prefix].append(f"{row} {of} {sorted(cells.items())}")
        for row, why in sorted(self._outcome.left.items()):
            shown[self._rows[row].prefix].append(f"{row} {why.reason.name}")
        compared = Counter(self._rows[row].prefix for row in self._outcome.compared)
        left = Counter(self._rows[row].prefix for row in self._outcome.left)
        return "".join(
            f"{name} {compared[name]} {left[name]} {sha256(repr(text).encode()).hexdigest()[:12]}\n"
            for name, text in sorted(shown.items())
        )

    def _lines(self) -> dict[tuple[str, str, str, bool], Cells]:
        """What is shown of each compared row, part of it, operation, and place of its limit."""
        lines: dict[tuple[str, str, str, bool], Cells] = {}
        for one in self._all():
            figure = one.figure
            cells = lines.setdefault((one.row, one.part, figure.op, figure.at_limit), {})
            cells[column_of(figure.quantity)] = pair(one)
        return lines

    def _all(self) -> Iterable[Compared]:
        for row in sorted(self._outcome.compared):
            yield from self._outcome.compared[row]

    def _medians(
        self,
        key: Callable[[Compared], Key],
        cells: Callable[[Key], list[str]],
        columns: Sequence[str],
    ) -> Iterable[list[str]]:
        """A line for each key, with the medians of its errors by column."""
        errors = by(self._all(), lambda one: (key(one), column_of(one.figure.quantity)))
        rows: dict[Key, set[str]] = {}
        for one in self._all():
            rows.setdefault(key(one), set()).add(one.row)
        for name in sorted(rows, key=str):
            found = [errors.get((name, column)) for column in columns]
            medians = [percent(Spread.of(some).bias) if some else "" for some in found]
            yield [*cells(name), str(len(rows[name])), *medians]
