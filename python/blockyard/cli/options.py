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
        help="A new run directory; with several runs each gets DIR/NAME. By default "
        "runs/DATE-NAME.",
    ),
]

Seed = Annotated[int | None, typer.Option(metavar="N", help="The same as --set seed=N.")]

Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Override a value; may be repeated."),
]

Show = Annotated[
    bool,
    typer.Option("--show", help="Print the effective scenario and the source of each value."),
]

Json = Annotated[bool, typer.Option("--json", help="Print JSON, several results as a list.")]

Check = Annotated[bool, typer.Option("--check", help="Exit with status 1 if a goal is missed.")]

IoLog = Annotated[
    bool, typer.Option("--io-log", help="Write every IO to ios.csv, with one thread.")
]

Live = Annotated[
    bool,
    typer.Option(
        "--live",
        help="Show a full-screen live view if standard error is a terminal.",
    ),
]

Metrics = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="Serve metrics for Prometheus, under CloudWatch's names.",
    ),
]

Sustained = Annotated[
    bool,
    typer.Option(
        "--sustained",
        help="Start with burst balances and token buckets empty; report what is sustained.",
    ),
]

MostIos = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        help="Maximum IOs to simulate; report what is found by then.",
    ),
]

Region = Annotated[
    str | None,
    typer.Option(
        metavar="REGION",
        help="The region whose prices apply; by default the scenario's, else us-east-1.",
        autocompletion=values.regions,
    ),
]

PriceFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Your own prices (YAML), which override the catalog's and those you imported.",
    ),
]


class Term(StrEnum):
    """How instances are paid for."""

    ON_DEMAND = "on-demand"
    NO_UPFRONT = "1y-no-upfront"
    PARTIAL_UPFRONT = "1y-partial-upfront"
    ALL_UPFRONT = "1y-all-upfront"
    NO_UPFRONT_3Y = "3y-no-upfront"
    PARTIAL_UPFRONT_3Y = "3y-partial-upfront"
    ALL_UPFRONT_3Y = "3y-all-upfront"
    SAVINGS_PLAN = "savings-plan"


InstanceTerm = Annotated[
    Term,
    typer.Option(
        metavar="TERM",
        help="How instances are paid for, such as 1y-no-upfront, 3y-all-upfront, savings-plan.",
    ),
]

Html = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the report as a new page."),
]

Static = Annotated[
    bool,
    typer.Option(
        "--static",
        help="Leave out the simulator, with which readers of the page change the scenario.",
    ),
]

HtmlStills = Annotated[
    bool,
    typer.Option(
        "--stills",
        help="Also add charts as pictures, for viewers without scripts.",
    ),
]
