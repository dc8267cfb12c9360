"""The tables of docs/validation.md and docs/validation-rows.md about measurements."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from validation.markdown import table
from validation.measured.cells import (
    called,
    column_of,
    load_of,
    pair,
    percent,
    quantities,
    quantity_of,
    short,
    spread_cells,
    storage_of,
    wanted_of,
)
from validation.measured.compare import Compared, Outcome
from validation.measured.errors import WANTED, Spread, by
from validation.measured.figures import LATENCIES
from validation.measured.reasons import Reason
from validation.measured.rows import Row

Key = TypeVar("Key")


class Pages:
    """Tables of an outcome."""

    def __init__(self, rows: Sequence[Row], outcome: Outcome) -> None:
        self._rows = {row.id: row for row in rows}
        self._outcome = outcome

    def counts(self) -> str:
        """How many rows there are, and how many are compared."""
        compared, left = len(self._outcome.compared), len(self._outcome.left)
        return f"{compared + left} rows: {compared} compared, {left} not."

    def summary(self) -> str:
        """Errors by quantity, of network volumes and of local disks."""
        head = ["quantity", "wanted", "rows", "median", "90th", "bias", "within"]
        head += ["local disks", "median", "90th"]
        errors = by(self._all(), lambda one: (self._local(one), *quantity_of(one)))
        lines = []
        for quantity, at_limit in quantities():
            wanted = WANTED.get(quantity)
            cells = [called(quantity, at_limit), wanted_of(quantity)]
            for local in (False, True):
                found = errors.get((local, quantity, at_limit))
                width = 3 if local else 5
                if found:
                    spread = Spread.of(found, wanted)
                    cells += spread_cells(quantity, spread, bool(wanted))[:width]
                else:
                    cells += ["0"] + [""] * (width - 1)
            lines.append(cells)
        return table(head, lines)

    def by_type(self) -> str:
        """The median of errors with their signs, by volume type and operation."""
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

    def left_out(self) -> str:
        """The rows that are not compared, by reason."""
        lines = []
        for reason in Reason:
            rows = [row for row, left in self._outcome.left.items() if left.reason is reason]
            if rows:
                prefixes = Counter(self._rows[row].prefix for row in rows)
                whose = ", ".join(f"{name} {count}" for name, count in sorted(prefixes.items()))
                lines.append([reason.value, str(len(rows)), whose])
        return table(["why", "rows", "of"], lines)

    def every_row(self) -> str:
        """Measured, predicted and error of every row that is compared."""
        columns = ("rate", "excess_s", *LATENCIES)
        head = ["row", "storage", "load", "", *map(short, columns)]
        lines: dict[tuple[str, str, str, bool], dict[str, str]] = {}
        for one in self._all():
            figure = one.figure
            cells = lines.setdefault((one.row, one.part, figure.op, figure.at_limit), {})
            cells[column_of(figure.quantity)] = pair(one)
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
                for (row, part, op, at_limit), cells in lines.items()
            ),
        )

    def every_other(self) -> str:
        """The rows that are not compared, each with why."""
        left = sorted(self._outcome.left.items())
        return table(
            ["row", "why"],
            ([row, ": ".join(filter(None, (why.reason.value, why.said)))] for row, why in left),
        )

    def _all(self) -> Iterable[Compared]:
        for row in sorted(self._outcome.compared):
            yield from self._outcome.compared[row]

    def _local(self, one: Compared) -> bool:
        return self._rows[one.row].volume.type == "instance-store"

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
