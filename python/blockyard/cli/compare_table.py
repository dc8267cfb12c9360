"""A comparison as a table on the terminal."""

from collections.abc import Sequence
from itertools import groupby

from rich.table import Table
from rich.text import Text

from blockyard.cli import columns
from blockyard.types.comparison_tables import Line, StepLine

# From this width on there is room for intervals.
_WIDE = 100
_STYLES = {"better": "green", "worse": "red"}


def of(both: tuple[str, str], lines: Sequence[Line], width: int) -> Table:
    """How a side differs from the first; `both` are their names.

    Where space is short, the sides' own figures are left out first; in the end the figures'
    names get lines of their own.
    """
    rows = [
        [
            *(line["figure"], line["first"], line["other"]),
            *(line["change"], line["interval"], line["verdict"]),
        ]
        for line in lines
    ]
    widest = [max(map(len, column)) for column in zip(*rows, strict=True)]
    places = [0, 1, 2, 3, 4, 5] if width >= _WIDE else [0, 1, 2, 3, 5]
    for first_to_go in (1, 2):
        if sum(widest[place] + columns.GAP for place in places) - columns.GAP <= width:
            break
        places.remove(first_to_go)
    beside = sum(widest[place] + columns.GAP for place in places) - columns.GAP <= width
    table = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0))
    headings = ["", *both, "change", "95% interval", ""]
    for place in places:
        table.add_column(
            headings[place],
            justify="right" if 0 < place < 5 else "left",
            overflow="fold",
            min_width=widest[place] if place or beside else None,
        )
    for line, row in zip(lines, rows, strict=True):
        style = _STYLES.get(line["verdict"])
        if beside:
            table.add_row(*(row[place] for place in places), style=style)
        else:
            table.add_row("", row[3], f"{line['figure']}\n{line['verdict']}", style=style)
    return table


def of_steps(both: tuple[str, str], steps: Sequence[StepLine]) -> Table:
    """How a side differs from the first in each load step: IOPS or TPS, and p99 beside it."""
    table = Table(box=None, pad_edge=False, padding=(0, columns.GAP, 0, 0))
    rates = " or ".join(dict.fromkeys(step["rate"]["figure"].upper() for step in steps))
    headings = [[*(f"{of}\n{name}" for name in both), "\nchange"] for of in (rates, "p99")]
    for heading in ["", *headings[0], *headings[1]]:
        table.add_column(heading, justify="right" if heading else "left", overflow="fold")
    for name, own in groupby(steps, key=lambda step: step["name"]):
        table.add_row(name)
        for step in own:
            p99 = _figures(step["p99"]) if step["p99"] else ["", "", ""]
            table.add_row(f"  {step['load']}", *_figures(step["rate"]), *p99)
    return table


def _figures(line: Line) -> list[str | Text]:
    """Both sides' values and what is shown of the change."""
    shown = Text(line["brief"], style=_STYLES.get(line["verdict"], ""))
    return [line["first"], line["other"], shown]
