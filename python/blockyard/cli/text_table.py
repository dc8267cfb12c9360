"""A report's table as text."""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from blockyard.cli import columns
from blockyard.text.table import Table

# What narrow terminals do without, of figures and then of words.
_FIRST_TO_GO = (
    *("p95", "p99.9", "MiB/s", "p50", "max", "mean"),
    *("throttled by", "operation", "device"),
)


def lines(table: Table, width: int) -> Iterator[str]:
    """The lines of a table on so many columns.

    Where it is too wide, what a row is of stands on a line of its own above its figures.
    """
    yield from textwrap.wrap(table.caption, width) or [""]
    rows = [list(table.columns), *map(list, table.rows)]
    if _width(rows) <= width:
        yield from _aligned(rows, table.words)
        return
    # The last column of words, such as a load, stays beside the figures if there are several
    # rows to what the others say.
    above = table.words if _all_differ(table, table.words) else table.words - 1
    places = columns.kept(
        ["", *table.columns[above:]],
        [["", *row[above:]] for row in table.rows],
        width,
        _FIRST_TO_GO,
    )
    kept = [above + place - 1 for place in places[1:]]
    figures = iter(list(_aligned([["", *(row[place] for place in kept)] for row in rows], 1)))
    yield next(figures)
    for of, group in groupby(table.rows, key=lambda row: list(row[:above])):
        yield " ".join(of)
        yield from (next(figures) for _ in group)


def _all_differ(table: Table, words: int) -> bool:
    """Whether no two rows begin with the same words but one."""
    return len({tuple(row[: words - 1]) for row in table.rows}) == len(table.rows)


def _width(rows: Sequence[Sequence[str]]) -> int:
    widths = _widths(rows)
    return sum(widths) + columns.GAP * (len(widths) - 1)


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _aligned(rows: Sequence[Sequence[str]], words: int) -> Iterator[str]:
    widths = _widths(rows)
    for row in rows:
        cells = [
            cell.ljust(width) if place < words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield (" " * columns.GAP).join(cells).rstrip()
