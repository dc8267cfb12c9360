"""`blockyard compare`: how runs differ."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli import files, streams
from blockyard.cli.report import Bin, Stills, plots, read, width
from blockyard.cli.status import CommandError, Status
from blockyard.comparability import UnlikeError
from blockyard.comparison import Comparison, compare

EXAMPLE = """\b
Examples:
  blockyard compare simulated benched
  blockyard compare before after -o difference.html --fail-if 'readers.latency.p99 > +5%'
  blockyard compare repeats/gp3 repeats/io2 repeats/stripe --json
"""

# With fewer repeats than this, Student's t makes intervals very wide.
_FEW = 5


def command(
    sides: Annotated[
        list[Path],
        typer.Argument(
            metavar="A B",
            help="Two or more sides: run directories, folders with repeats of a run, or files of "
            "fio, iostat or yaspe. Each is compared with the first.",
        ),
    ],
    out: files.Out = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="Exit with status 1 if this holds, such as 'readers.latency.p99 > +5%'; may be "
            "repeated.",
        ),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Compare runs of different workloads, too.")
    ] = False,
    bin_width: Bin = "5s",
    stills: Stills = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> int:
    """Set the figures of runs side by side, and say which differences are shown.

    Intervals cover 95%: from run to run if a side has several, otherwise from the course of
    its only run. They are shown on 100 columns or more, with --json and with -o, which writes
    an HTML file with the charts of all sides over each other.
    """
    if len(sides) < 2:
        raise CommandError(f"{sides[0]}: one side; expected at least two", Status.BAD_INPUT)
    bin_s = width(bin_width)
    loaded = read(sides)
    try:
        comparison = compare(*loaded, fail_if=fail_if or [], anyway=anyway)
    except UnlikeError as error:
        reasons = [*str(error).splitlines(), "not comparable; --anyway compares them all the same"]
        raise CommandError("\n".join(reasons), Status.BAD_INPUT) from error
    if not comparison["rows"]:
        raise CommandError("nothing to compare: no IO in any of the runs", Status.BAD_INPUT)
    names = _names(sides)
    if out is not None:
        from blockyard.report import page_builder
        from blockyard.report.page import html

        page = page_builder.comparison(names, loaded, comparison, bin_s)
        with plots("--stills"):
            text = html(page, stills=stills)
        files.write(text, out)
    if as_json:
        streams.say(json.dumps({"sides": names, **comparison}, indent=2))
    else:
        _print(comparison, names)
        few = [name for name, side in zip(names, loaded, strict=True) if 1 < len(side) < _FEW]
        if few:
            streams.say(f"{' and '.join(few)}: so few runs tell little of chance; {_FEW} tell more")
    return Status.MISSED if any(one["holds"] for one in comparison["conditions"]) else Status.DONE


def _names(sides: Sequence[Path]) -> list[str]:
    """The names of sides: the last parts of their paths if these differ."""
    names = [path.resolve().name for path in sides]
    return names if len(set(names)) == len(names) else [str(path) for path in sides]


def _print(comparison: Comparison, names: Sequence[str]) -> None:
    from blockyard.cli import compare_table, terminal

    console = terminal.on_stdout()
    for side in range(1, len(names)):
        console.print(compare_table.of(comparison, names, side, console.width))
    for one in comparison["conditions"]:
        what = "fails" if one["holds"] else "passes"
        against = f" ({names[one['side']]})" if len(names) > 2 else ""
        console.print(f"{what}: {one['condition']}{against}: {one['measured']}", soft_wrap=True)
