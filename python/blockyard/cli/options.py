"""Options that several commands have."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from blockyard.cli.completion import values

Scenario = Annotated[
    Path,
    typer.Argument(
        metavar="SCENARIO",
        help="A scenario file (YAML or JSON).",
        autocompletion=values.scenarios,
    ),
]

Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="The run directory, which must not exist; with several runs each gets DIR/NAME. By "
        "default runs/DATE-NAME.",
    ),
]

Seed = Annotated[int | None, typer.Option(metavar="N", help="The same as --set seed=N.")]

Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Override a value; may be repeated."),
]

Show = Annotated[
    bool,
    typer.Option("--show", help="Print the effective scenario and where its values come from."),
]

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON; several as a list.")]

Check = Annotated[bool, typer.Option("--check", help="Exit with status 1 if a goal is missed.")]

IoLog = Annotated[
    bool, typer.Option("--io-log", help="Write a line for every IO to ios.csv; uses one thread.")
]

Live = Annotated[
    bool,
    typer.Option(
        "--live",
        help="Fill the terminal with a live view; no effect if standard error is no terminal.",
    ),
]

ForGood = Annotated[
    bool,
    typer.Option(
        "--for-good",
        help="Begin with burst balances and saved-up tokens used up, and see what holds then.",
    ),
]

MostIos = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        help="How many IOs may be simulated; what is found by then is said.",
    ),
]

Region = Annotated[
    str | None,
    typer.Option(
        metavar="REGION",
        help="Whose prices hold; by default the scenario's, and without one us-east-1.",
        autocompletion=values.regions,
    ),
]

PriceFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Prices of your own (YAML), which come before the catalog's."
    ),
]


class Term(StrEnum):
    """How instances are paid for."""

    ON_DEMAND = "on-demand"
    NO_UPFRONT = "1y-no-upfront"
    PARTIAL_UPFRONT = "1y-partial-upfront"
    ALL_UPFRONT = "1y-all-upfront"


InstanceTerm = Annotated[
    Term, typer.Option(help="How instances are paid for: on demand, or reserved for a year.")
]

Html = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write all of it as a page, which must not exist."),
]

HtmlStills = Annotated[
    bool,
    typer.Option(
        "--stills",
        help="With --html: add the chart as a picture, for viewers that run no scripts.",
    ),
]
