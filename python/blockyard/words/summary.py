"""A result as text of at most 80 columns, except for longer names and paths."""

import io
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.text import Text

from blockyard.runs import told
from blockyard.runs.run import Run
from blockyard.text.narrow_table import Line, fitted
from blockyard.types.facts import Facts
from blockyard.types.findings import Advice
from blockyard.types.result import Result

# What every terminal has.
COLUMNS = 80

# Lines of a table that a short form has.
_FEW_LINES = 9


def of(
    result: Result,
    path: Path | None,
    facts: Facts | None,
    columns: int = COLUMNS,
    advice: Advice | None = None,
) -> RenderableType:
    """The summary of a result in at most `columns`; `path` is its run directory, if kept.

    `facts` are the run's, None of foreign files; `advice` is what was tried of it.
    """
    return _group(_found(result, facts, advice), path, columns)


def of_run(run: Run, columns: int = COLUMNS) -> RenderableType:
    """The same of a run with its tables, which say more."""
    return _group(json.loads(run.told.summary()), run.path, columns)


def _group(found: dict[str, Any], path: Path | None, columns: int) -> RenderableType:
    width = min(columns, COLUMNS)
    return Group(
        Text(found["heading"], style="bold"),
        Text(found["headline"]),
        *(_fitted(table, width) for table in found["tables"]),
        *map(Text, found["notes"]),
        *map(Text, found["lines"]),
        Text(f"in {path}\n" if path else "", no_wrap=True, overflow="ignore"),
    )


def lines(result: Result, facts: Facts | None) -> list[str]:
    """What a summary says below its tables and notes, line by line."""
    return list(_found(result, facts)["lines"])


def short(result: Result) -> str:
    """A result in a few lines: what was run, for how long, and its figures."""
    found = _found(result, None)
    [figures, *_] = found["tables"]
    shown = _fitted(figures, COLUMNS).plain.splitlines()
    more = ["…"] if len(shown) > _FEW_LINES else []
    return "\n".join([found["heading"], *shown[:_FEW_LINES], *more])


def html(
    result: Result, path: Path | None, facts: Facts | None, advice: Advice | None = None
) -> str:
    """The summary as HTML, for notebooks."""
    console = Console(record=True, file=io.StringIO(), width=COLUMNS)
    console.print(of(result, path, facts, advice=advice), crop=False)
    return console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")


def _found(result: Result, facts: Facts | None, advice: Advice | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told.of_result(result, facts, advice).summary())
    return found


def _fitted(table: Mapping[str, Any], columns: int) -> Text:
    """A table as wide as there is room. Nothing but its load says what a row of other seeds is."""
    lines = [tuple(line) for line in table["lines"]]
    needs_load = {line for line, marked in zip(lines, table["marks"], strict=True) if marked}

    def tells(line: Line, shown: Collection[str]) -> bool:
        return "load" in shown or line not in needs_load

    return fitted(tuple(table["headings"]), lines, columns, table["first_to_go"], tells)
