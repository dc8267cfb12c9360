"""Errors of rows that the model's numbers rest on beside those of all others, source by source."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median

from validation.markdown import table
from validation.measured.accuracy import LOCAL, Quantity
from validation.measured.cells import called, forms, quantities, quantity_of
from validation.measured.compare import Compared, Outcome
from validation.measured.errors import by
from validation.measured.rows import Row
from validation.measured.samples import in_sample
from validation.measured.without_source import errors_without

# Rows of one source are no independent measurements, so that whole sources are drawn.
DRAWS, SEED = 1000, "validation/sources"
# The share of draws within an interval.
WITHIN = 0.90
# A median over fewer sources has no interval.
FEWEST_SOURCES = 3

HEAD = ("storage", "quantity", "in-sample: sources, rows", "median",
        "out of sample: sources, rows", "median", "90 % of draws",
        "without the source: sources, rows", "median", "90 % of draws")  # fmt: skip

# Percentiles of which nothing is wanted; the table is long without them.
NOT_SHOWN = ("p50", "p95", "p99_9")


@dataclass(frozen=True)
class Errors:
    """Errors by source."""

    by_source: Mapping[str, Sequence[float]]

    def cells(self, quantity: str) -> list[str]:
        """Sources and rows, the median absolute error, and its interval."""
        if not self.by_source:
            return ["", "", ""]
        form, _ = forms(quantity)
        rows = sum(map(len, self.by_source.values()))
        interval = self.interval()
        said = f"{form(interval[0])} to {form(interval[1])}" if interval else ""
        return [f"{len(self.by_source)}, {rows}", form(_median(self.by_source.values())), said]

    def interval(self) -> tuple[float, float] | None:
        """Where the median lies if other sources had been found, drawn from those that were."""
        sources = [self.by_source[name] for name in sorted(self.by_source)]
        if len(sources) < FEWEST_SOURCES:
            return None
        random = Random(SEED)  # noqa: S311 - nothing here is secret
        drawn = sorted(_median(random.choices(sources, k=len(sources))) for _ in range(DRAWS))
        beyond = round(DRAWS * (1 - WITHIN) / 2)
        return drawn[beyond], drawn[-beyond - 1]


def _median(sources: Iterable[Sequence[float]]) -> float:
    return median(abs(error) for errors in sources for error in errors)


def fair(rows: Sequence[Row], outcome: Outcome) -> str:
    """Errors of both kinds of rows, and of latencies below limits without the row's own source."""
    known, ours = {row.id: row for row in rows}, in_sample(rows)
    everything = [one for of in outcome.compared.values() for one in of]
    inside = _by(everything, known, lambda row: row in ours)
    outside = _by(everything, known, lambda row: row not in ours)
    without = _without(everything, known)
    lines = []
    for local in (False, True):
        for quantity in quantities():
            if quantity[0] in NOT_SHOWN:
                continue
            key = (local, quantity)
            found = [kind.get(key, Errors({})) for kind in (inside, outside, without)]
            if any(one.by_source for one in found):
                first, second, third = (one.cells(quantity[0]) for one in found)
                name = "local disks" if local else "volumes"
                lines.append([name, called(*quantity), *first[:2], *second, *third])
    return table(HEAD, lines)


def _by(
    compared: Iterable[Compared], rows: Mapping[str, Row], wanted: Callable[[str], bool]
) -> dict[tuple[bool, Quantity], Errors]:
    """Errors of some rows by storage, quantity and source."""

    def key(one: Compared) -> tuple[bool, Quantity, str]:
        row = rows[one.row]
        return row.volume.type == LOCAL, quantity_of(one), row.prefix

    found: dict[tuple[bool, Quantity], dict[str, list[float]]] = {}
    for (local, quantity, source), errors in by(
        (one for one in compared if wanted(one.row)), key
    ).items():
        found.setdefault((local, quantity), {})[source] = errors
    return {key: Errors(of) for key, of in found.items()}


def _without(
    compared: Iterable[Compared], rows: Mapping[str, Row]
) -> dict[tuple[bool, Quantity], Errors]:
    """Errors of latencies below limits with profiles pooled from other sources alone."""
    found: dict[tuple[bool, Quantity], dict[str, list[float]]] = {}
    for (row, (kind, _, quantity)), error in errors_without(compared, rows).items():
        sources = found.setdefault((kind == LOCAL, (quantity, False)), {})
        sources.setdefault(rows[row].prefix, []).append(error)
    return {key: Errors(of) for key, of in found.items()}
