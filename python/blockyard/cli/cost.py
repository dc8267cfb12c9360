"""`blockyard cost`: what a scenario or a run costs."""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockyard.cli import options, streams
from blockyard.cli.completion import values
from blockyard.cli.running import reading
from blockyard.cli.status import CommandError, Status
from blockyard.runs import billing
from blockyard.runs.billing import Terms
from blockyard.runs.execution import ScenarioFile

if TYPE_CHECKING:
    from blockyard.types.bill import Bill

EXAMPLE = """\b
Examples:
  blockyard cost scenarios/examples/small-database.yaml
  blockyard cost runs/b083 --term 1y-no-upfront --json
  blockyard cost layout.yaml --region ap-southeast-2 --price-file sydney.yaml
"""

# Most columns of the table.
_COLUMNS = 80


def command(
    of: Annotated[
        Path,
        typer.Argument(
            metavar="SCENARIO|RUN",
            help="A scenario file, a run directory, or a folder of them.",
            autocompletion=values.scenarios,
        ),
    ],
    region: options.Region = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="DATE",
            help="The day whose prices apply, such as 2022-11-10; by default the scenario's.",
        ),
    ] = None,
    term: options.InstanceTerm = options.Term.ON_DEMAND,
    hours_per_month: Annotated[
        int, typer.Option(metavar="N", min=1, max=744, help="Hours of a month.")
    ] = 730,
    price_file: options.PriceFile = None,
    snapshots: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Add snapshots of this size.")
    ] = None,
    sets: options.Sets = None,
    as_json: options.Json = False,
) -> None:
    """Print the bill of a scenario or a run: hosts, volumes, inter-zone traffic.

    Lines are by the hour and by the month, in US dollars. A run also gets costs per million
    transactions, per transaction a second and per 1,000 IOPS. An unknown price is an error
    that says how to state it in a price file.
    """
    terms = Terms(region, as_of, term, hours_per_month, price_file, snapshots)
    with reading(of):
        bills = list(_bills(of, terms, sets or []))
    if as_json:
        shown: object = bills[0] if len(bills) == 1 else bills
        streams.say(json.dumps(shown, indent=2))
        return
    for number, bill in enumerate(bills):
        if number:
            streams.say("")
        _print(bill)


def _bills(of: Path, terms: Terms, sets: list[str]) -> Iterator["Bill"]:
    if of.is_dir():
        from blockyard.formats.loading import load_all
        from blockyard.questions.cost import of_run

        if sets:
            message = "--set: overrides are for scenarios; a run has been made"
            raise CommandError(message, Status.BAD_INPUT)
        for run in load_all(of):
            yield of_run(run, terms)
    else:
        yield billing.of_scenario(ScenarioFile.read(of, sets).scenario(), terms)


def _print(bill: "Bill") -> None:
    from blockyard.cli import terminal, text_table
    from blockyard.words import cost

    width = min(_COLUMNS, terminal.on_stdout().width)
    streams.say(f"{bill['scenario']}")
    for said in cost.told(bill):
        if isinstance(said, str):
            said = textwrap.fill(said, width, break_on_hyphens=False, break_long_words=False)
            streams.say(said)
        else:
            streams.say("\n".join(text_table.lines(said, width)))
