"""`blockyard compare`: how runs differ."""

import json
import textwrap
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from blockyard._core import UnlikeError
from blockyard.cli import files, observed, options, streams
from blockyard.cli.report import Bin, plots, read, width
from blockyard.cli.status import CommandError, Status
from blockyard.comparison.sides import Compared, of_sides
from blockyard.sweeps.directory import is_sweep

EXAMPLE = """\b
Examples:
  blockyard compare simulated benched
  blockyard compare before after -o difference.html --fail-if 'readers.latency.p99 > +5%'
  blockyard compare simulated iostat.txt --device dm-0
  blockyard compare repeats/gp3 repeats/io2 repeats/stripe --json
  blockyard compare main branch --fail-if 'readers.iops < -5%' --format markdown > comment.md
"""


class Format(StrEnum):
    """How a comparison is printed."""

    text = "text"
    markdown = "markdown"


def command(
    sides: Annotated[
        list[Path],
        typer.Argument(
            metavar="A B",
            help="Two or more run directories, folders of repeats, two sweeps, or files of fio, "
            "iostat, sar and others. Each is compared with the first.",
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
        bool, typer.Option("--anyway", help="Also compare runs of different workloads.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="Simulate each simulated side again with this number of seeds, the same on "
            "all sides; 1 compares only what was recorded.",
            show_default="8, or as many as take no more than some seconds",
        ),
    ] = None,
    device: observed.Devices = None,
    interval: observed.Interval = None,
    start: observed.Start = None,
    lsblk: observed.Lsblk = None,
    bin_width: Bin = None,
    stills: options.HtmlStills = False,
    form: Annotated[
        Format,
        typer.Option("--format", help="What is printed; markdown is for a pull request."),
    ] = Format.text,
    as_json: options.Json = False,
) -> int:
    """Compare runs: scenarios, figures, load steps, and a conclusion.

    Confidence intervals (95%) follow from seed to seed for simulations, which are repeated
    with further seeds, the same on all sides; from run to run if a side has several runs;
    otherwise from variation within the run. They are shown on 100 columns or more, with
    --json and with -o, which writes an HTML file with the charts of all sides over each
    other.
    """
    from blockyard.cli.tries import tries

    if len(sides) < 2:
        raise CommandError(f"{sides[0]}: one side; expected at least two", Status.BAD_INPUT)
    bin_s = width(bin_width)
    files.check_page(out)
    if any(map(is_sweep, sides)):
        from blockyard.cli import sweep_report

        sweep_report.compare(sides, out, stills=stills, as_json=as_json)
        return Status.DONE
    loaded = read(sides, observed.reading(device, interval, start, lsblk))
    names = _names(sides)
    try:
        with tries(" and ".join(names)) as tried:
            compared = of_sides(
                names, loaded, fail_if=fail_if or [], anyway=anyway, seeds=seeds, tried=tried
            )
    except UnlikeError as error:
        reasons = [*str(error).splitlines(), "not comparable; --anyway compares them all the same"]
        raise CommandError(reasons, Status.BAD_INPUT) from error
    comparison = compared.found
    if not comparison["rows"]:
        raise CommandError("nothing to compare: no IO in any of the runs", Status.BAD_INPUT)
    if out is not None:
        from blockyard.pages import report
        from blockyard.pages.page import html

        page = report.comparison(loaded, compared, bin_s)
        with plots("--stills"):
            text = html(page, stills=stills)
        files.write(text, out)
    if as_json:
        streams.say(json.dumps(comparison, indent=2))
    elif form is Format.markdown:
        from blockyard.comparison.markdown import markdown

        streams.say(markdown(compared), end="")
    else:
        _print(compared)
    return Status.MISSED if any(one["holds"] for one in comparison["conditions"]) else Status.DONE


def _names(sides: Sequence[Path]) -> list[str]:
    """The names of sides: the last parts of their paths if these differ."""
    names = [path.resolve().name for path in sides]
    return names if len(set(names)) == len(names) else [str(path) for path in sides]


def _print(compared: Compared) -> None:
    from blockyard.cli import compare_table, terminal, text_table

    console = terminal.on_stdout()
    comparison = compared.found
    names = comparison["sides"]

    for differing, tables in zip(comparison["differing"], compared.tables["sides"], strict=True):
        side = differing["side"]
        if len(names) > 2:
            streams.say(f"{names[side]} against {names[0]}")
        for line in differing["lines"]:
            streams.say(line)
        streams.say("")
        both = (names[0], names[side])
        console.print(compare_table.of(both, tables["lines"], console.width))
        if tables["steps"]:
            streams.say("")
            console.print(compare_table.of_steps(both, tables["steps"]))
        streams.say("")
    if compared.costs:
        streams.say("\n".join([*text_table.lines(compared.costs, console.width), ""]))
    for line in [*compared.tables["bases"], *comparison["notes"]]:
        streams.say(_wrapped(line, console.width))
    for one in comparison["conditions"]:
        what = "fails" if one["holds"] else "passes"
        against = f" ({names[one['side']]})" if len(names) > 2 else ""
        streams.say(f"{what}: {one['condition']}{against}: {one['measured']}")
    for concluded in comparison["conclusions"]:
        streams.say(_wrapped(concluded["sentence"], console.width))


def _wrapped(line: str, width: int) -> str:
    return textwrap.fill(line, width, break_on_hyphens=False, break_long_words=False)
