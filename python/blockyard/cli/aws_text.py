"""What was found out about an AWS account as text."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from blockyard.cli import streams

if TYPE_CHECKING:
    from blockyard.questions.account import Examined
    from blockyard.words.account_finding import Finding


def say(found: "Examined", out: Path | None) -> None:
    """Print the answers: of one host all three, of several a table. `out` has the layouts."""
    from blockyard.cli import terminal, text_table
    from blockyard.words import account as words
    from blockyard.words import account_fleet

    width = terminal.on_stdout().width
    if len(found.findings) > 1:
        _say(account_fleet.total(found.findings, len(found.failed)), width)
        table = account_fleet.fleet(found.findings)
        streams.say("\n".join(["", *text_table.lines(table, width), ""]))
        for note in account_fleet.prices(found.findings):
            _say(note, width)
        _say("--instance ID shows one of them, --html a page of all", width)
        _say(words.CAVEAT, width)
    else:
        for one in found.findings:
            _print_one(one, width, out)
    for note in found.notes:
        _say(note, width)


def _print_one(found: "Finding", width: int, out: Path | None) -> None:
    from blockyard.cli import text_table
    from blockyard.text.formatting import sentence
    from blockyard.words import account as words
    from blockyard.words import under_load

    _say(words.headline(found), width)
    _say(sentence(words.first(found), found.devices), width)
    _part("What it lives on", words.lives_on(found), width)
    table = under_load.limits(found.under, found.start) if found.under else None
    rows = [f"  {line}" for line in text_table.lines(table, width - 2)] if table else []
    _part("What is at a limit", words.exceeded(found), width, rows)
    _part("What would be cheaper or better", [*words.better(found), *_terraform(found, out)], width)
    _part("What else to know", [*words.else_to_know(found), words.CAVEAT], width)


def _terraform(found: "Finding", out: Path | None) -> Iterator[str]:
    """How to have the changes as Terraform, where there are some that it can make."""
    if found.next_scenario is not None and found.today_usd is not None:
        after = f"{out or Path('FOLDER')}/{found.name}-next.yaml"
        here = "" if out is not None else f" (write {after} with --out FOLDER)"
        yield f"here is the Terraform: blockyard provision {after} --format terraform{here}"


def _part(title: str, told: Iterable[str], width: int, rows: Sequence[str] = ()) -> None:
    """A part of the answer, its table first; nothing where there is nothing to say."""
    lines = [*told]
    if rows or lines:
        streams.say("\n".join(["", title, *rows]))
    for said in lines:
        _say(said, width, "  ")


def _say(said: str, width: int, indent: str = "") -> None:
    streams.say(
        textwrap.fill(
            said,
            width,
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
            break_on_hyphens=False,
            break_long_words=False,
        )
    )
