"""The tables of docs/validation.md and docs/validation-rows.md about measurements."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from validation.markdown import table
from validation.measured.compare import Compared, Outcome
from validation.measured.errors import WANTED, Spread, by
from validation.measured.figures import LATENCIES
from validation.measured.reasons import Reason
from validation.measured.rows import Row, Workload

Key = TypeVar("Key")

RATES = ("iops", "mib_per_s")
CALLED = {
    "iops": "IOPS at a limit",
    "mib_per_s": "MiB/s at a limit",
    "excess_s": "tokens after rest, in s of the rate",
    "credits_end": "time to the end of credits",
    "mean": "mean latency",
    "p99_9": "p99.9",
}


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
        errors = by(self._all(), lambda one: (self._local(one), *_quantity(one)))
        lines = []
        for quantity, at_limit in _quantities():
            wanted = WANTED.get(quantity)
            cells = [_called(quantity, at_limit), _wanted(quantity)]
            for local in (False, True):
                found = errors.get((local, quantity, at_limit))
                width = 3 if local else 5
                if found:
                    spread = Spread.of(found, wanted)
                    cells += _cells(quantity, spread, bool(wanted))[:width]
                else:
                    cells += ["0"] + [""] * (width - 1)
            lines.append(cells)
        return table(head, lines)

    def by_type(self) -> str:
        """The median of errors with their signs, by volume type and operation."""
        columns = ["rate", "mean", "p50", "p95", "p99", "p99_9"]
        head = ["volumes", "operation", "load", "rows", *map(_short, columns)]

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
        head = ["rows", "source", "all", "compared", *map(_short, columns)]
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
        head = ["row", "storage", "load", "", *map(_short, columns)]
        lines: dict[tuple[str, str, str, bool], dict[str, str]] = {}
        for one in self._all():
            figure = one.figure
            cells = lines.setdefault((one.row, one.part, figure.op, figure.at_limit), {})
            cells[_column(figure.quantity)] = _pair(one)
        return table(
            head,
            (
                [
                    f"{row} {part}".strip(),
                    _storage(self._rows[row]),
                    f"{op}, {_load(self._rows[row].workload)}",
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
        errors = by(self._all(), lambda one: (key(one), _column(one.figure.quantity)))
        rows: dict[Key, set[str]] = {}
        for one in self._all():
            rows.setdefault(key(one), set()).add(one.row)
        for name in sorted(rows, key=str):
            found = [errors.get((name, column)) for column in columns]
            medians = [_percent(Spread.of(some).bias) if some else "" for some in found]
            yield [*cells(name), str(len(rows[name])), *medians]


def _quantity(one: Compared) -> tuple[str, bool]:
    return one.figure.quantity, one.figure.at_limit


def _quantities() -> list[tuple[str, bool]]:
    """The summary's lines; no row says how long credits lasted."""
    first = [(name, True) for name in ("iops", "mib_per_s", "excess_s", "credits_end")]
    return first + [(name, at_limit) for at_limit in (False, True) for name in LATENCIES]


def _column(quantity: str) -> str:
    return "rate" if quantity in RATES else quantity


def _short(column: str) -> str:
    return {"excess_s": "after rest", "p99_9": "p99.9"}.get(column, column)


def _called(quantity: str, at_limit: bool) -> str:
    name = CALLED.get(quantity, quantity)
    if quantity not in LATENCIES:
        return name
    return f"{name}, {'at a limit' if at_limit else 'below it'}"


def _wanted(quantity: str) -> str:
    if quantity not in WANTED:
        return ""
    bound = f"{100 * WANTED[quantity]:.0f} %"
    return f"median {bound}" if quantity in LATENCIES else bound


def _cells(quantity: str, spread: Spread, wanted: bool) -> list[str]:
    form: Callable[[float], str] = _seconds if quantity == "excess_s" else _share
    signed = _seconds if quantity == "excess_s" else _percent
    within = f"{spread.within} of {spread.rows}" if wanted else ""
    return [str(spread.rows), form(spread.median), form(spread.high), signed(spread.bias), within]


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _percent(value: float) -> str:
    return f"{100 * value:+.0f} %"


def _pair(one: Compared) -> str:
    """Measured, predicted, and the error."""
    figure = one.figure
    if figure.quantity == "excess_s":
        return f"{figure.measured:.2f} / {one.predicted:.2f} s"
    unit, form = "", "{:,.0f}"
    measured, predicted = figure.measured, one.predicted
    if figure.quantity == "mib_per_s":
        unit = " MiB/s"
    elif figure.quantity in LATENCIES:
        unit, form = " ms", "{:.2f}" if measured < 100_000 else "{:,.0f}"
        measured, predicted = measured / 1000, predicted / 1000
    both = f"{form.format(measured)} / {form.format(predicted)}{unit}"
    return f"{both}, {_percent(one.error)}"


def _storage(row: Row) -> str:
    volume = row.volume
    several = f"{volume.count} of " if volume.count > 1 else ""
    size = f" {volume.size_gib} GiB" if volume.size_gib else ""
    iops = f" {volume.iops:,}" if volume.iops else ""
    throughput = f"/{volume.throughput_mibps:g}" if volume.throughput_mibps else ""
    instance = f", {row.instance}" if row.instance else ""
    return f"{several}{volume.type}{size}{iops}{throughput}{instance}"


def _load(load: Workload) -> str:
    blocks = {size for size in (load.block_read, load.block_write) if size}
    sizes = "/".join(f"{size / 1024:g}" for size in sorted(blocks))
    rate = f" {load.rate_iops}/s" if load.rate_iops else ""
    depth = f", {load.numjobs} of depth {load.iodepth or 1}" if load.numjobs else ""
    return f"{load.rw}{f' {sizes} KiB' if sizes else ''}{depth}{rate}"
