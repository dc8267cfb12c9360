"""How much load a layout takes, as text."""

import textwrap
from collections.abc import Iterator

from rich.table import Table

from blockyard.cli import columns
from blockyard.types.capacity import Capacity
from blockyard.words import capacity as words


def parts(found: Capacity, width: int) -> Iterator[str | Table]:
    """The answer, the curve, what ends it, and what to know of both, to be printed in turn."""
    yield from _wrapped(f"{found['scenario']}: {words.answer(found)}", width)
    yield ""
    yield _curve(found)
    yield ""
    for sentence in (words.ended(found), *words.notes(found)):
        yield from _wrapped(sentence, width)


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)


def _curve(found: Capacity) -> Table:
    """What each load came to; of several jobs the one whose goal binds."""
    table = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0))
    for heading in (words.unit(found), *words.headings(found)):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for point in found["curve"]:
        table.add_row(*words.row(found, point))
    return table
