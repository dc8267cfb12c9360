"""`blockyard import aws`: what an account's volumes live on, and what would be better."""

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockyard.cli import files, streams
from blockyard.cli.plan import progress
from blockyard.cli.running import reading
from blockyard.cli.status import CommandError, Status

if TYPE_CHECKING:
    from blockyard.questions.account import Examined
    from blockyard.words.account import Finding

EXAMPLE = """\b
Examples:
  blockyard import aws volumes.json instances.json --query query.json
  blockyard import aws volumes.json instances.json query.json metrics.json
  blockyard import aws answers/ --instance i-0abc12345678def01 --out orders --html orders.html
"""


def command(
    answers: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Saved answers (JSON) of describe-volumes, describe-instances, "
            "describe-db-instances, get-metric-data with its query, get-metric-statistics; "
            "CloudWatch's CSV; folders of them.",
        ),
    ],
    instance: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only this instance or database, by its id or name."),
    ] = None,
    price_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Your own prices (YAML), which override the catalog's and those you imported.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FOLDER",
            help="Write each layout as a scenario to a new folder: NAME.yaml, and NAME-next.yaml "
            "with its changes.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as a new page.")
    ] = None,
    query: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write what to ask of CloudWatch to a new file for get-metric-data, and end.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Say what an AWS account's volumes live on, and what would be better.

    Reads saved answers and needs no credentials. Of each instance with its volumes, and of each
    database of RDS: which burst credits end, and when; what is at a limit; which volumes would be
    cheaper or better, in dollars. Several give a table, the largest saving first.
    """
    from blockyard.questions.account import examine, query_of

    files.check_new(out, html, query)
    if query is not None:
        with reading(answers[0]):
            asked = query_of(answers, only=instance)
        files.write(json.dumps(asked, indent=1) + "\n", query)
        return Status.DONE
    with reading(answers[0]), progress("reading") as told:
        found = examine(answers, only=instance, prices=price_file, progress=told)
    if out is not None:
        with reading(out):
            _write(found.findings, out)
    if html is not None:
        from blockyard.pages import account as pages
        from blockyard.pages import page

        files.write(page.html(pages.examined(answers[0].name, found.findings, found)), html)
    if as_json:
        streams.say(json.dumps([asdict(one) for one in found.findings], indent=2))
    else:
        _print(found, out)
    if found.failed:
        raise CommandError(
            [f"{name}: {error}" for name, error in found.failed.items()],
            Status.MISSED if found.findings else Status.BAD_INPUT,
        )
    return Status.DONE


def _print(found: "Examined", out: Path | None) -> None:
    from blockyard.cli import terminal, text_table
    from blockyard.words import account as words

    width = terminal.on_stdout().width
    if len(found.findings) > 1:
        _say(words.total(found.findings, len(found.failed)), width)
        table = words.fleet(found.findings)
        streams.say("\n".join(["", *text_table.lines(table, width), ""]))
        _say("--instance ID shows one of them, --html a page of all", width)
    else:
        for one in found.findings:
            _print_one(one, width, out)
    for note in found.notes:
        _say(note, width)
    if found.findings:
        _say(words.CAVEAT, width)


def _print_one(found: "Finding", width: int, out: Path | None) -> None:
    from blockyard.cli import text_table
    from blockyard.text.formatting import sentence
    from blockyard.words import account as words

    _say(words.headline(found), width)
    _say(sentence(words.first(found), [one.device for one in found.changes]), width)
    streams.say("\nWhat it lives on")
    for said in words.lives_on(found):
        _say(said, width, "  ")
    streams.say("\nWhat is at a limit")
    table = words.limits(found)
    if table is not None:
        streams.say("\n".join(f"  {line}" for line in text_table.lines(table, width - 2)))
    for said in words.exceeded(found):
        _say(said, width, "  ")
    streams.say("\nWhat would be cheaper or better")
    for said in words.better(found):
        _say(said, width, "  ")
    if found.changes:
        folder = out or Path("FOLDER")
        after = f"{folder}/{found.name}-next.yaml"
        here = "" if out is not None else f" (write {after} with --out {folder})"
        _say(
            f"here is the Terraform: blockyard provision {after} --format terraform{here}",
            width,
            "  ",
        )
    streams.say("")


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


def _write(findings: Sequence["Finding"], folder: Path) -> None:
    """A new folder with what there is and what would be better, as scenarios."""
    from blockyard.runs.new_folder import NewFolder

    taken: set[str] = set()
    with NewFolder(folder) as made:
        for found in findings:
            name = found.name if found.name not in taken else f"{found.name}-{found.id}"
            taken.add(name)
            (made.partial / f"{name}.yaml").write_text(found.scenario, encoding="utf-8")
            if found.next_scenario is not None:
                after = made.partial / f"{name}-next.yaml"
                after.write_text(found.next_scenario, encoding="utf-8")
        made.publish()
